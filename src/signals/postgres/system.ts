import { keySetting } from '../../core/setting.ts';
import { defineSystem } from '../system.ts';

export const system = defineSystem({
  name: 'postgres',
  title: 'PostgreSQL',
  offers: 'connections, locks, costly statements, tables and replication, as they are now',
  settings: {
    postgres_login: keySetting(
      'PostgreSQL to look at, read only: postgres://user:password@host:5432/database',
      'SONDE_POSTGRES',
    ),
  },
  async open({ postgres_login: login }, { clock, credential }) {
    if (login === undefined) return null;
    const { openPostgres, postgresAddress } = await import('./postgres.ts');
    const address = postgresAddress(login.reveal());
    return {
      signals: [openPostgres({ address: { ...address, password: credential(address.password) }, clock })],
    };
  },
});
