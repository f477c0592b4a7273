import { afterAll, beforeAll, describe } from 'vitest';
import { thisProcess } from '../../holder.ts';
import { queueContract } from '../../queue/queue.contract.ts';
import { sessionsContract } from '../../sessions/sessions.contract.ts';
import { openPostgres, type PostgresDatabase } from '../database.ts';
import { noPostgres, type TestPostgres, testPostgres } from '../postgres-server.contract.ts';
import { postgresQueue } from '../queue/postgres-queue.ts';
import { openPostgresSessions } from './postgres-sessions.ts';

const missing = noPostgres();

describe.skipIf(missing !== null)('PostgreSQL', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await testPostgres();
  });
  afterAll(() => postgres?.close());

  sessionsContract('PostgreSQL', () => {
    const here = postgres.fresh();
    return {
      open: ({ clock, leaseMs = 30_000 } = {}) =>
        openPostgresSessions({ ...here, leaseMs, ...(clock && { clock, leaseClock: clock }) }),
      remove() {},
    };
  });

  queueContract('PostgreSQL', () => {
    const here = postgres.fresh();
    const opened: PostgresDatabase[] = [];
    return {
      open({ dead = false, ...options }) {
        const holder = dead ? { ...thisProcess(), started: '1' } : thisProcess();
        const db = openPostgres({ ...here, maxConnections: 2 });
        opened.push(db);
        return postgresQueue(db, { ...options, holder });
      },
      async remove() {
        await Promise.all(opened.map((db) => db.close()));
      },
    };
  });
});
