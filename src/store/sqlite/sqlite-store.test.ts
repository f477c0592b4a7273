import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LedgerHandle, ledgerContract } from '../../core/budget/ledger.contract.ts';
import { openStore } from '../open-store.ts';
import { createHeldLedger } from '../runs/held-ledger.contract.ts';
import { stepsContract } from '../runs/steps.contract.ts';
import { storeContract } from '../store.contract.ts';
import type { Store } from '../store.ts';

function place() {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-store-'));
  const path = join(folder, 'sonde.db');
  return { path, remove: () => rmSync(folder, { recursive: true }) };
}

storeContract('SQLite', () => {
  const { path, remove } = place();
  return { open: (options) => openStore(path, options), remove };
});

storeContract('SQLite, unsynced', () => {
  const { path, remove } = place();
  return { open: (options) => openStore(path, { ...options, unsynced: true }), remove };
});

function ledgerAt(of: (store: Store) => LedgerHandle): LedgerHandle {
  const { path, remove } = place();
  const { ledger, close } = of(openStore(path));
  return {
    ledger,
    async close() {
      await close?.();
      remove();
    },
  };
}

ledgerContract("SQLite, of nobody's run", () =>
  ledgerAt((store) => ({ ledger: store.accounts, close: store.close })),
);
ledgerContract('SQLite, of a run that is held', () => ledgerAt(createHeldLedger));

stepsContract('SQLite', () => {
  const { path, remove } = place();
  return { open: (options) => openStore(path, options), remove };
});
