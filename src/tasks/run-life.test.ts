import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LoggedEvent, manualClock, type RunEvent, type StopReason, zeroAmounts } from '../core/index.ts';
import { openPool } from '../core/pools.ts';
import { openDatabase, openStore, type Store } from '../store/index.ts';
import { type LifeSetting, type LifeWork, type LiveRun, runLife } from './run-life.ts';
import { readRunEnd, readRunRow } from './run-row.ts';

const heartbeatMs = 10_000;
const leaseMs = 30_000;
const terms = { limits: { tokens: 1_000, wall_ms: 600_000 }, reserve: { tokens: 100 } };
const draft = { id: 'run-a1', shape: 'digging', question: 'Where?', root: '/material', params: { depth: 3 } };

let clock = manualClock(1_700_000_000_000);
let endings: (() => void)[] = [];

beforeEach(() => {
  clock = manualClock(1_700_000_000_000);
  // The heart beats when told; all else keeps its own time.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
  for (const end of endings.reverse()) end();
  endings = [];
});

/** A place for a store that several workers open, with one run in it. */
async function bench(params: Readonly<Record<string, unknown>> = draft.params) {
  const directory = mkdtempSync(join(tmpdir(), 'sonde-run-life-'));
  endings.push(() => rmSync(directory, { recursive: true, force: true }));
  function open(): Store {
    const store = openStore(join(directory, 'sonde.db'), { clock, leaseMs });
    endings.push(() => store.close());
    return store;
  }
  const store = open();
  await store.runs.create({ ...draft, params });
  return { open, store };
}

const noted = (text: string): RunEvent => ({ kind: 'note', level: 'info', text });
const ending = (answer: string, stop_reason: StopReason = 'finalized') => ({
  result: {
    run_id: draft.id,
    status: 'unverified' as const,
    answer,
    citations: [],
    unsupported: [],
    confidence: null,
    stop_reason,
    model: 'scripted',
    spent: zeroAmounts,
    coverage: {
      files: 0,
      skipped: 0,
      searches: 0,
      files_read: 0,
      evidence: 0,
      completeness: 'complete' as const,
      notes: [],
    },
  },
});
type End = ReturnType<typeof ending>;

/** One life, with the work given; what the log then holds is read by another store. */
async function live(
  store: Store,
  work: LifeWork<End>['runWork'],
  more: Partial<LifeSetting & LifeWork<End>> = {},
) {
  const { loggedParams, ...setting } = more;
  return runLife(
    await store.runs.get(draft.id),
    { store, clock, ...setting },
    {
      budget: terms,
      runWork: work,
      readEnd: async (run) => ({ result: (await readRunEnd(store, run)).result }) as End,
      ...(loggedParams && { loggedParams }),
    },
  );
}

const kinds = async (store: Store) => (await store.events(draft.id)).map(({ event }) => event.kind);
const nothing = async () => ({ value: null });
const never = () => Promise.reject(new Error('the work began'));
const beat = () => vi.advanceTimersByTimeAsync(heartbeatMs);
const spent = async (store: Store) => (await store.accounts.balance(draft.id)).spent;

describe('a life of a run', () => {
  it('begins, works and ends, and the next one only says how', async () => {
    const { store } = await bench();
    const runs: string[] = [];
    const first = await live(
      store,
      async ({ tell, pool }) => {
        expect([tell('a', noted('a')), tell('a', noted('again'))]).toEqual([true, false]);
        clock.advance(50);
        pool.charge({ tokens: 7 });
        return ending('here');
      },
      { onRun: (run) => runs.push(run) },
    );
    expect(first.result.answer).toBe('here');
    expect(await live(store, never, { onRun: (run) => runs.push(run) })).toEqual(first);
    expect(runs).toEqual([draft.id, draft.id]);
    expect(await kinds(store)).toEqual(['run_started', 'note', 'run_finished']);
    expect((await store.events(draft.id))[0]?.event).toMatchObject({
      shape: 'digging',
      question: 'Where?',
      params: { depth: 3 },
      limits: terms.limits,
    });
    expect((await store.runs.get(draft.id)).status).toBe('finished');
    expect(await store.runs.isHeld(draft.id)).toBe(false);
    expect(await spent(store)).toMatchObject({ tokens: 7, wall_ms: 50 });
  });

  it('tells of the parameters what it was given to tell', async () => {
    const { store } = await bench();
    await live(store, async () => ending('here'), { loggedParams: { depth: 'deep' } });
    expect((await store.events(draft.id))[0]?.event).toMatchObject({ params: { depth: 'deep' } });
  });

  it('is heard: each event once, and not again in the next', async () => {
    const { store } = await bench();
    const heard: LoggedEvent[] = [];
    const onEvent = (event: LoggedEvent) => heard.push(event);
    const work = async ({ step, tell }: LiveRun) => {
      tell('a', noted('a'));
      tell('a', noted('again'));
      await step('first', { run: async () => ({ value: null, record: false }) });
      if (heard.length < 3) throw new Error('the process died');
      return ending('here');
    };
    await expect(live(store, work, { onEvent })).rejects.toThrow('the process died');
    await live(store, work, { onEvent });
    expect(heard).toEqual(await store.events(draft.id));
    expect(await kinds(store)).toEqual(['run_started', 'note', 'run_resumed', 'run_finished']);
  });

  it('is heard once what was written with it stands', async () => {
    const { store } = await bench();
    const beside = openDatabase({ path: store.path, schemas: [] });
    endings.push(() => beside.close());
    const isKept = 'SELECT 1 FROM events WHERE run = ? AND key = ?';
    const atOnce: string[] = [];
    function onEvent({ key, event }: LoggedEvent) {
      // What another connection sees was committed.
      atOnce.push(`${event.kind} ${beside.get(isKept, draft.id, key) !== undefined}`);
      if (event.kind === 'note') throw new Error('the listener failed');
    }
    const work = async ({ step }: LiveRun) => {
      await step('first', { run: async () => ({ value: null }) });
      await step('reply', {
        async run() {
          expect(atOnce).toEqual(['run_started true']);
          return { value: 'paid for', events: [['a', noted('a')]] };
        },
      });
      return ending('never comes');
    };
    await expect(live(store, work, { onEvent })).rejects.toThrow('the listener failed');
    expect(atOnce).toEqual(['run_started true', 'note true']);
    expect((await store.openRecorded(draft.id)).recall('reply')).toBe('paid for');
  });

  it('has no other beside it', async () => {
    const { open, store } = await bench();
    await live(store, async () => {
      await expect(live(open(), never)).rejects.toMatchObject({ code: 'run_state' });
      return ending('here');
    });
  });

  it('draws on the budget it is part of', async () => {
    const { store } = await bench();
    const above = { id: 'run-above', shape: 'digging', question: 'Why?', root: '/material', params: {} };
    const lease = await store.runs.acquire((await store.runs.create(above)).id);
    const pool = openPool(store.ledger(lease), {
      account: above.id,
      run: above.id,
      fence: lease.fence,
      limits: { tokens: 50 },
    });
    await live(
      store,
      async (life) => {
        expect(life.pool.remaining().tokens).toBe(50);
        life.pool.charge({ tokens: 20 });
        return ending('here');
      },
      { pool },
    );
    expect(pool.remaining().tokens).toBe(30);
  });
});

describe('a cancelled life', () => {
  it('gives what it has, and the run goes on in the next', async () => {
    const { store } = await bench();
    const stop = new AbortController();
    const first = await live(
      store,
      async ({ signal, lost }) => {
        stop.abort();
        expect([signal.aborted, lost.aborted]).toEqual([true, false]);
        return ending('so far', 'cancelled');
      },
      { signal: stop.signal },
    );
    expect(first.result.answer).toBe('so far');
    expect((await store.runs.get(draft.id)).status).toBe('running');
    expect(await store.runs.isHeld(draft.id)).toBe(false);
    await expect(readRunEnd(store, draft.id)).rejects.toThrow(`${draft.id} is not finished`);

    const second = await live(store, async () => ending('here'));
    expect(second.result.answer).toBe('here');
    expect(await kinds(store)).toEqual(['run_started', 'run_finished', 'run_resumed', 'run_finished']);
  });
});

describe('a crash', () => {
  /** The store, until it comes to `where`. */
  const dying = (store: Store, where: 'ledger' | 'finish'): Store => {
    const die = () => {
      throw new Error('the process died');
    };
    return where === 'ledger'
      ? { ...store, ledger: (lease) => ({ ...store.ledger(lease), open: die }) }
      : { ...store, runs: { ...store.runs, finish: die } };
  };

  it('between the start of the log and the pool loses nothing', async () => {
    const { store } = await bench();
    await expect(live(dying(store, 'ledger'), never)).rejects.toThrow('the process died');
    expect(await kinds(store)).toEqual(['run_started']);
    await live(store, async () => ending('here'));
    expect(await kinds(store)).toEqual(['run_started', 'run_resumed', 'run_finished']);
    expect((await store.runs.get(draft.id)).status).toBe('finished');
  });

  it('in the work leaves what was reserved spent, once, and told', async () => {
    const { store } = await bench();
    const work = async ({ pool }: LiveRun): Promise<End> => {
      pool.reserve('call', { tokens: 30 });
      clock.advance(5);
      throw new Error('the process died');
    };
    await expect(live(store, work)).rejects.toThrow('the process died');
    for (let life = 2; life <= 3; life += 1)
      await expect(live(store, () => Promise.reject(new Error('again')))).rejects.toThrow('again');
    await live(store, async () => ending('here'));
    expect(await spent(store)).toMatchObject({ tokens: 30, wall_ms: 5 });
    const resumed = (await store.events(draft.id)).flatMap(({ event }) =>
      event.kind === 'run_resumed' ? [event] : [],
    );
    expect(resumed.map(({ fence, recovered }) => [fence, recovered])).toEqual([
      [2, 1],
      [3, 0],
      [4, 0],
    ]);
  });

  it('on the way to the end leaves none, and the next life comes to its own', async () => {
    const { store } = await bench();
    const heard: string[] = [];
    const onEvent = ({ event }: LoggedEvent) => heard.push(event.kind);
    const first = live(dying(store, 'finish'), async () => ending('first'), { onEvent });
    await expect(first).rejects.toThrow('the process died');
    expect(await kinds(store)).toEqual(['run_started']);
    expect(heard).toEqual(['run_started']);
    expect((await store.runs.get(draft.id)).status).toBe('running');
    const second = await live(store, async () => ending('second'));
    expect((await store.runs.get(draft.id)).status).toBe('finished');
    expect(second.result.answer).toBe('second');
  });

  it('of an older Sonde, after the end was written and before it counted, changes nothing of it', async () => {
    const { store } = await bench();
    await live(store, async () => ending('so far', 'cancelled'));
    const lease = await store.runs.acquire(draft.id);
    store.log(lease).append('run-finished', { kind: 'run_finished', ...ending('first'), spent: zeroAmounts });
    await lease.release();
    const second = await live(store, async () => ending('second'));
    expect(second.result.answer).toBe('first');
    expect((await live(store, never)).result.answer).toBe('first');
  });
});

describe('the lease', () => {
  it('is kept, and the time worked written down, at every heartbeat', async () => {
    const { open, store } = await bench();
    const other = open();
    await live(store, async () => {
      for (let at = 1; at <= 5; at += 1) {
        clock.advance(heartbeatMs);
        await beat();
        expect((await spent(other)).wall_ms).toBe(at * heartbeatMs);
        expect(await other.runs.isHeld(draft.id)).toBe(true);
      }
      return ending('here');
    });
  });

  it('that is lost in the middle ends the life, which writes nothing more', async () => {
    const { open, store } = await bench();
    const other = open();
    let before: unknown;
    const over = live(store, async ({ step, tell, lost, signal }) => {
      tell('a', noted('a'));
      await step('first', { run: nothing });
      tell('not kept', noted('not kept'));
      clock.advance(leaseMs);
      await other.runs.acquire(draft.id);
      before = [await other.events(draft.id), await spent(other)];
      await beat();
      expect(signal.aborted).toBe(true);
      expect(lost.reason).toMatchObject({ code: 'lease_lost' });
      expect(await step('late', { run: nothing })).toEqual({ kind: 'cancelled' });
      expect(() => tell('late', noted('late'))).toThrow(expect.objectContaining({ code: 'lease_lost' }));
      clock.advance(1_000);
      return ending('late');
    });
    await expect(over).rejects.toMatchObject({ code: 'lease_lost' });
    expect([await other.events(draft.id), await spent(other)]).toEqual(before);
    expect((await other.openRecorded(draft.id)).recall('late')).toBeUndefined();
    expect(await other.runs.isHeld(draft.id)).toBe(true);
    expect((await other.runs.get(draft.id)).status).toBe('running');
  });

  it('whose loss a refused write tells of first does the same', async () => {
    const { open, store } = await bench();
    const other = open();
    let before: unknown;
    const over = live(store, async ({ step, tell }) => {
      await step('first', { run: nothing });
      clock.advance(leaseMs);
      await other.runs.acquire(draft.id);
      before = [await other.events(draft.id), await spent(other)];
      tell('late', noted('late'));
      return ending('late');
    });
    await expect(over).rejects.toMatchObject({ code: 'lease_lost' });
    expect([await other.events(draft.id), await spent(other)]).toEqual(before);
  });

  it('is not beaten for after the end', async () => {
    const { store } = await bench();
    await live(store, async () => ending('here'));
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('what a run records on its way', () => {
  it.each([
    ['is kept', {}, 1],
    ['is kept where that was asked for', { store_artifacts: true }, 1],
    ['goes once the run is finished, where that was asked for', { store_artifacts: false }, undefined],
  ])('%s', async (_, params, expected) => {
    const { store } = await bench(params);
    const stopped = await live(store, async ({ step }) => {
      await step('a', { run: async () => ({ value: 1 }) });
      return ending('so far', 'cancelled');
    });
    expect(stopped.result.answer).toBe('so far');
    expect((await store.openRecorded(draft.id)).recall('a')).toBe(1);
    await live(store, async () => ending('here'));
    expect((await store.openRecorded(draft.id)).recall('a')).toBe(expected);
    expect((await live(store, never)).result.answer).toBe('here');
  });
});

it('the row of a run is for its own shape', async () => {
  const { store } = await bench();
  expect((await readRunRow(store, 'run-a', 'digging')).id).toBe(draft.id);
  await expect(readRunRow(store, draft.id, 'research')).rejects.toThrow(
    `${draft.id} is a run of the shape digging, not research`,
  );
  await expect(readRunEnd(store, draft.id)).rejects.toThrow(expect.objectContaining({ code: 'run_state' }));
});
