import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ledgerContract } from '../core/ledger.contract.ts';
import { openStore } from './open-store.ts';
import { stepsContract } from './steps.contract.ts';
import { storeContract } from './store.contract.ts';

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

ledgerContract('SQLite', () => {
  const { path, remove } = place();
  const store = openStore(path);
  return {
    ledger: store.ledger,
    async close() {
      await store.close();
      remove();
    },
  };
});

stepsContract('SQLite', () => {
  const { path, remove } = place();
  return { open: (options) => openStore(path, options), remove };
});
