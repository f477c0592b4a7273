import { afterAll, beforeAll, describe } from 'vitest';
import { type LedgerHandle, ledgerContract } from '../../core/budget/ledger.contract.ts';
import { createHeldLedger } from '../runs/held-ledger.contract.ts';
import { stepsContract } from '../runs/steps.contract.ts';
import { type StorePlace, storeContract } from '../store.contract.ts';
import type { Store } from '../store.ts';
import { noPostgres, type TestPostgres, testPostgres } from './postgres-server.contract.ts';
import { openPostgresStore } from './runs/postgres-engine.ts';

const missing = noPostgres();

describe.skipIf(missing !== null)('PostgreSQL', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await testPostgres();
  });
  afterAll(() => postgres?.close());

  function place(): StorePlace {
    const here = postgres.fresh();
    return {
      open({ clock, leaseMs = 30_000 } = {}) {
        return openPostgresStore({ ...here, leaseMs, ...(clock && { clock, leaseClock: clock }) });
      },
    };
  }

  function ledgerAt(of: (store: Store) => LedgerHandle): LedgerHandle {
    return of(place().open());
  }

  storeContract('PostgreSQL', place);
  stepsContract('PostgreSQL', place);
  ledgerContract("PostgreSQL, of nobody's run", () =>
    ledgerAt((store) => ({ ledger: store.accounts, close: store.close })),
  );
  ledgerContract('PostgreSQL, of a run that is held', () => ledgerAt(createHeldLedger));
});
