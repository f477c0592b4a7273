import { afterAll, beforeAll, describe } from 'vitest';
import { auditContract } from '../../audit.contract.ts';
import { openPostgres } from '../database.ts';
import { noPostgres, type TestPostgres, testPostgres } from '../postgres-server.contract.ts';
import { openPostgresStore } from '../runs/postgres-engine.ts';
import { openPostgresSessions } from '../sessions/postgres-sessions.ts';
import { openPostgresAudit } from './postgres-audit.ts';

describe.skipIf(noPostgres() !== null)('PostgreSQL', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await testPostgres();
  });
  afterAll(() => postgres?.close());

  auditContract('PostgreSQL', async () => {
    const here = postgres.fresh();
    const [store, sessions] = [openPostgresStore(here), openPostgresSessions(here)];
    const [audit, db] = [openPostgresAudit(here), openPostgres({ ...here, maxConnections: 1 })];
    return {
      ...{ store, sessions, audit },
      async tryRawSql(text) {
        await db.ask({ name: text, text, values: [] });
      },
      async close() {
        await Promise.all([store.close(), sessions.close(), audit.close(), db.close()]);
      },
    };
  });
});
