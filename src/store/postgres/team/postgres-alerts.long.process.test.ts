import { afterAll, beforeAll, describe } from 'vitest';
import { alertRecordsContract } from '../../alert-records.contract.ts';
import { openPostgres } from '../database.ts';
import { noPostgres, type TestPostgres, testPostgres } from '../postgres-server.contract.ts';
import { postgresAlerts } from './postgres-alerts.ts';

describe.skipIf(noPostgres() !== null)('alerts in PostgreSQL', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await testPostgres();
  });
  afterAll(() => postgres?.close());

  alertRecordsContract(async (clock) => {
    const here = postgres.fresh();
    const opened = [openPostgres(here), openPostgres(here)];
    return {
      records: postgresAlerts(opened[0]!, clock),
      again: () => postgresAlerts(opened[1]!, clock),
      async close() {
        for (const db of opened) await db.close();
      },
    };
  });
});
