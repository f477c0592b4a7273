import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Ledger } from '../../core/index.ts';
import { openStore } from '../open-store.ts';
import type { Accounts } from '../store.ts';
import { countCommits } from './counted-commits.contract.ts';

let folder: string;
let counted: ReturnType<typeof countCommits>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-accounts-'));
  counted = countCommits();
});
afterEach(() => {
  counted.restore();
  rmSync(folder, { recursive: true });
});

const opened = () => openStore(join(folder, 'sonde.db'));
const amounts = { tokens: 1, calls: 1, usd: 1 };

async function commitsOf(work: () => unknown): Promise<number> {
  const before = counted.count();
  await work();
  return counted.count() - before;
}

function reserve(ledger: Pick<Accounts, 'reserve'> | Pick<Ledger, 'reserve'>, account: string, step: string) {
  return ledger.reserve({ account, key: { run: 'run-a', step, fence: 1 }, amounts });
}

it("what is nobody's is decided in one transaction, the first time too", async () => {
  const first = opened();
  await first.accounts.open({ id: 'team', parent: null, limits: {}, reserve: {} });
  await first.close();
  const store = opened();
  expect(await commitsOf(() => reserve(store.accounts, 'team', 'a'))).toBe(1);
  expect(await commitsOf(() => reserve(store.accounts, 'team', 'b'))).toBe(1);
  await store.close();
});

it("what is a run's own is decided in memory", async () => {
  const store = opened();
  await store.runs.create({ id: 'run-a', shape: 's', question: 'q', root: '/', params: {} });
  const lease = await store.runs.acquire('run-a');
  const ledger = store.ledger(lease);
  const work = () => {
    ledger.open({ id: 'run-a', parent: null, limits: {}, reserve: {} });
    ledger.open({ id: 'run-a/part', parent: 'run-a', limits: {}, reserve: {} });
    reserve(ledger, 'run-a/part', 'a');
  };
  expect(await commitsOf(work)).toBe(0);
  const before = counted.count();
  await store.commit(lease);
  expect(counted.count() - before).toBe(1);
  await store.close();
});
