/**
 * What every store must do. An engine's own test calls `storeContract` with a factory of places: each place is
 * a fresh store that can be opened several times, as several processes would.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { type ErrorCode, isSondeError, manualClock, type RunEvent } from '../core/index.ts';
import { openPool } from '../core/pools.ts';
import { thisProcess } from './holder.ts';
import type { StoreOptions } from './open-store.ts';
import type { Lease, RunRow, Store } from './store.ts';

export interface StorePlace {
  open(options?: StoreOptions): Store;
  remove?(): void;
}

const leaseMs = 1000;

const draft = {
  id: 'run-a1',
  shape: 'research',
  question: 'Where are sessions signed? ünïcode ✓',
  root: '/srv/material',
  params: { steps: 10, scope: null, nested: { list: [1, 'two'] } },
};

const note = (text: string): RunEvent => ({ kind: 'note', level: 'info', text });

export function storeContract(name: string, place: () => StorePlace): void {
  let endings: (() => void)[] = [];

  afterEach(() => {
    for (const end of endings.reverse()) end();
    endings = [];
  });

  /** A fresh place, its clock, and a first store opened there. */
  function setUp() {
    const clock = manualClock(1_700_000_000_000);
    const here = place();
    endings.push(() => here.remove?.());
    function open(): Store {
      const store = here.open({ clock, leaseMs });
      endings.push(() => store.close());
      return store;
    }
    return { clock, open, store: open() };
  }

  async function startRun() {
    const all = setUp();
    await all.store.runs.create(draft);
    const lease = await all.store.runs.acquire(draft.id);
    return { ...all, lease, log: all.store.log(lease), journal: all.store.journal(lease) };
  }

  describe(`store: ${name}`, () => {
    describe('runs', () => {
      it('are kept as they were created', async () => {
        const { clock, open, store } = setUp();
        const row: RunRow = { ...draft, status: 'running', created: clock.now(), updated: clock.now() };
        expect(await store.runs.create(draft)).toEqual(row);
        expect(await open().runs.get(draft.id)).toEqual(row);
      });

      it('are listed, newest first', async () => {
        const { clock, store } = setUp();
        for (const id of ['b', 'a', 'c']) {
          await store.runs.create({ ...draft, id });
          clock.advance(1);
        }
        expect((await store.runs.list()).map(({ id }) => id)).toEqual(['c', 'a', 'b']);
        expect((await store.runs.list(1)).map(({ id }) => id)).toEqual(['c']);
      });

      it('are found by an unambiguous beginning of their id', async () => {
        const { store } = setUp();
        for (const id of ['run-a1', 'run-a11', 'run-b%']) await store.runs.create({ ...draft, id });
        expect((await store.runs.get('run-a1')).id).toBe('run-a1');
        expect((await store.runs.get('run-b')).id).toBe('run-b%');
        await expectRefusal('bad_argument', () => store.runs.get('run-'));
        for (const id of ['run-c', 'run-_1', '', '%'])
          await expectRefusal('not_found', () => store.runs.get(id));
        await expectRefusal('not_found', () => store.runs.acquire('run-c'));
      });

      it('cannot take the id of another', async () => {
        const { store } = setUp();
        await store.runs.create(draft);
        await expectRefusal('run_state', () => store.runs.create({ ...draft, question: 'another' }));
        expect((await store.runs.get(draft.id)).question).toBe(draft.question);
      });

      it('begin with their lease, many at once, each by itself', async () => {
        const { clock, open, store } = setUp();
        await store.runs.create({ ...draft, id: 'taken' });
        const ids = ['c', 'a', 'taken', 'b'];
        const begun = await Promise.allSettled(ids.map((id) => store.runs.begin({ ...draft, id })));
        expect(begun.map(({ status }) => status)).toEqual([
          'fulfilled',
          'fulfilled',
          'rejected',
          'fulfilled',
        ]);
        expect(begun[2]).toMatchObject({ reason: { code: 'run_state' } });
        const other = open();
        for (const [n, one] of begun.entries()) {
          if (one.status === 'rejected') continue;
          const { row, lease } = one.value;
          expect(row).toEqual({
            ...draft,
            id: ids[n],
            status: 'running',
            created: clock.now(),
            updated: clock.now(),
          });
          expect(await other.runs.get(row.id)).toEqual(row);
          expect(lease).toMatchObject({ run: row.id, fence: 1 });
          await expectRefusal('run_state', () => other.runs.acquire(row.id));
          store.log(lease).append('a', note(row.id));
          await lease.release();
          expect(await other.runs.acquire(row.id)).toMatchObject({ fence: 2 });
          expect(await other.events(row.id)).toMatchObject([{ key: 'a' }]);
        }
        expect(await other.runs.isHeld('taken')).toBe(false);
      });

      it('begin with what their accounts held before', async () => {
        const { store } = setUp();
        await store.accounts.open({ id: draft.id, parent: null, limits: { tokens: 100 }, reserve: {} });
        await store.accounts.reserve({
          account: draft.id,
          key: { run: draft.id, step: 'before', fence: 1 },
          amounts: { tokens: 30 },
        });
        const { lease } = await store.runs.begin(draft);
        const ledger = store.ledger(lease);
        expect(ledger.balance(draft.id)).toMatchObject({ reserved: { tokens: 30 } });
        await expectRefusal('pool_misuse', () => store.accounts.charge(draft.id, { tokens: 1 }));
      });

      it('change with their log, and finish', async () => {
        const { clock, log, lease, store } = await startRun();
        clock.advance(5);
        log.append('a', note('a'));
        await store.commit(lease);
        expect(await store.runs.get(draft.id)).toMatchObject({ status: 'running', updated: clock.now() });
        clock.advance(5);
        store.runs.finish(draft.id, lease);
        await store.commit(lease);
        expect(await store.runs.get(draft.id)).toMatchObject({ status: 'finished', updated: clock.now() });
      });
    });

    describe('leases', () => {
      it('are held by one worker at a time, in any process', async () => {
        const { lease, open, store } = await startRun();
        const other = open();
        expect([await store.runs.isHeld(draft.id), await other.runs.isHeld(draft.id)]).toEqual([true, true]);
        await expectRefusal('run_state', () => other.runs.acquire(draft.id));
        await expectRefusal('run_state', () => store.runs.acquire(draft.id));
        await lease.release();
        expect(await other.runs.isHeld(draft.id)).toBe(false);
        expect((await other.runs.acquire(draft.id)).fence).toBe(lease.fence + 1);
      });

      it('name who holds them', async () => {
        const { clock, lease, open, store } = await startRun();
        expect(await open().runs.holder(draft.id)).toEqual(thisProcess());
        await lease.release();
        expect(await store.runs.holder(draft.id)).toBeNull();
        await store.runs.acquire(draft.id);
        clock.advance(leaseMs);
        expect(await open().runs.holder(draft.id)).toBeNull();
      });

      it('are given back by the store that closes', async () => {
        const { open, store, lease } = await startRun();
        const other = open();
        await store.close();
        expect((await other.runs.acquire(draft.id)).fence).toBe(lease.fence + 1);
      });

      it('last as long as they are renewed', async () => {
        const { clock, lease, open } = await startRun();
        const other = open();
        for (let i = 0; i < 3; i += 1) {
          clock.advance(leaseMs - 1);
          await expectRefusal('run_state', () => other.runs.acquire(draft.id));
          await lease.renew();
        }
        clock.advance(leaseMs);
        expect(await other.runs.isHeld(draft.id)).toBe(false);
        expect((await other.runs.acquire(draft.id)).fence).toBe(lease.fence + 1);
      });

      it('can be renewed late while nobody has taken over', async () => {
        const { clock, lease, open } = await startRun();
        clock.advance(leaseMs * 10);
        await lease.renew();
        await expectRefusal('run_state', () => open().runs.acquire(draft.id));
      });
    });

    type Write = [what: string, write: (store: Store, lease: Lease) => unknown];
    const fenced: readonly Write[] = [
      ['log', (store, lease) => store.log(lease).append('late', note('late'))],
      ['log what is there already', (store, lease) => store.log(lease).append('first', note('first'))],
      ['record', (store, lease) => store.journal(lease).record('late', 1)],
      ['record what is there already', (store, lease) => store.journal(lease).record('first', 2)],
      [
        'keep a snapshot',
        (store, lease) => store.snapshots(lease).save('root', { cells: 1, bytes: Uint8Array.of(1) }),
      ],
      ['drop a snapshot', (store, lease) => store.snapshots(lease).drop('root')],
      ['finish', (store, lease) => store.runs.finish(draft.id, lease)],
      ['renew', (_store, lease) => lease.renew()],
    ];
    const reserve: Write = [
      'reserve',
      (store, lease) => {
        const { run, fence } = lease;
        const pool = openPool(store.ledger(lease), { account: run, run, fence });
        return pool.reserve('late', { tokens: 1 });
      },
    ];

    describe('a worker whose lease is lost', () => {
      it.each([...fenced, reserve])('can no longer %s', async (_what, write) => {
        const { clock, lease, open, store, log, journal } = await startRun();
        log.append('first', note('first'));
        journal.record('first', 1);
        await store.commit(lease);
        clock.advance(leaseMs);
        const other = open();
        const taken = await other.runs.acquire(draft.id);
        const late = async () => {
          await write(store, lease);
          await store.commit(lease);
        };
        await expect(late()).rejects.toMatchObject({ code: 'lease_lost' });
        await expect(late()).rejects.toMatchObject({ code: 'lease_lost' });
        expect(await other.events(draft.id)).toHaveLength(1);
        expect((await other.openRecorded(draft.id)).recall('late')).toBeUndefined();
        expect((await other.runs.get(draft.id)).status).toBe('running');
        await lease.release();
        expect(await other.runs.isHeld(draft.id)).toBe(true);
        await write(other, taken);
        await other.commit(taken);
      });

      it.each(fenced)('can no longer %s after giving it back', async (_what, write) => {
        const { lease, store } = await startRun();
        await lease.release();
        await lease.release();
        const late = async () => {
          await write(store, lease);
          await store.commit(lease);
        };
        await expect(late()).rejects.toMatchObject({ code: 'lease_lost' });
      });
    });

    describe('the log', () => {
      it('numbers events from 1 and keeps when they came', async () => {
        const { clock, lease, log, store, open } = await startRun();
        const at = clock.now();
        expect(log.append('a', note('é\0\n'))).toBe(true);
        clock.advance(7);
        expect(log.append('b', note('b'))).toBe(true);
        const events = [
          { seq: 1, at, key: 'a', event: note('é\0\n') },
          { seq: 2, at: at + 7, key: 'b', event: note('b') },
        ];
        expect(log.read()).toEqual(events);
        expect(log.read(1)).toEqual(events.slice(1));
        expect(await store.commit(lease)).toBe(2);
        expect(await open().events(draft.id)).toEqual(events);
        expect(await store.events('run-none')).toEqual([]);
        expect(await open().lastEvent(draft.id)).toEqual(events[1]);
        expect(await store.lastEvent('run-none')).toBe(null);
      });

      it('keeps the first event of a key', async () => {
        const { log } = await startRun();
        log.append('a', note('first'));
        expect(log.append('a', note('second'))).toBe(false);
        expect(log.append('b', note('b'))).toBe(true);
        expect(log.read().map(({ seq, event }) => [seq, event])).toEqual([
          [1, note('first')],
          [2, note('b')],
        ]);
      });

      it('is one for each run', async () => {
        const { log, store } = await startRun();
        await store.runs.create({ ...draft, id: 'run-b1' });
        const other = store.log(await store.runs.acquire('run-b1'));
        log.append('a', note('a'));
        expect(other.append('a', note('b'))).toBe(true);
        expect(other.read().map(({ seq, event }) => [seq, event])).toEqual([[1, note('b')]]);
      });
    });

    describe('snapshots', () => {
      it('are kept one for each session, the latest', async () => {
        const { lease, open, store } = await startRun();
        const snapshots = store.snapshots(lease);
        expect(await snapshots.load('root')).toBeNull();
        snapshots.save('root', { cells: 1, bytes: Uint8Array.of(1, 2) });
        snapshots.save('root', { cells: 2, bytes: Uint8Array.of(0, 255, 3) });
        snapshots.save('root/2.1-3', { cells: 1, bytes: new Uint8Array(0) });
        // What waits is seen by who wrote it, and kept with that.
        expect((await snapshots.load('root'))?.cells).toBe(2);
        await store.commit(lease);
        await lease.release();
        const other = open();
        const taken = await other.runs.acquire(draft.id);
        expect(await other.snapshots(taken).load('root')).toEqual({
          cells: 2,
          bytes: Uint8Array.of(0, 255, 3),
        });
        other.snapshots(taken).drop('root');
        expect(await other.snapshots(taken).load('root')).toBeNull();
        expect(await other.snapshots(taken).load('root/2.1-3')).toEqual({
          cells: 1,
          bytes: new Uint8Array(0),
        });
      });
      it('go with what is pruned', async () => {
        const { lease, store } = await startRun();
        store.snapshots(lease).save('root', { cells: 1, bytes: Uint8Array.of(1) });
        store.runs.finish(draft.id, lease);
        await lease.release();
        await store.runs.prune(draft.id);
        expect(await store.snapshots(lease).load('root')).toBeNull();
      });
    });

    describe('the journal', () => {
      it.each<[string, unknown, unknown]>([
        ['text', 'é\0"', 'é\0"'],
        ['nothing', null, null],
        ['what is not there', undefined, null],
        ['zero', 0, 0],
        [
          'objects, as JSON holds them',
          { a: [1, { b: undefined }], c: new Date(0) },
          { a: [1, {}], c: '1970-01-01T00:00:00.000Z' },
        ],
      ])('records %s', async (_what, value, stands) => {
        const { journal, lease, store } = await startRun();
        expect(journal.recall('k')).toBeUndefined();
        expect(journal.record('k', value)).toEqual(stands);
        expect(journal.recall('k')).toEqual(stands);
        await store.commit(lease);
        expect((await store.openRecorded(draft.id)).recall('k')).toEqual(stands);
      });

      it('lets the first record stand', async () => {
        const { journal } = await startRun();
        expect(journal.record('k', { reply: 1 })).toEqual({ reply: 1 });
        expect(journal.record('k', { reply: 2 })).toEqual({ reply: 1 });
        expect(journal.recall('k')).toEqual({ reply: 1 });
      });

      it('refuses what JSON cannot hold', async () => {
        const { journal } = await startRun();
        await expectRefusal('bad_argument', () => journal.record('k', 1n));
        await expectRefusal('bad_argument', () => journal.record('k', () => 1));
        expect(journal.recall('k')).toBeUndefined();
      });
    });

    describe('all or nothing', () => {
      it('keeps nothing of what failed half way', async () => {
        const { journal, log, lease, store } = await startRun();
        const pool = openPool(store.ledger(lease), { account: draft.id, run: draft.id, fence: lease.fence });
        const reply = pool.reserve('call', { tokens: 10 });
        if (reply.kind !== 'reserved') throw new Error('not reserved');
        const work = (fail: boolean) => () => {
          journal.record('call', 'answer');
          log.append('call', note('answered'));
          store.ledger(lease).settle('run-a1/call#1', { tokens: 5 });
          if (fail) throw new Error('half way');
          return 'done';
        };
        expect(() => store.atomic(work(true))).toThrow('half way');
        expect([journal.recall('call'), log.read(), pool.spent().tokens]).toEqual([undefined, [], 0]);
        expect(store.atomic(work(false))).toBe('done');
        expect([journal.recall('call'), log.read().length, pool.spent().tokens]).toEqual(['answer', 1, 5]);
      });
    });

    describe('a commit', () => {
      const reserveTokens = (store: Store, lease: Lease) => {
        const { run, fence } = lease;
        const pool = openPool(store.ledger(lease), { account: run, run, fence });
        const reply = pool.reserve('call', { tokens: 10 });
        if (reply.kind !== 'reserved') throw new Error('not reserved');
        return { pool, reply };
      };

      it('is what makes durable: until then no other process sees anything', async () => {
        const { journal, lease, log, open, store } = await startRun();
        const other = open();
        journal.record('k', 1);
        log.append('a', note('a'));
        reserveTokens(store, lease);
        store.snapshots(lease).save('root', { cells: 1, bytes: Uint8Array.of(1) });
        store.runs.finish(draft.id, lease);
        const readState = async () => [
          (await other.openRecorded(draft.id)).recall('k'),
          (await other.events(draft.id)).length,
          (await other.runs.size(draft.id)) > 0,
          (await other.runs.get(draft.id)).status,
        ];
        expect(await readState()).toEqual([undefined, 0, false, 'running']);
        await expectRefusal('pool_misuse', () => other.accounts.balance(draft.id));
        expect(await store.commit(lease)).toBe(1);
        expect(await readState()).toEqual([1, 1, true, 'finished']);
        expect((await other.accounts.balance(draft.id)).reserved.tokens).toBe(10);
      });

      it('sent twice keeps nothing twice', async () => {
        const { journal, lease, log, open, store } = await startRun();
        const { reply } = reserveTokens(store, lease);
        await Promise.all([store.commit(lease), store.commit(lease)]);
        journal.record('k', 1);
        reply.settle({ tokens: 4 });
        log.append('a', note('a'));
        expect([await store.commit(lease), await store.commit(lease)]).toEqual([1, 1]);
        const other = open();
        expect(await other.events(draft.id)).toHaveLength(1);
        expect(await other.accounts.balance(draft.id)).toMatchObject({
          spent: { tokens: 4 },
          reserved: { tokens: 0 },
        });
      });

      it('of one run keeps what others in this process have collected, too, and in its order', async () => {
        const { journal, lease, open, store } = await startRun();
        await store.runs.create({ ...draft, id: 'run-b1' });
        const second = await store.runs.acquire('run-b1');
        store.journal(second).record('first', 1);
        journal.record('then', 2);
        await store.commit(lease);
        expect((await open().openRecorded('run-b1')).recall('first')).toBe(1);
        // Whatever else is written takes along what waits.
        store.journal(second).record('more', 1);
        await store.runs.create({ ...draft, id: 'run-c1' });
        expect((await open().openRecorded('run-b1')).recall('more')).toBe(1);
      });

      it('under a lost lease keeps nothing of it, and all of the others', async () => {
        const { clock, journal, lease, open, store } = await startRun();
        await store.runs.create({ ...draft, id: 'run-b1' });
        const second = await store.runs.acquire('run-b1');
        clock.advance(leaseMs);
        await second.renew();
        const other = open();
        await other.runs.acquire(draft.id);
        journal.record('late', 1);
        store.journal(second).record('k', 2);
        await store.commit(second);
        expect((await other.openRecorded('run-b1')).recall('k')).toBe(2);
        expect((await other.openRecorded(draft.id)).recall('late')).toBeUndefined();
        await expect(store.commit(lease)).rejects.toMatchObject({ code: 'lease_lost' });
        await expectRefusal('lease_lost', () => journal.record('later', 1));
      });

      it('is made by giving the run back', async () => {
        const { journal, lease, open, store } = await startRun();
        journal.record('k', 1);
        store.log(lease).append('a', note('a'));
        await lease.release();
        expect((await open().openRecorded(draft.id)).recall('k')).toBe(1);
        const again = await store.runs.acquire(draft.id);
        expect(store.journal(again).recall('k')).toBe(1);
        expect(store.log(again).append('a', note('a'))).toBe(false);
      });

      it('that fails is made later; what failed half way is not', async () => {
        const { journal, lease, log, store } = await startRun();
        journal.record('before', 1);
        const fails = () =>
          store.atomic(() => {
            journal.record('within', 2);
            log.append('within', note('within'));
            throw new Error('half way');
          });
        expect(fails).toThrow('half way');
        expect([journal.recall('before'), journal.recall('within'), log.read()]).toEqual([1, undefined, []]);
        log.append('after', note('after'));
        expect(await store.commit(lease)).toBe(1);
        expect((await store.openRecorded(draft.id)).recall('before')).toBe(1);
        expect((await store.events(draft.id)).map(({ seq, key }) => [seq, key])).toEqual([[1, 'after']]);
      });
    });

    describe('accounts', () => {
      const take = (store: Store, account: string, lease: Lease, tokens: number) =>
        store.ledger(lease).reserve(createRequest(account, lease, tokens)).kind;
      const createRequest = (
        account: string,
        { run, fence }: Pick<Lease, 'run' | 'fence'>,
        tokens: number,
      ) => ({
        account,
        key: { run, step: `${account}-${tokens}`, fence },
        amounts: { tokens },
      });
      const createAccount = (id: string, parent: string | null, tokens: number) => ({
        id,
        parent,
        limits: { tokens },
        reserve: {},
      });

      it('below that of a run are its own, and pay for what it hands on', async () => {
        const { lease, open, store } = await startRun();
        const ledger = store.ledger(lease);
        ledger.open(createAccount(draft.id, null, 10));
        await store.runs.create({ ...draft, id: 'run-b1' });
        const inner = await store.runs.acquire('run-b1');
        ledger.open(createAccount('run-a1/run-b1', draft.id, 8));
        expect(take(store, 'run-a1/run-b1', lease, 6)).toBe('reserved');
        expect(take(store, draft.id, lease, 5)).toBe('exhausted');
        expect(take(store, draft.id, lease, 4)).toBe('reserved');
        expect(take(store, 'run-a1/run-b1', lease, 1)).toBe('exhausted');
        // Whoever of them commits, it is kept.
        await store.commit(inner);
        const other = open();
        expect((await other.accounts.balance(draft.id)).reserved.tokens).toBe(10);
        expect((await other.accounts.balance('run-a1/run-b1')).reserved.tokens).toBe(6);
      });

      it('of a run are all there is to its worker', async () => {
        const { lease, store } = await startRun();
        await store.accounts.open(createAccount('team', null, 10));
        const ledger = store.ledger(lease);
        const open = (id: string, parent: string | null) => () => ledger.open(createAccount(id, parent, 5));
        for (const attempt of [open('team', null), open('run-b1', null), open('run-a1/part', 'team')])
          await expectRefusal('pool_misuse', attempt);
        await expectRefusal('pool_misuse', () => take(store, 'team', lease, 1));
        ledger.open(createAccount(draft.id, null, 5));
        await expectRefusal('pool_misuse', open('run-a19', draft.id));
      });

      it("of nobody's run are drawn on by many, and nobody spends what another has taken", async () => {
        const { lease, open, store } = await startRun();
        const other = open();
        await store.runs.create({ ...draft, id: 'run-b1' });
        const second = await other.runs.acquire('run-b1');
        await store.accounts.open(createAccount('team', null, 10));
        await store.accounts.open(createAccount('team/run-a1', 'team', 8));
        await other.accounts.open(createAccount('team/run-b1', 'team', 8));
        const draw = async ({ accounts }: Store, account: string, by: Lease, tokens: number) =>
          (await accounts.reserve(createRequest(account, by, tokens))).kind;
        expect(await draw(store, 'team/run-a1', lease, 6)).toBe('reserved');
        expect(await draw(other, 'team/run-b1', second, 5)).toBe('exhausted');
        expect(await draw(other, 'team/run-b1', second, 4)).toBe('reserved');
        expect(await draw(store, 'team/run-a1', lease, 1)).toBe('exhausted');
        expect((await open().accounts.balance('team')).reserved.tokens).toBe(10);
      });

      it('that many draw on at once never pass a ceiling', async () => {
        const { open, store } = await startRun();
        const stores = [store, open(), open()];
        await store.accounts.open(createAccount('team', null, 60));
        const replies = await Promise.all(
          Array.from({ length: 90 }, (_, n) =>
            stores[n % 3]!.accounts.reserve({
              account: 'team',
              key: { run: 'run-a1', step: `${n}`, fence: 1 },
              amounts: { tokens: 1 },
            }),
          ),
        );
        expect(replies.filter(({ kind }) => kind === 'reserved')).toHaveLength(60);
        expect((await store.accounts.balance('team')).reserved.tokens).toBe(60);
      });

      it("of a run that a worker holds are that worker's alone", async () => {
        const { lease, open, store } = await startRun();
        store.ledger(lease).open(createAccount(draft.id, null, 10));
        await store.commit(lease);
        const other = open();
        for (const { accounts } of [other, store]) {
          await expectRefusal('pool_misuse', () => accounts.reserve(createRequest(draft.id, lease, 1)));
          await expectRefusal('pool_misuse', () => accounts.charge(draft.id, { tokens: 1 }));
          await expectRefusal('pool_misuse', () => accounts.relimit(draft.id, { tokens: 1 }));
          await expectRefusal('pool_misuse', () => accounts.open(createAccount('run-a1/part', draft.id, 1)));
        }
        await lease.release();
        await other.accounts.charge(draft.id, { tokens: 1 });
        // The next holder finds what was changed meanwhile.
        const again = await store.runs.acquire(draft.id);
        expect(store.ledger(again).balance(draft.id).spent.tokens).toBe(1);
        expect(take(store, draft.id, again, 10)).toBe('exhausted');
      });

      it('what a crash left open is closed by the next holder, once', async () => {
        const { clock, lease, open, store } = await startRun();
        store.ledger(lease).open(createAccount(draft.id, null, 10));
        store.ledger(lease).open(createAccount('run-a1/part', draft.id, 10));
        take(store, 'run-a1/part', lease, 4);
        await store.commit(lease);
        take(store, draft.id, lease, 5);
        clock.advance(leaseMs);
        const other = open();
        const taken = await other.runs.acquire(draft.id);
        const ledger = other.ledger(taken);
        // What was not committed was never sent.
        expect(ledger.recover(draft.id, taken.fence)).toBe(1);
        expect(ledger.recover(draft.id, taken.fence)).toBe(0);
        await other.commit(taken);
        for (const id of [draft.id, 'run-a1/part'])
          expect(await open().accounts.balance(id)).toMatchObject({
            spent: { tokens: 4 },
            unknown: { tokens: 4 },
            reserved: { tokens: 0 },
          });
      });

      it('what was collected and failed half way is held by nobody', async () => {
        const { lease, open, store } = await startRun();
        const ledger = store.ledger(lease);
        ledger.open(createAccount(draft.id, null, 10));
        const fails = () =>
          store.atomic(() => {
            take(store, draft.id, lease, 9);
            ledger.open(createAccount('run-a1/part', draft.id, 5));
            throw new Error('half way');
          });
        expect(fails).toThrow('half way');
        expect(ledger.balance(draft.id).reserved.tokens).toBe(0);
        expect(take(store, draft.id, lease, 9)).toBe('reserved');
        await expectRefusal('pool_misuse', () => ledger.balance('run-a1/part'));
        await store.commit(lease);
        expect((await open().accounts.balance(draft.id)).reserved.tokens).toBe(9);
        await expectRefusal('pool_misuse', () => open().accounts.balance('run-a1/part'));
      });
    });

    describe('removing', () => {
      it('leaves nothing of a finished run, and others as they are', async () => {
        const { journal, lease, log, store } = await startRun();
        const pool = openPool(store.ledger(lease), { account: draft.id, run: draft.id, fence: lease.fence });
        const child = pool.child('part', { limits: { tokens: 5 } });
        for (const at of [pool, child]) {
          const reply = at.reserve('call', { tokens: 3 });
          if (reply.kind === 'reserved') reply.settle({ tokens: 2 });
        }
        log.append('a', note('a'));
        journal.record('k', 'value');
        store.snapshots(lease).save('root', { cells: 1, bytes: Uint8Array.of(1, 2, 3) });
        const other = { ...draft, id: `${draft.id}9` };
        await store.runs.create(other);
        expect(await store.runs.size(draft.id)).toBeGreaterThan(10);
        await expectRefusal('run_state', () => store.runs.remove(draft.id));
        store.runs.finish(draft.id, lease);
        await expectRefusal('run_state', () => store.runs.remove(draft.id));
        await lease.release();
        await store.runs.remove(draft.id);
        expect((await store.runs.list()).map(({ id }) => id)).toEqual([other.id]);
        expect([await store.events(draft.id), (await store.openRecorded(draft.id)).recall('k')]).toEqual([
          [],
          undefined,
        ]);
        // One that may not rewrite the file leaves it as it is.
        expect(typeof (await store.runs.compact())).toBe('boolean');
        // Its name is free again, its budget too.
        await store.runs.create(draft);
        const again = await store.runs.acquire(draft.id);
        const fresh = openPool(store.ledger(again), { account: draft.id, run: draft.id, fence: again.fence });
        expect(fresh.spent().tokens).toBe(0);
      });

      it('refuses what unfinished work is paid from', async () => {
        const { lease, store } = await startRun();
        const pool = openPool(store.ledger(lease), { account: draft.id, run: draft.id, fence: lease.fence });
        const inner = await store.runs.create({ ...draft, id: 'run-inner' });
        const held = await store.runs.acquire(inner.id);
        const { account } = pool.child('handed-on', {});
        const key = { run: inner.id, step: 'call', fence: held.fence };
        store.runs.finish(draft.id, lease);
        await lease.release();
        await store.accounts.reserve({ account, key, amounts: { tokens: 1 } });
        await expectRefusal('run_state', () => store.runs.remove(draft.id));
        await store.accounts.settle('run-inner/call#1', { tokens: 1 });
        await expectRefusal('run_state', () => store.runs.remove(draft.id));
        store.runs.finish(inner.id, held);
        await held.release();
        await store.runs.remove(draft.id);
        expect((await store.runs.list()).map(({ id }) => id)).toEqual([inner.id]);
        await store.runs.remove(inner.id);
        expect(await store.runs.list()).toEqual([]);
      });
    });

    describe('pruning', () => {
      it('keeps the first and the last event, and what was spent', async () => {
        const { journal, lease, log, store } = await startRun();
        const pool = openPool(store.ledger(lease), { account: draft.id, run: draft.id, fence: lease.fence });
        const reply = pool.reserve('call', { tokens: 10 });
        if (reply.kind === 'reserved') reply.settle({ tokens: 4 });
        for (const key of ['a', 'b', 'c', 'd']) log.append(key, note(key));
        journal.record('k', 1);
        await expectRefusal('run_state', () => store.runs.prune(draft.id));
        store.runs.finish(draft.id, lease);
        await expectRefusal('run_state', () => store.runs.prune(draft.id));
        await lease.release();
        await store.runs.prune(draft.id);
        await store.runs.prune(draft.id);
        expect((await store.events(draft.id)).map(({ seq, key }) => [seq, key])).toEqual([
          [1, 'a'],
          [4, 'd'],
        ]);
        expect((await store.openRecorded(draft.id)).recall('k')).toBeUndefined();
        expect((await store.accounts.balance(draft.id)).spent.tokens).toBe(4);
        expect((await store.runs.get(draft.id)).status).toBe('finished');
      });
    });
  });
}

async function expectRefusal(code: ErrorCode, act: () => unknown): Promise<void> {
  let thrown: unknown;
  try {
    await act();
  } catch (error) {
    thrown = error;
  }
  expect(isSondeError(thrown) ? thrown.code : thrown).toBe(code);
}
