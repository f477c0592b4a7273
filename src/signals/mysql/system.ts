import { keySetting } from '../../core/setting.ts';
import { defineSystem } from '../system.ts';

export const system = defineSystem({
  name: 'mysql',
  title: 'MySQL and MariaDB',
  offers: 'connections, transactions, locks, costly statements, tables and replication, as they are now',
  settings: {
    mysql_login: keySetting(
      'MySQL or MariaDB to look at, read only: mysql://user:password@host:3306/database',
      'SONDE_MYSQL',
    ),
  },
  async open({ mysql_login: login }, { clock, credential }) {
    if (login === undefined) return null;
    const { openMysql, mysqlAddress } = await import('./mysql.ts');
    const address = mysqlAddress(login.reveal());
    return {
      signals: [openMysql({ address: { ...address, password: credential(address.password) }, clock })],
    };
  },
});
