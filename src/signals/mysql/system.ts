import { keySetting } from '../../core/setting.ts';
import { readTrust, tlsSettings } from '../http-reach.ts';
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
    ...tlsSettings('mysql', 'MySQL'),
  },
  async open(values, ports) {
    const { mysql_login: login } = values;
    const { clock, credential } = ports;
    if (login === undefined) return null;
    const { openMysql, mysqlAddress, withTrust } = await import('./mysql.ts');
    const address = withTrust(mysqlAddress(login.reveal()), readTrust('mysql', values, ports));
    return {
      signals: [openMysql({ address: { ...address, password: credential(address.password) }, clock })],
    };
  },
});
