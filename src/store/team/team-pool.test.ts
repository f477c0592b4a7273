/** A team's dollars: whatever runs draw, spend and lose, together they spend no more, and nothing stays held. */
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createRunId, systemClock } from '../../core/index.ts';
import { openDatabase, openStoreIn, type Store } from '../index.ts';
import { drawForRun, noDraw, type PoolState, settleDraw } from './team-pool.ts';
import { teamAccount } from './teams.ts';

async function storeWith(usd: number | null): Promise<Store> {
  const store = openStoreIn(openDatabase({ path: ':memory:', schemas: [] }));
  const limits = usd === null ? {} : { usd };
  await store.accounts.open({ id: teamAccount('red'), parent: null, limits, reserve: {} });
  return store;
}

/** A run with an account of its own, as `max_usd` limits it, that spends. */
async function spend(store: Store, run: string, usd: number): Promise<void> {
  await store.accounts.open({ id: run, parent: null, limits: {}, reserve: {} });
  await store.accounts.charge(run, { usd });
}

const balance = async (store: Store) => {
  const { spent, reserved } = await store.accounts.balance(teamAccount('red'));
  return { spent: spent.usd, held: reserved.usd };
};

const drawn = (state: PoolState | 'wait' | null): PoolState => {
  if (state === null || state === 'wait') throw new Error(`nothing was drawn: ${state}`);
  return state;
};

const nothing = async (): Promise<void> => {};
const draw = (run: string, wanted: number, keep = async (_: PoolState): Promise<void> => {}) => ({
  ...{ team: 'red', run, wanted, keep },
});

it('a run draws its part and returns what it does not spend', async () => {
  const store = await storeWith(10);
  const first = drawn(await drawForRun(store, draw('r1', 1), noDraw));
  expect(first).toEqual({ nth: 0, drawn: 1, settled: 0 });
  expect(await balance(store)).toEqual({ spent: 0, held: 1 });
  await spend(store, 'r1', 0.25);
  expect(await settleDraw(store, draw('r1', 1), first)).toEqual({ nth: 1, drawn: null, settled: 0.25 });
  expect(await balance(store)).toEqual({ spent: 0.25, held: 0 });
});

it('the next worker draws nothing again', async () => {
  const store = await storeWith(10);
  let kept: PoolState = noDraw;
  await drawForRun(
    store,
    draw('r1', 1, async (state) => {
      kept = state;
    }),
    noDraw,
  );
  expect(await drawForRun(store, draw('r1', 1), kept)).toEqual(kept);
  expect(await balance(store)).toEqual({ spent: 0, held: 1 });
});

it('a worker that died before it drew draws when it comes again, as much as there is by then', async () => {
  const store = await storeWith(1);
  const planned = { nth: 0, drawn: 1, settled: 0 };
  const other = drawn(await drawForRun(store, draw('r2', 0.75), noDraw));
  expect(await drawForRun(store, draw('r1', 1), planned)).toBe('wait');
  expect(await balance(store)).toEqual({ spent: 0, held: 0.75 });
  await spend(store, 'r2', 0.25);
  await settleDraw(store, draw('r2', 0.75), other);
  expect(await drawForRun(store, draw('r1', 1), planned)).toMatchObject({ drawn: 0.75 });
});

it('who has waited for long takes what there is', async () => {
  const store = await storeWith(1);
  await drawForRun(store, draw('r2', 0.75), noDraw);
  const now = { ...draw('r1', 1), now: true };
  expect(await drawForRun(store, now, noDraw)).toMatchObject({ drawn: 0.25 });
});

it('a job that is tried again draws for what is left of its own limit', async () => {
  const store = await storeWith(10);
  const first = drawn(await drawForRun(store, draw('r1', 1), noDraw));
  await spend(store, 'r1', 0.4);
  const ended = await settleDraw(store, draw('r1', 1), first);
  const again = drawn(await drawForRun(store, draw('r1', 1), ended));
  expect(again).toEqual({ nth: 1, drawn: 0.6, settled: 0.4 });
  await store.accounts.charge('r1', { usd: 0.1 });
  await settleDraw(store, draw('r1', 1), again);
  expect(await balance(store)).toEqual({ spent: 0.5, held: 0 });
});

it('a worker that died after it had settled settles nothing twice', async () => {
  const store = await storeWith(10);
  const first = drawn(await drawForRun(store, draw('r1', 1), noDraw));
  await spend(store, 'r1', 0.4);
  await settleDraw(store, draw('r1', 1), first);
  const again = drawn(await drawForRun(store, draw('r1', 1), first));
  expect(again).toEqual({ nth: 1, drawn: 0.6, settled: 0.4 });
  await settleDraw(store, draw('r1', 1), again);
  expect(await balance(store)).toEqual({ spent: 0.4, held: 0 });
});

it.each([
  ['without a limit', null, 'red'],
  ['that nobody has made', 5, 'blue'],
])('a team %s keeps nothing back', async (_name, usd, team) => {
  const store = await storeWith(usd);
  expect(await drawForRun(store, { ...draw('r1', 1), team }, noDraw)).toBeNull();
});

it('a budget ends exactly: 200 runs at once, random spending', async () => {
  const store = await storeWith(10);
  let seed = 7;
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  let spent = 0;
  const work = async (): Promise<void> => {
    for (let nth = 0; nth < 25; nth += 1) {
      const run = createRunId(systemClock.now());
      let state = await drawForRun(store, draw(run, 0.5, nothing), noDraw);
      for (; state === 'wait'; state = await drawForRun(store, draw(run, 0.5, nothing), noDraw))
        await setImmediate();
      const mine = drawn(state);
      const used = Math.round(mine.drawn! * (random() < 0.5 ? 1 : random()) * 1e6) / 1e6;
      await spend(store, run, used);
      spent += used;
      const { spent: now, held } = await balance(store);
      expect(now + held).toBeLessThanOrEqual(10 + 1e-9);
      await settleDraw(store, draw(run, 0.5), mine);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  const end = await balance(store);
  expect(end.held).toBe(0);
  expect(end.spent).toBeCloseTo(spent, 6);
  expect(end.spent).toBeCloseTo(10, 5);
});
