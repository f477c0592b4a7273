import { expect, it } from 'vitest';
import { ledgerContract } from '../../core/budget/ledger.contract.ts';
import { manualClock, systemClock } from '../../core/index.ts';
import { openPool } from '../../core/pools.ts';
import { createStore } from '../create-store.ts';
import type { StoreOptions } from '../open-store.ts';
import { createHeldLedger } from '../runs/held-ledger.contract.ts';
import { stepsContract } from '../runs/steps.contract.ts';
import { storeContract } from '../store.contract.ts';
import type { Store } from '../store.ts';
import { type MemoryEngineOptions, memoryEngine, memoryTables } from './memory-engine.ts';

function place() {
  const here = memoryTables();
  return {
    open(
      { clock = systemClock, leaseMs = 30_000 }: StoreOptions = {},
      wire?: MemoryEngineOptions['wire'],
    ): Store {
      return createStore(memoryEngine(here, { clock, leaseMs, ...(wire && { wire }) }), clock);
    },
  };
}

storeContract('in memory', place);
stepsContract('in memory', place);
ledgerContract("in memory, of nobody's run", () => ({ ledger: place().open().accounts }));
ledgerContract('in memory, of a run that is held', () => createHeldLedger(place().open()));

const note = (text: string) => ({ kind: 'note', level: 'info', text }) as const;
const draft = { id: 'run-a', shape: 's', question: 'q', root: '/', params: {} };

it('what an engine kept before its answer was lost is sent again, and kept once', async () => {
  const { open } = place();
  const clock = manualClock(0);
  let lost: 'there' | 'back' | null = null;
  const store = open({ clock }, async (way) => {
    if (way === lost) throw new Error(`lost on the way ${way}`);
  });
  await store.runs.create(draft);
  const lease = await store.runs.acquire(draft.id);
  const pool = openPool(store.ledger(lease), { account: draft.id, run: draft.id, fence: lease.fence });
  for (const way of ['there', 'back'] as const) {
    const reply = pool.reserve(way, { tokens: 10 });
    store.journal(lease).record(way, 'said');
    store.log(lease).append(way, note(way));
    lost = way;
    await expect(store.commit(lease)).rejects.toThrow(`lost on the way ${way}`);
    // What is made meanwhile goes behind it.
    if (reply.kind === 'reserved') reply.settle({ tokens: 4 });
    store.log(lease).append(`${way}, then`, note('then'));
    await expect(store.commit(lease)).rejects.toThrow(`lost on the way ${way}`);
    lost = null;
    await store.commit(lease);
  }
  const other = open({ clock });
  expect((await other.events(draft.id)).map(({ seq, key }) => [seq, key])).toEqual([
    [1, 'there'],
    [2, 'there, then'],
    [3, 'back'],
    [4, 'back, then'],
  ]);
  expect((await other.openRecorded(draft.id)).recall('back')).toBe('said');
  const { spent, reserved } = await other.accounts.balance(draft.id);
  expect([spent.tokens, reserved.tokens]).toEqual([8, 0]);
});

it('one batch is under way at a time; what is made meanwhile goes with the next', async () => {
  const { open } = place();
  const gates: (() => void)[] = [];
  let gated = false;
  const store = open({}, async (way) => {
    if (gated && way === 'there') await new Promise<void>((resolve) => gates.push(resolve));
  });
  await store.runs.create(draft);
  const lease = await store.runs.acquire(draft.id);
  const other = open();
  const keys = async () => (await other.events(draft.id)).map(({ key }) => key);
  const arrived = async (at: number) => {
    while (gates.length < at) await new Promise((resolve) => setImmediate(resolve));
  };
  gated = true;
  store.log(lease).append('a', note('a'));
  const first = store.commit(lease);
  await arrived(1);
  store.log(lease).append('b', note('b'));
  const second = store.commit(lease);
  store.log(lease).append('c', note('c'));
  gates[0]!();
  // The second takes all there is when its turn comes.
  expect(await first).toBe(1);
  expect(await keys()).toEqual(['a']);
  await arrived(2);
  gates[1]!();
  expect(await second).toBe(3);
  expect(await keys()).toEqual(['a', 'b', 'c']);
});
