/**
 * What every queue must do. An engine's own test calls `queueContract` with a factory of places: each can be opened
 * several times, as several workers would, and a worker can be told to be dead.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ErrorCode, isSondeError, manualClock } from '../../core/index.ts';
import {
  type Claim,
  type ClaimRequest,
  jobStates,
  type NewJob,
  type Queue,
  type QueueRule,
  type Settlement,
} from './queue.ts';

export interface QueuePlace {
  /** `dead`: what it holds is held by a process that is gone. */
  open(options: {
    readonly clock: ReturnType<typeof manualClock>;
    readonly leaseMs: number;
    readonly dead?: boolean;
  }): Queue;
  remove(): void | Promise<void>;
}

const leaseMs = 1_000;
const topic = 'work';
const failure = { code: 'tool_failed', message: 'no power' };
const settlements: readonly Settlement[] = [
  { kind: 'done', result: { n: 1 } },
  { kind: 'failed', error: failure },
  { kind: 'retry', error: failure, afterMs: 100 },
  { kind: 'release' },
  { kind: 'release', error: failure, afterMs: 100 },
  { kind: 'died' },
];

async function readRefusal(work: Promise<unknown>): Promise<ErrorCode | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (isSondeError(error)) return error.code;
    throw error;
  }
}

const keys = (claims: readonly Claim[]): readonly string[] => claims.map(({ job }) => job.key);

export function queueContract(name: string, make: () => QueuePlace): void {
  describe(`queue: ${name}`, () => {
    let place: QueuePlace;
    let clock: ReturnType<typeof manualClock>;
    let queue: Queue;
    /** Another worker. */
    let other: Queue;

    beforeEach(() => {
      place = make();
      clock = manualClock(1_000_000);
      queue = place.open({ clock, leaseMs });
      other = place.open({ clock, leaseMs });
    });
    afterEach(async () => {
      await queue.close();
      await other.close();
      await place.remove();
    });

    const add = (key: string, more: Partial<NewJob> = {}, of = queue) =>
      of.enqueue([{ topic, key, payload: { key }, ...more }]).then(([one]) => one!);
    const take = (more: Partial<ClaimRequest> = {}, of = queue) => of.claim({ topic, max: 99, ...more });
    async function takeOne(of = queue): Promise<Claim> {
      const [claim] = await take({ max: 1 }, of);
      return claim!;
    }
    /** Claimed by a process that died with them. */
    async function lose(max = 99): Promise<readonly string[]> {
      return keys(await take({ max }, place.open({ clock, leaseMs, dead: true })));
    }

    describe('enqueue', () => {
      it('keeps a job with all that was said of it', async () => {
        const payload = { text: 'ä\u0000😀', list: [1, null, { a: '' }] };
        const added = await add('a', { group: 'g', inTurn: true, priority: 2, due: 7, payload });
        expect(added).toMatchObject({
          kind: 'added',
          job: { topic, key: 'a', group: 'g', inTurn: true, priority: 2, due: 7, payload, state: 'waiting' },
        });
        expect(added).toMatchObject({
          job: { attempts: 0, deaths: 0, kept: null, result: null, error: null },
        });
        expect(await other.get(topic, 'a')).toEqual(added.kind === 'full' ? null : added.job);
        expect(await queue.get('another', 'a')).toBeNull();
        expect((await add('b', { payload: null })).kind).toBe('added');
        expect(await queue.get(topic, 'b')).toMatchObject({ payload: null, due: clock.now(), priority: 0 });
      });

      it('the same key again is the same job, whatever became of it, and in each topic another', async () => {
        const jobs = ['a', 'b', 'a'].map((key) => ({ topic, key, payload: key }));
        expect((await queue.enqueue(jobs)).map(({ kind }) => kind)).toEqual(['added', 'added', 'known']);
        expect(await add('a', { payload: 'changed' }, other)).toMatchObject({
          kind: 'known',
          job: { payload: 'a' },
        });
        await queue.settle(await takeOne(), { kind: 'done' });
        await queue.settle(await takeOne(), { kind: 'failed', error: failure });
        clock.advance(1e9);
        expect([(await add('a')).kind, (await add('b')).kind]).toEqual(['known', 'known']);
        expect((await add('a', { topic: 'else' })).kind).toBe('added');
      });

      it('a key with a quiet time is free some time after the job is done, and at once where it failed', async () => {
        const quietMs = 60;
        const again = async () => (await add('a', { quietMs })).kind;
        expect([await again(), await again()]).toEqual(['added', 'known']);
        const claim = await takeOne();
        clock.advance(100);
        expect(await again()).toBe('known');
        await queue.settle(claim, { kind: 'done' });
        clock.advance(quietMs - 1);
        expect(await again()).toBe('known');
        clock.advance(1);
        expect(await again()).toBe('added');
        await queue.settle(await takeOne(), { kind: 'failed', error: failure });
        expect(await again()).toBe('added');
        expect((await queue.list({ topic, max: 9 })).jobs).toHaveLength(3);
        expect(await queue.get(topic, 'a')).toMatchObject({ state: 'waiting' });
      });

      it('takes no more than may wait, and what is there already', async () => {
        const jobs = ['a', 'b', 'c', 'a'].map((key) => ({ topic, key, payload: null }));
        const kinds = async () => (await queue.enqueue(jobs, { maxWaiting: 2 })).map(({ kind }) => kind);
        expect(await kinds()).toEqual(['added', 'added', 'full', 'known']);
        await takeOne();
        expect(await kinds()).toEqual(['known', 'known', 'added', 'known']);
        expect(
          (await queue.enqueue([{ topic: 'else', key: 'a', payload: 1 }], { maxWaiting: 1 }))[0]!.kind,
        ).toBe('added');
      });
    });

    describe('claim', () => {
      it('gives by priority, by time, and as they came; of its topic, what is due, so many', async () => {
        await add('late', { due: clock.now() + 1 });
        await add('second');
        await add('third');
        await add('first', { due: 5 });
        await add('answer', { priority: -1 });
        await add('else', { topic: 'else' });
        expect(keys(await take({ max: 2 }))).toEqual(['answer', 'first']);
        expect(keys(await take())).toEqual(['second', 'third']);
        expect(await queue.nextDue(topic)).toBe(clock.now() + 1);
        expect(await take()).toEqual([]);
        clock.advance(1);
        expect(keys(await take())).toEqual(['late']);
        expect(await queue.nextDue(topic)).toBeNull();
      });

      it('gives a job to one worker', async () => {
        for (let n = 0; n < 20; n += 1) await add(`${n}`);
        const claims = await Promise.all(
          Array.from({ length: 30 }, (_, n) => take({ max: 1 }, n % 2 === 0 ? queue : other)),
        );
        expect(new Set(claims.flatMap(keys)).size).toBe(20);
        expect(claims.flat()).toHaveLength(20);
      });

      it('gives what is in turn one after another, by priority and as it came, each group by itself', async () => {
        for (const [key, group, priority] of [
          ['a1', 'a', 1],
          ['a2', 'a', 1],
          ['b1', 'b', 1],
          ['a0', 'a', 0],
        ] as const)
          await add(key, { group, priority, inTurn: true });
        await add('free', { group: 'a' });
        const claims = await take({}, other);
        expect(keys(claims)).toEqual(['a0', 'free', 'b1']);
        expect(await take()).toEqual([]);
        await other.settle(claims[0]!, { kind: 'failed', error: failure });
        const [first] = await take();
        expect(first?.job.key).toBe('a1');
        // One that is put back for later still stands before those behind it.
        await queue.settle(first!, { kind: 'release', afterMs: 100 });
        expect(await take()).toEqual([]);
        await add('answer', { group: 'a', priority: 0, inTurn: true });
        expect(keys(await take())).toEqual(['answer']);
      });

      it('gives to the next worker what was lost with the one before, at once or when its lease ends', async () => {
        await add('a');
        await add('b');
        expect(await lose(1)).toEqual(['a']);
        const [a, b] = await take({}, other);
        expect([a!.job, b!.job]).toMatchObject([
          { key: 'a', deaths: 1, attempts: 0 },
          { key: 'b', deaths: 0 },
        ]);
        clock.advance(leaseMs - 1);
        await other.renew(a!);
        expect(await take()).toEqual([]);
        clock.advance(1);
        const [again] = await take();
        expect(again?.job).toMatchObject({ key: 'b', deaths: 1 });
        expect(again!.fence).toBeGreaterThan(b!.fence);
      });

      it('gives alone what was lost, where it is asked to, and the rest beside it', async () => {
        for (const key of ['a', 'b', 'c']) await add(key);
        expect(await lose(2)).toEqual(['a', 'b']);
        const claims = await take({ careful: true });
        expect(keys(claims)).toEqual(['a', 'c']);
        expect(await take({ careful: true }, other)).toEqual([]);
        await queue.settle(claims[0]!, { kind: 'done' });
        expect(keys(await take({ careful: true }, other))).toEqual(['b']);
      });

      it('gives what is lost by itself, before anything else is done', async () => {
        for (const key of ['a', 'b']) await add(key, { group: 'g' });
        await add('free');
        await lose(2);
        const claims = await take({ abandoned: true });
        expect(claims.map(({ job }) => [job.key, job.deaths])).toEqual([
          ['a', 1],
          ['b', 1],
        ]);
        expect(await take({ abandoned: true })).toEqual([]);
        expect(keys(await take())).toEqual(['free']);
      });
    });

    describe('rules', () => {
      const rule = (more: Partial<QueueRule>): QueueRule => ({
        topic,
        team: null,
        shape: null,
        max: null,
        paused: false,
        ...more,
      });

      it('no team gets more at once than its limit, whoever asks, and one that ends makes room', async () => {
        await queue.setRule(rule({ max: 2 }));
        for (const key of ['a1', 'a2', 'a3', 'a4']) await add(key, { team: 'a' });
        await add('b1', { team: 'b' });
        const first = await take();
        expect(keys(first)).toEqual(['a1', 'b1', 'a2']);
        expect(await take({}, other)).toEqual([]);
        await queue.settle(first[0]!, { kind: 'retry', error: failure, afterMs: 9e9 });
        expect(keys(await take({}, other))).toEqual(['a3']);
        await other.setRule(rule({ team: 'a', max: 1 }));
        await queue.settle(first[2]!, { kind: 'done' });
        expect(await take()).toEqual([]);
      });

      it('hold when many ask at once, and when those at work die', async () => {
        await queue.setRule(rule({ team: 'a', max: 3 }));
        for (let n = 0; n < 20; n += 1) await add(`${n}`, { team: 'a' });
        const ask = (n: number) => take({ max: 2 }, n % 2 === 0 ? queue : other);
        const claims = (await Promise.all(Array.from({ length: 12 }, (_, n) => ask(n)))).flat();
        expect(claims).toHaveLength(3);
        clock.advance(leaseMs);
        // Whoever holds it loses nothing to itself: the others' are given out again.
        const again = await take({}, place.open({ clock, leaseMs }));
        expect(again.map(({ job }) => job.deaths)).toEqual([1, 1, 1]);
        expect(await take()).toEqual([]);
      });

      it('count by shape, too', async () => {
        await queue.setRule(rule({ shape: 'incident', max: 1 }));
        await queue.setRule(rule({ team: 'a', max: 2 }));
        for (const shape of ['incident', 'incident', 'research', 'research'])
          for (const team of ['a', 'b']) await add(`${team} ${shape} ${Math.random()}`, { team, shape });
        const taken = (await take()).map(({ job }) => `${job.team} ${job.shape}`);
        expect(taken.toSorted()).toEqual([
          'a incident',
          'a research',
          'b incident',
          'b research',
          'b research',
        ]);
      });

      it('what is paused is not given out, and goes on where it was', async () => {
        await add('a', { team: 'a' });
        await add('b', { team: 'b' });
        await queue.setRule(rule({ team: 'a', max: 5, paused: true }));
        expect(keys(await take())).toEqual(['b']);
        expect(await other.rules(topic)).toEqual([rule({ team: 'a', max: 5, paused: true })]);
        await other.setRule(rule({ team: 'a', max: 5 }));
        expect(keys(await take())).toEqual(['a']);
        await other.setRule(rule({ team: 'a' }));
        expect(await queue.rules(topic)).toEqual([]);
        expect(await queue.rules('else')).toEqual([]);
      });

      it('no team waits behind the many jobs of another, but for priority', async () => {
        for (let n = 0; n < 50; n += 1) await add(`a${n}`, { team: 'a' });
        for (const key of ['b0', 'b1', 'b2']) await add(key, { team: 'b' });
        await add('first', { team: 'a', priority: -1 });
        const order = [];
        for (let n = 0; n < 4; n += 1) order.push(...keys(await take({ max: 1 })));
        expect(order).toEqual(['first', 'b0', 'a0', 'b1']);
      });

      it('teams take turns where there is room for one job', async () => {
        for (const key of ['a0', 'a1', 'a2']) await add(key, { team: 'a' });
        for (const key of ['b0', 'b1']) await add(key, { team: 'b' });
        const order = [];
        for (let n = 0; n < 5; n += 1)
          for (const claim of await take({ max: 1 })) {
            order.push(claim.job.key);
            await queue.settle(claim, { kind: 'done', result: null });
          }
        expect(order).toEqual(['a0', 'b0', 'a1', 'b1', 'a2']);
      });

      it('a job goes to who has what it needs', async () => {
        await add('x', { needs: 'repo-x' });
        await add('y', { needs: 'repo-y' });
        await add('any');
        expect(keys(await take({ offers: ['repo-y'] }))).toEqual(['y', 'any']);
        expect(await take({ offers: [] })).toEqual([]);
        expect(keys(await take())).toEqual(['x']);
      });

      it('workers are known for as long as they announce themselves', async () => {
        const worker = { id: 'w1', topics: [topic], slots: 3, offers: ['repo-x'] };
        await queue.announce(worker, 100);
        await other.announce({ ...worker, id: 'w2', offers: null }, 50);
        expect(await queue.workers()).toEqual([
          { ...worker, seen: clock.now() },
          { ...worker, id: 'w2', offers: null, seen: clock.now() },
        ]);
        clock.advance(50);
        expect((await other.workers()).map(({ id }) => id)).toEqual(['w1']);
      });
    });

    describe('a claim', () => {
      it.each(settlements)(
        'that ends by %o changes the job once, however often it is sent',
        async (settlement) => {
          await add('a', { due: 5 });
          const claim = await takeOne();
          expect(claim.job.state).toBe('running');
          clock.advance(10);
          const expected = {
            done: { state: 'done', result: { n: 1 }, attempts: 0, deaths: 0, due: 5 },
            failed: { state: 'failed', error: failure, result: null, due: 5 },
            retry: { state: 'waiting', error: failure, attempts: 1, deaths: 0, due: clock.now() + 100 },
            release: {
              ...{ state: 'waiting', attempts: 0, deaths: 0 },
              ...('afterMs' in settlement
                ? { error: failure, due: clock.now() + 100 }
                : { error: null, due: 5 }),
            },
            died: { state: 'waiting', error: null, attempts: 0, deaths: 1, due: 5 },
          }[settlement.kind];
          const job = await queue.settle(claim, settlement);
          expect(job).toMatchObject({ ...expected, updated: clock.now(), kept: null });
          clock.advance(10);
          expect(await queue.settle(claim, settlement)).toEqual(job);
          expect(await other.get(topic, 'a')).toEqual(job);
          expect(await readRefusal(queue.renew(claim))).toBe('lease_lost');
        },
      );

      it('keeps what its holder leaves for those after it', async () => {
        await add('a');
        const first = await takeOne();
        await queue.renew(first, { run: 'r1' });
        await queue.settle(first, { kind: 'release' });
        const second = await takeOne(other);
        expect(second.job.kept).toEqual({ run: 'r1' });
        await other.settle(second, { kind: 'failed', error: failure, kept: { run: 'r2' } });
        expect(await queue.get(topic, 'a')).toMatchObject({ kept: { run: 'r2' } });
      });

      it.each<[string, (claim: Claim) => Promise<unknown>]>([
        [
          'its lease ended and another worker has the job',
          async () => {
            clock.advance(leaseMs);
            expect(keys(await take({}, other))).toEqual(['a']);
          },
        ],
        [
          'its lease ended and another worker gave the job back',
          async () => {
            clock.advance(leaseMs);
            await other.settle(await takeOne(other), { kind: 'release' });
          },
        ],
        ['the job is cancelled', ({ job }) => other.cancel(job.id)],
        ['its queue is closed', () => queue.close()],
      ])('is lost where %s', async (_, happens) => {
        await add('a');
        const claim = await takeOne();
        await happens(claim);
        const before = await other.get(topic, 'a');
        expect(await readRefusal(queue.renew(claim, 'mine'))).toBe('lease_lost');
        for (const settlement of settlements)
          expect(await readRefusal(queue.settle(claim, settlement))).toBe('lease_lost');
        expect(await other.get(topic, 'a')).toEqual(before);
      });

      it.each(settlements.filter(({ kind }) => kind !== 'done' && kind !== 'failed'))(
        'that ended by %o, and is sent again when another worker has the job, takes nothing from it',
        async (settlement) => {
          await add('a');
          const claim = await takeOne();
          await queue.settle(claim, settlement);
          clock.advance(1_000);
          const fresh = await takeOne(other);
          expect(await readRefusal(queue.settle(claim, settlement))).toBe('lease_lost');
          expect((await other.settle(fresh, { kind: 'done' })).state).toBe('done');
        },
      );

      it('is lost as soon as its job is taken back, though nobody has it yet', async () => {
        for (const key of ['a', 'b']) await add(key);
        const dead = place.open({ clock, leaseMs, dead: true });
        const [, second] = await take({}, dead);
        expect(keys(await take({ careful: true }))).toEqual(['a']);
        expect(await readRefusal(dead.settle(second!, { kind: 'release' }))).toBe('lease_lost');
        expect(await queue.get(topic, 'b')).toMatchObject({ state: 'waiting', deaths: 1 });
      });

      it('that ran out while nobody wanted the job can still be renewed and settled', async () => {
        await add('a');
        const claim = await takeOne();
        clock.advance(10 * leaseMs);
        expect(await take()).toEqual([]);
        await queue.renew(claim);
        expect(await take({}, other)).toEqual([]);
        expect((await queue.settle(claim, { kind: 'done' })).state).toBe('done');
      });

      it('that its queue gives back when it is closed counts as no death', async () => {
        await add('a');
        await takeOne();
        await queue.close();
        expect((await takeOne(other)).job).toMatchObject({ key: 'a', deaths: 0, attempts: 0 });
      });
    });

    it('one that failed is opened again with what is kept, and no other is', async () => {
      await add('a');
      await lose();
      const claim = await takeOne();
      const { id } = claim.job;
      expect(await readRefusal(other.reopen(id))).toBe('run_state');
      await queue.settle(claim, { kind: 'failed', error: failure, kept: 'r1' });
      clock.advance(5);
      expect(await other.reopen(id)).toMatchObject({
        ...{ state: 'waiting', attempts: 0, deaths: 0, error: null, kept: 'r1', due: clock.now() },
      });
      expect(await readRefusal(other.reopen(id))).toBe('run_state');
      expect(await readRefusal(other.reopen(id + 1))).toBe('not_found');
      // What its last holder says of it comes too late.
      expect(await readRefusal(queue.settle(claim, { kind: 'failed', error: failure }))).toBe('lease_lost');
    });

    it('one that is cancelled is over, and its key is free', async () => {
      await add('a', { group: 'g', inTurn: true });
      await add('b', { group: 'g', inTurn: true });
      const { job } = await takeOne();
      expect(await other.cancel(job.id)).toMatchObject({ state: 'cancelled' });
      expect(await readRefusal(other.cancel(job.id))).toBe('run_state');
      expect(await readRefusal(other.cancel(99))).toBe('not_found');
      expect(keys(await take({}, other))).toEqual(['b']);
      expect((await add('a')).kind).toBe('added');
    });

    it('what waits in a group for later is hastened', async () => {
      for (const [key, group] of [
        ['a', 'g'],
        ['b', 'h'],
      ] as const)
        await add(key, { group, due: clock.now() + 100 });
      await queue.hasten({ topic, group: 'g' });
      expect(keys(await take())).toEqual(['a']);
    });

    it('jobs are listed by topic, state and group, the newest first, and counted', async () => {
      for (const key of ['a', 'b', 'c', 'd', 'e']) await add(key, { group: key < 'c' ? 'g' : 'h' });
      await add('else', { topic: 'else' });
      await queue.settle(await takeOne(), { kind: 'done' });
      await queue.settle(await takeOne(), { kind: 'failed', error: failure });
      await takeOne();
      const listKeys = async (query: object) => {
        const { jobs, more } = await other.list({ topic, max: 99, ...query });
        return [jobs.map(({ key }) => key).join(''), more];
      };
      expect(await listKeys({})).toEqual(['edcba', 0]);
      expect(await listKeys({ max: 2 })).toEqual(['ed', 3]);
      expect(await listKeys({ states: ['waiting', 'failed'], max: 2 })).toEqual(['ed', 1]);
      expect(await listKeys({ group: 'g' })).toEqual(['ba', 0]);
      expect(await listKeys({ group: 'g', states: ['done'] })).toEqual(['a', 0]);
      const [last] = (await other.list({ topic, max: 1 })).jobs;
      expect(await other.find(last!.id)).toEqual(last);
      expect(await other.find(last!.id + 1_000)).toBeNull();
      const none = Object.fromEntries(jobStates.map((state) => [state, 0]));
      expect(await queue.counts(topic)).toEqual({ ...none, waiting: 2, running: 1, done: 1, failed: 1 });
      expect(await queue.counts('nothing')).toEqual(none);
    });

    it('a walk of workers that die, stop and go on ends every job once, in turn', async () => {
      let seed = 11;
      const random = (below: number): number => {
        seed = (seed * 48_271) % 2_147_483_647;
        return seed % below;
      };
      const workers = [queue, other];
      const held: { readonly claim: Claim; readonly by: Queue }[] = [];
      const ended: string[] = [];
      let made = 0;
      for (let step = 0; step < 600 || ended.length < made; step += 1) {
        const by = workers[random(2)]!;
        const draw = random(10);
        if (step < 600 && draw === 0) {
          made += 1;
          await add(`${made}`.padStart(4, '0'), { group: `${made % 5}`, inTurn: true }, by);
        } else if (draw < 4)
          for (const claim of await take({ max: 1 + random(3) }, by)) held.push({ claim, by });
        else if (draw === 4) clock.advance(random(leaseMs));
        else if (draw === 5) held.splice(random(held.length + 1), 1);
        else if (held.length > 0) {
          const { claim, by: holder } = held.splice(random(held.length), 1)[0]!;
          const code = await readRefusal(holder.settle(claim, { kind: 'done' }));
          if (code === null) ended.push(claim.job.key);
          else expect(code).toBe('lease_lost');
        }
      }
      expect(new Set(ended).size).toBe(made);
      expect(ended).toHaveLength(made);
      for (let group = 0; group < 5; group += 1) {
        const own = ended.filter((key) => Number(key) % 5 === group);
        expect(own).toEqual(own.toSorted());
      }
    });
  });
}
