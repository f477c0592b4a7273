/** What the steps of every store must do. An engine's own test calls it with a factory of places. */
import { afterEach, describe, expect, it } from 'vitest';
import { type Amounts, manualClock, type Pool, type RunEvent, type StepDone } from '../../core/index.ts';
import { openPool } from '../../core/pools.ts';
import type { StorePlace } from '../store.contract.ts';
import type { Lease, Store } from '../store.ts';
import { openSteps } from './steps.ts';

const note = (text: string): RunEvent => ({ kind: 'note', level: 'info', text });
const run = 'run-a1';
const cost = { tokens: 100, calls: 1 };

export function stepsContract(name: string, place: () => StorePlace): void {
  let endings: (() => void)[] = [];
  afterEach(() => {
    for (const end of endings.reverse()) end();
    endings = [];
  });

  interface Lives {
    readonly store: Store;
    /** Ends the life before, as a crash does, and begins the next. */
    life(stop?: AbortSignal): Promise<Alive>;
  }
  interface Alive {
    readonly step: ReturnType<typeof openSteps>;
    readonly pool: Pool;
    readonly lease: Lease;
    readonly commits: () => number;
    /** What another process finds. */
    readStored(): Promise<{ readonly events: readonly string[]; recall(key: string): unknown }>;
  }

  async function setUp(limits: Amounts = {}): Promise<Lives> {
    const clock = manualClock(1_700_000_000_000);
    const here = place();
    endings.push(() => here.remove?.());
    const store = here.open({ clock, leaseMs: 1000 });
    endings.push(() => store.close());
    await store.runs.create({ id: run, shape: 'research', question: 'why?', root: '/', params: {} });
    return {
      store,
      async life(stop = new AbortController().signal) {
        clock.advance(2000);
        const lease = await store.runs.acquire(run);
        store.ledger(lease).recover(run, lease.fence);
        const pool = openPool(store.ledger(lease), { account: run, run, fence: lease.fence, limits, clock });
        let commits = 0;
        const step = openSteps({
          journal: store.journal(lease),
          log: store.log(lease),
          pool,
          atomic: store.atomic,
          async commit() {
            commits += 1;
            await store.commit(lease);
          },
          signal: stop,
        });
        const readStored = async () => ({
          events: (await store.events(run)).map(({ key }) => key),
          recall: (await store.openRecorded(run)).recall,
        });
        return { step, pool, lease, commits: () => commits, readStored };
      },
    };
  }

  const gives =
    <Value>(value: Value, more: Partial<StepDone<Value>> = {}) =>
    async () => ({ value, ...more });
  const never = () => Promise.reject(new Error('it was to be recalled'));

  describe(`steps: ${name}`, () => {
    it('records, settles and tells what came of it, once', async () => {
      const { life } = await setUp();
      const { step, pool, readStored } = await life();
      const done = await step('ask', {
        cost,
        startEvent: note('asked'),
        run: gives(
          { text: 'because' },
          { spent: { tokens: 60, calls: 1 }, events: [['ask/told', note('said')]] },
        ),
      });
      expect(done).toEqual({ kind: 'done', value: { text: 'because' }, recalled: false });
      expect(pool.spent()).toMatchObject({ tokens: 60, calls: 1 });
      expect((await readStored()).events).toEqual(['ask/begun', 'ask/told']);
      const again = await step('ask', { cost, startEvent: note('asked'), run: never });
      expect(again).toEqual({ kind: 'done', value: { text: 'because' }, recalled: true });
      const { step: later, pool: same } = await life();
      expect(await later('ask', { cost, run: never })).toEqual(again);
      expect(same.spent()).toMatchObject({ tokens: 60, calls: 1 });
    });

    it('gives the first time what JSON holds, as every later time', async () => {
      const { step } = await (await setUp()).life();
      const value = { at: new Date(0), none: undefined, list: [undefined] };
      const stands = { at: '1970-01-01T00:00:00.000Z', list: [null] };
      expect(await step('a', { run: gives(value as unknown) })).toMatchObject({ value: stands });
      expect(await step('b', { run: gives(undefined as unknown) })).toMatchObject({ value: null });
      expect(await step('b', { run: never })).toMatchObject({ value: null, recalled: true });
    });

    it('the first record stands where one key is worked on twice at once', async () => {
      const { step, readStored } = await (await setUp()).life();
      const both = await Promise.all([step('a', { run: gives(1) }), step('a', { run: gives(2) })]);
      expect(both.map((each) => each.kind === 'done' && each.value)).toEqual([1, 1]);
      expect((await readStored()).recall('a')).toBe(1);
    });

    it('is not begun once the run is stopped, and what is known is known all the same', async () => {
      const { life } = await setUp();
      await (await life()).step('known', { run: gives(1) });
      const { step, pool, readStored } = await life(AbortSignal.abort());
      expect(await step('known', { run: never })).toMatchObject({ value: 1, recalled: true });
      expect(await step('new', { cost, startEvent: note('asked'), run: never })).toEqual({
        kind: 'cancelled',
      });
      expect([pool.spent().tokens, (await readStored()).events]).toEqual([0, []]);
    });

    it('what an end is made of is run and kept although the run was stopped', async () => {
      const { step, readStored } = await (await setUp()).life(AbortSignal.abort());
      const end = await step('end', {
        evenIfStopped: true,
        run: async (signal) => ({
          value: signal.aborted ? 'stopped' : 'told',
          events: [['told', note('x')]],
        }),
      });
      expect(end).toMatchObject({ kind: 'done', value: 'told' });
      expect([(await readStored()).recall('end'), (await readStored()).events]).toEqual(['told', ['told']]);
      const bug = step('bug', { evenIfStopped: true, run: () => Promise.reject(new RangeError('a bug')) });
      await expect(bug).rejects.toThrow('a bug');
    });

    it.each([
      ['is lost, and paid for', {}, { kind: 'cancelled' }, undefined, []],
      [
        'is kept where it says so',
        { keepIfCancelled: true },
        { kind: 'done', value: 'late', recalled: false },
        'late',
        ['a/told'],
      ],
    ] as const)(
      'what came of a step that was stopped meanwhile %s',
      async (_what, more, end, recorded, events) => {
        const stop = new AbortController();
        const { step, pool, readStored } = await (await setUp()).life(stop.signal);
        const came = await step('a', {
          cost,
          async run(signal) {
            stop.abort();
            expect(signal.aborted).toBe(true);
            return { value: 'late', spent: { tokens: 7 }, events: [['a/told', note('late')]], ...more };
          },
        });
        expect(came).toEqual(end);
        expect([pool.spent().tokens, (await readStored()).recall('a'), (await readStored()).events]).toEqual([
          7,
          recorded,
          events,
        ]);
      },
    );

    it('a step that throws because it was stopped is cancelled, at its full reservation', async () => {
      const stop = new AbortController();
      const { step, pool } = await (await setUp()).life(stop.signal);
      const came = step('a', {
        cost,
        async run(signal) {
          stop.abort();
          throw signal.reason;
        },
      });
      expect(await came).toEqual({ kind: 'cancelled' });
      expect(pool.spent().tokens).toBe(100);
    });

    it('records nothing of what was thrown, and settles at the reservation', async () => {
      const { life } = await setUp();
      const { step, pool, readStored } = await life();
      const died = step('a', {
        cost,
        startEvent: note('asked'),
        run: () => Promise.reject(new Error('it died')),
      });
      await expect(died).rejects.toThrow('it died');
      expect(pool.spent()).toMatchObject({ tokens: 100, calls: 1 });
      expect([(await readStored()).recall('a'), (await readStored()).events]).toEqual([
        undefined,
        ['a/begun'],
      ]);
      // The same step again, in this life and in the next.
      expect(await step('a', { cost, run: gives(1, { spent: { tokens: 5 } }) })).toMatchObject({ value: 1 });
      expect(pool.spent().tokens).toBe(105);
    });

    it('settles at the reservation where nobody knows the cost, and at nothing where nothing was spent', async () => {
      const { step, pool } = await (await setUp()).life();
      await step('a', { cost, run: gives(1, { spent: 'unknown' }) });
      await step('b', { cost, run: gives(1) });
      expect(pool.spent()).toMatchObject({ tokens: 100, calls: 1 });
    });

    it('records that it could not be paid, so that a later life goes the same way', async () => {
      const { life } = await setUp({ tokens: 150 });
      const { step, pool } = await life();
      await step('a', { cost, run: gives(1, { spent: 'unknown' }) });
      const end = { kind: 'exhausted', resource: 'tokens', limit: 150, spent: 100, requested: 100 };
      expect(await step('b', { cost, run: never })).toMatchObject(end);
      pool.relimit({ tokens: 1000 });
      expect(await step('b', { cost, run: never })).toMatchObject(end);
      const { step: later } = await life();
      expect(await later('b', { cost, run: never })).toMatchObject(end);
    });

    it('asks for less where less will do', async () => {
      const { step, pool } = await (await setUp({ tokens: 150 })).life();
      const asked: number[] = [];
      await step('a', { cost, run: gives(1, { spent: 'unknown' }) });
      const done = await step('b', {
        cost,
        smallerRequest: ({ limit, spent, held }) => ({ tokens: limit - spent - held }),
        startEvent: ({ tokens = 0 }) => note(`asked for ${asked.push(tokens)}`),
        run: gives(2, { spent: 'unknown' }),
      });
      expect(done).toMatchObject({ value: 2 });
      expect([asked, pool.spent().tokens]).toEqual([[50], 150]);
    });

    it('may take another step to find out what less would do', async () => {
      const { step, pool, readStored } = await (await setUp({ tokens: 150 })).life();
      await step('a', { cost, run: gives(1, { spent: { tokens: 60 } }) });
      const done = await step('b', {
        cost,
        async smallerRequest() {
          const sample = await step('b/sample', {
            cost: { tokens: 10 },
            run: gives(30, { spent: { tokens: 5 } }),
          });
          return sample.kind === 'done' ? { tokens: sample.value } : null;
        },
        run: gives(2, { spent: 'unknown' }),
      });
      expect(done).toMatchObject({ value: 2 });
      expect([pool.spent().tokens, (await readStored()).recall('b/sample')]).toEqual([95, 30]);
    });

    it('is paid by a pool below that of the run, and met again as any other', async () => {
      const { life } = await setUp({ tokens: 150 });
      const { step, pool } = await life();
      const below = pool.child('part', { limits: { tokens: 50 } });
      expect(await step('a', { cost, pool: below, run: never })).toMatchObject({
        kind: 'exhausted',
        account: `${run}/part`,
      });
      const paid = { cost: { tokens: 40 }, pool: below };
      expect(await step('b', { ...paid, run: gives(1, { spent: { tokens: 30 } }) })).toMatchObject({
        value: 1,
      });
      expect([below.spent().tokens, pool.spent().tokens]).toEqual([30, 30]);
      expect(await (await life()).step('b', { run: never })).toMatchObject({ value: 1, recalled: true });
    });

    it('what is cheap is kept with the next commit, in order', async () => {
      const { store, life } = await setUp();
      const { step, commits, readStored, lease } = await life();
      await step('cheap', {
        deferCommit: true,
        cost: { steps: 1 },
        run: gives(1, { events: [['told', note('x')]] }),
      });
      expect([commits(), (await readStored()).recall('cheap'), (await readStored()).events]).toEqual([
        0,
        undefined,
        [],
      ]);
      expect(await step('cheap', { run: never })).toMatchObject({ value: 1, recalled: true });
      await store.commit(lease);
      expect([(await readStored()).recall('cheap'), (await readStored()).events]).toEqual([1, ['told']]);
    });

    it('waits for those that hold what is short, or until the run is stopped', async () => {
      const stop = new AbortController();
      const { step, pool } = await (await setUp({ tokens: 150 })).life(stop.signal);
      const held = pool.reserve('other', { tokens: 100 });
      if (held.kind !== 'reserved') throw new Error('the pool is too small');
      const order: string[] = [];
      const waiting = step('a', {
        cost,
        async run() {
          order.push('run');
          return { value: 1 };
        },
      });
      await Promise.resolve();
      order.push('given back');
      held.release();
      expect(await waiting).toMatchObject({ value: 1 });
      expect(order).toEqual(['given back', 'run']);
      pool.reserve('other', { tokens: 100 });
      const stopped = step('b', { cost, run: never });
      stop.abort();
      expect(await stopped).toEqual({ kind: 'cancelled' });
    });

    it('that waits for nobody is refused what others hold', async () => {
      const { step, pool } = await (await setUp({ tokens: 150 })).life();
      pool.reserve('other', { tokens: 100 });
      expect(await step('a', { cost, waits: false, run: never })).toMatchObject({ kind: 'exhausted' });
    });

    it('a failure that may pass is paid and told, and tried again under the same key', async () => {
      const { life } = await setUp();
      const { step, pool, readStored } = await life();
      const failed = {
        value: 'away',
        spent: { tokens: 3 },
        record: false,
        events: [['a/1', note('away')]],
      } as const;
      expect(await step('a', { cost, run: async () => failed })).toMatchObject({
        value: 'away',
        recalled: false,
      });
      expect([pool.spent().tokens, (await readStored()).recall('a'), (await readStored()).events]).toEqual([
        3,
        undefined,
        ['a/1'],
      ]);
      expect(await step('a', { cost, run: gives('here', { spent: { tokens: 9 } }) })).toMatchObject({
        value: 'here',
      });
      expect(pool.spent().tokens).toBe(12);
      expect(await (await life()).step('a', { cost, run: never })).toMatchObject({ value: 'here' });
    });

    it('may use what is kept for the end where it is final', async () => {
      const { store, life } = await setUp({ tokens: 150 });
      const { lease, pool: above } = await life();
      const pool = above.child('kept', { limits: { tokens: 150 }, reserve: { tokens: 100 } });
      const step = openSteps({
        journal: store.journal(lease),
        log: store.log(lease),
        pool,
        atomic: store.atomic,
        commit: async () => void (await store.commit(lease)),
        signal: new AbortController().signal,
      });
      expect(await step('a', { cost, run: never })).toMatchObject({ kind: 'exhausted' });
      expect(await step('b', { cost, final: true, run: gives(1) })).toMatchObject({ value: 1 });
    });

    it('ends with its time, and with that of its pool', async () => {
      const { step } = await (await setUp({ wall_ms: 1_000_000 })).life();
      const waitForAbort = (signal: AbortSignal) =>
        new Promise<StepDone<string>>((resolve) =>
          signal.addEventListener('abort', () => resolve({ value: (signal.reason as Error).name })),
        );
      expect(await step('a', { timeout: 1, run: waitForAbort })).toMatchObject({ value: 'TimeoutError' });
    });

    it('commits before what may be billed is sent, and not for what costs steps alone', async () => {
      const { step, commits } = await (await setUp()).life();
      const at: number[] = [];
      const look = async () => {
        at.push(commits());
        return { value: null };
      };
      await step('free', { run: look });
      await step('steps', { cost: { steps: 1 }, run: look });
      await step('billed', { cost, run: look });
      expect([at, commits()]).toEqual([[0, 1, 3], 4]);
    });

    it('a worker whose lease is lost records, settles and tells nothing', async () => {
      const { life, store } = await setUp();
      const { step } = await life();
      let taken: Alive | undefined;
      const late = step('a', {
        cost,
        async run() {
          taken = await life();
          return { value: 'late', spent: { tokens: 1 }, events: [['a/told', note('late')]] };
        },
      });
      await expect(late).rejects.toMatchObject({ code: 'lease_lost' });
      expect((await taken?.readStored())?.recall('a')).toBeUndefined();
      expect((await taken?.readStored())?.events).toEqual([]);
      expect((await store.accounts.balance(run)).unknown.tokens).toBe(100);
    });
  });
}
