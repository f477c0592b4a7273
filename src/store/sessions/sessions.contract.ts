/**
 * What every keeper of threads and checkpoints must do. An engine's own test calls `sessionsContract` with a
 * factory of places: each is a fresh database that can be opened several times, as several processes would.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Clock, type ErrorCode, isSondeError, manualClock } from '../../core/index.ts';
import type { CheckpointPart, Content, NewCheckpoint, NewWrite } from './checkpoints.ts';
import type { Sessions } from './open-sessions.ts';
import { createFireJob } from './schedule-rules.ts';
import type { Schedule } from './schedules.ts';
import type { ThreadLease } from './threads.ts';

export interface SessionsPlace {
  open(options?: { readonly clock?: Clock; readonly leaseMs?: number }): Sessions;
  remove(): void | Promise<void>;
}

async function readRefusal(work: () => Promise<unknown>): Promise<ErrorCode | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (isSondeError(error)) return error.code;
    throw error;
  }
}

const one = (data: string | Uint8Array): Content => ({ kind: 'one', piece: { type: 'data', data } });
const list = (pieces: readonly CheckpointPart[]): Content => ({ kind: 'list', pieces });
const long = (text: string): CheckpointPart => ({
  type: 'data',
  data: JSON.stringify(text.padEnd(300, '.')),
});

function checkpoint(id: string, parent: string | null, more: Partial<NewCheckpoint> = {}): NewCheckpoint {
  return { namespace: '', id, parent, metadata: '{}', body: '{}', changed: new Map(), kept: [], ...more };
}

function write(more: Partial<NewWrite> = {}): NewWrite {
  const base = { namespace: '', checkpoint: 'c1', task: 't1', index: 0, path: '', channel: 'a' };
  return { ...base, content: one('1'), ...more };
}

/** `mayQueue`: false for a process that may not reach the queue, and so starts nothing. */
export function sessionsContract(name: string, make: () => SessionsPlace, { mayQueue = true } = {}): void {
  describe(`sessions: ${name}`, () => {
    let place: SessionsPlace;
    let sessions: Sessions;
    let lease: ThreadLease;

    beforeEach(async () => {
      place = make();
      sessions = place.open();
      await sessions.threads.create({ id: 'thread' });
      lease = await sessions.threads.acquire('thread');
    });
    afterEach(async () => {
      await sessions.close();
      await place.remove();
    });

    const keep = (...checkpoints: NewCheckpoint[]) =>
      sessions.checkpoints.write(lease, { checkpoints, writes: [] });
    const at = async (id: string) =>
      (await sessions.checkpoints.get({ thread: 'thread', namespace: '', id }))!;
    const channels = async (id: string) => Object.fromEntries((await at(id)).channels);

    describe('threads', () => {
      it('belong to one channel or to none', async () => {
        const { threads, channels } = sessions;
        await channels.create({ id: 'work', title: 'Work' });
        await threads.create({ id: 'a', channel: 'work', title: 'First' });
        expect(await threads.get('a')).toMatchObject({ id: 'a', channel: 'work', title: 'First' });
        expect((await threads.list({ channel: 'work' })).map(({ id }) => id)).toEqual(['a']);
        expect((await threads.list({ channel: null })).map(({ id }) => id)).toEqual(['thread']);
        expect((await threads.touch(lease, { channel: 'work' })).channel).toBe('work');
        await channels.remove('work');
        expect([(await threads.get('a')).channel, (await threads.get('thread')).channel]).toEqual([
          null,
          null,
        ]);
      });

      it.each<[string, ErrorCode, (sessions: Sessions) => Promise<unknown>]>([
        ['a thread twice', 'run_state', ({ threads }) => threads.create({ id: 'thread' })],
        [
          'a channel twice',
          'run_state',
          ({ channels }) => Promise.all([1, 2].map(() => channels.create({ id: 'x' }))),
        ],
        [
          'a thread in no known channel',
          'not_found',
          ({ threads }) => threads.create({ id: 'b', channel: 'no' }),
        ],
        ['an empty id', 'bad_argument', ({ threads }) => threads.create({ id: '' })],
        ['an id of two lines', 'bad_argument', ({ threads }) => threads.create({ id: 'a\nb' })],
        ['an unknown thread', 'not_found', ({ threads }) => threads.get('none')],
        ['the lease of an unknown thread', 'not_found', ({ threads }) => threads.acquire('none')],
        ['an unknown channel', 'not_found', ({ channels }) => channels.remove('none')],
        ['a thread somebody works on', 'run_state', ({ threads }) => threads.acquire('thread')],
      ])('refuse %s', async (_, code, work) => {
        expect(await readRefusal(() => work(sessions))).toBe(code);
      });

      it('are advanced by one worker at a time, and by none that was taken over', async () => {
        const clock = manualClock(1_000_000);
        const first = place.open({ clock, leaseMs: 1000 });
        const second = place.open({ clock, leaseMs: 1000 });
        await first.threads.create({ id: 'shared' });
        const old = await first.threads.acquire('shared');
        expect(await readRefusal(() => second.threads.acquire('shared'))).toBe('run_state');
        clock.advance(1001);
        const fresh = await second.threads.acquire('shared');
        expect(fresh.fence).toBe(old.fence + 1);
        const batch = { checkpoints: [checkpoint('c1', null)], writes: [write()] };
        expect(await readRefusal(() => first.checkpoints.write(old, batch))).toBe('lease_lost');
        expect(await readRefusal(() => first.checkpoints.remove(old))).toBe('lease_lost');
        expect(await readRefusal(() => first.threads.touch(old))).toBe('lease_lost');
        expect(await first.checkpoints.latest('shared', '')).toBeUndefined();
        await second.checkpoints.write(fresh, batch);
        expect((await first.checkpoints.latest('shared', ''))?.id).toBe('c1');
        await first.close();
        expect(await second.threads.isHeld('shared')).toBe(true);
        await second.close();
        expect(await sessions.threads.isHeld('shared')).toBe(false);
      });

      it('are removed with all that is theirs', async () => {
        await sessions.threads.create({ id: 'other' });
        const other = await sessions.threads.acquire('other');
        const pieces = Array.from({ length: 20 }, (_, i) => long(`${i}`));
        const batch = {
          checkpoints: [checkpoint('c1', null, { changed: new Map([['m', list(pieces)]]) })],
          writes: [write({ content: list(pieces) })],
        };
        await sessions.checkpoints.write(lease, batch);
        await sessions.checkpoints.write(other, batch);
        await sessions.threads.remove(lease);
        expect((await sessions.checkpoints.usage()).map(({ thread }) => thread)).toEqual(['other']);
        expect(await sessions.threads.has('thread')).toBe(false);
        expect((await sessions.checkpoints.latest('other', ''))!.channels.get('m')).toEqual(list(pieces));
        // The same pieces again, under a new lease: what was remembered of the old ones must not be used.
        await sessions.threads.create({ id: 'thread' });
        await sessions.checkpoints.write(await sessions.threads.acquire('thread'), batch);
        expect((await sessions.checkpoints.latest('thread', ''))!.channels.get('m')).toEqual(list(pieces));
      });
    });

    describe('checkpoints', () => {
      it('give back what was kept, value for value', async () => {
        const bytes = new Uint8Array([0, 255, 10, 58]);
        const texts = ['', ':', '0', '"quoted"', 'ä€😀', '\u0000', 'x'.repeat(97), `${'y'.repeat(5000)}'`];
        const changed = new Map<string, Content>([
          ...texts.map((text, index): [string, Content] => [`text-${index}`, one(text)]),
          ['bytes', { kind: 'one', piece: { type: 'bytes', data: bytes } }],
          ['typed', { kind: 'one', piece: { type: 'json', data: '"data:1"' } }],
          ['empty', list([])],
          ['mixed', list([long('a'), { type: 'json', data: '{}' }, long('a'), { type: 'data', data: '1' }])],
          ['__proto__', one('"own"')],
        ]);
        await keep(checkpoint('c1', null, { body: '{"v":4}', metadata: '{"step":1}', changed }));
        const row = await at('c1');
        expect([...row.channels]).toEqual([...changed]);
        expect(row).toMatchObject({ body: '{"v":4}', metadata: '{"step":1}', parent: null });
      });

      it('keep lists right whatever happens to them, in every branch', async () => {
        // A walk that grows, cuts, edits, repeats and forks; every list that was ever kept is read again.
        let seed = 7;
        const random = (below: number) => {
          seed = (seed * 48271) % 2147483647;
          return seed % below;
        };
        const pool = Array.from({ length: 40 }, (_, i) =>
          i % 3 === 0 ? { type: 'data', data: `${i}` } : long(`${i}`),
        );
        const any = () => pool[random(pool.length)]!;
        const kept: { readonly id: string; readonly pieces: readonly CheckpointPart[] }[] = [];
        for (let step = 0; step < 400; step += 1) {
          const parent = random(10) === 0 ? kept[random(kept.length || 1)] : kept.at(-1);
          const before = parent?.pieces ?? [];
          const grown = [...before, any(), any()];
          const pieces = [
            grown,
            grown,
            grown,
            before.slice(0, random(before.length + 1)),
            before.map((piece) => (random(before.length) === 0 ? any() : piece)),
            before,
            [any()],
          ][before.length === 0 ? 0 : random(7)]!;
          const id = `c${String(step).padStart(4, '0')}`;
          await keep(checkpoint(id, parent?.id ?? null, { changed: new Map([['m', list(pieces)]]) }));
          kept.push({ id, pieces });
          // Another process would come with an empty memory.
          if (random(40) === 0) {
            await sessions.close();
            sessions = place.open();
            lease = await sessions.threads.acquire('thread');
          }
        }
        const reader = place.open();
        for (const { id, pieces } of kept)
          expect(
            (await reader.checkpoints.get({ thread: 'thread', namespace: '', id }))!.channels.get('m'),
          ).toEqual(list(pieces));
        await reader.close();
      });

      it('take from their parent what did not change, and nothing it does not have', async () => {
        await keep(
          checkpoint('c1', null, {
            changed: new Map([
              ['a', one('1')],
              ['b', one('2')],
            ]),
          }),
        );
        await keep(checkpoint('c2', 'c1', { changed: new Map([['a', one('3')]]), kept: ['b', 'c'] }));
        expect(await channels('c2')).toEqual({ a: one('3'), b: one('2') });
        expect(await channels('c1')).toEqual({ a: one('1'), b: one('2') });
      });

      it('are latest by arrival, and listed by id', async () => {
        for (const id of ['c3', 'c1', 'c2']) await keep(checkpoint(id, null));
        expect((await sessions.checkpoints.latest('thread', ''))?.id).toBe('c2');
        const ids = async (query: object) =>
          (await sessions.checkpoints.heads({ thread: 'thread', ...query })).map(({ id }) => id);
        expect(await ids({})).toEqual(['c3', 'c2', 'c1']);
        expect(await ids({ before: 'c3', limit: 1 })).toEqual(['c2']);
        expect(await ids({ id: 'c1' })).toEqual(['c1']);
        expect(await ids({ namespace: 'sub' })).toEqual([]);
        expect(await ids({ limit: 0 })).toEqual([]);
      });

      it('keep the first write of a task at a place, and the last of those it has one of', async () => {
        const writes = [
          write({ content: one('1') }),
          write({ content: one('2') }),
          write({ index: -1, content: one('1') }),
          write({ index: -1, content: one('2') }),
        ];
        await sessions.checkpoints.write(lease, { checkpoints: [], writes });
        const found = await sessions.checkpoints.writes({ thread: 'thread', namespace: '', id: 'c1' });
        expect(found.map(({ index, content }) => [index, content])).toEqual([
          [-1, one('2')],
          [0, one('1')],
        ]);
      });

      it('keep equal pieces once, and say what a thread takes', async () => {
        const words = Array.from({ length: 200 }, (_, i) => long(`${i}`));
        let parent: string | null = null;
        for (let n = 1; n <= 200; n += 1) {
          const id = `c${String(n).padStart(4, '0')}`;
          // Copies: what is equal is found by its content, too.
          const pieces = words.slice(0, n).map((piece) => ({ ...piece }));
          const last = pieces.at(-1)!;
          await sessions.checkpoints.write(lease, {
            checkpoints: [checkpoint(id, parent, { changed: new Map([['m', list(pieces)]]) })],
            writes: [write({ checkpoint: id, content: list([last]) })],
          });
          parent = id;
        }
        const [usage] = await sessions.checkpoints.usage('thread');
        expect(usage).toMatchObject({ thread: 'thread', checkpoints: 200, writes: 200, pieces: 200 });
        const said = words.reduce((sum, { data }) => sum + data.length, 0);
        expect(usage!.bytes).toBeGreaterThan(said);
        expect(usage!.bytes).toBeLessThan(2 * said);
      });

      it('keep all of a batch or nothing, and go on after that', async () => {
        const broken = checkpoint('c1', null, { metadata: undefined as unknown as string });
        const pieces = Array.from({ length: 9 }, (_, i) => long(`${i}`));
        await expect(
          sessions.checkpoints.write(lease, {
            checkpoints: [checkpoint('c0', null, { changed: new Map([['m', list(pieces)]]) }), broken],
            writes: [write()],
          }),
        ).rejects.toThrow();
        expect(await sessions.checkpoints.usage('thread')).toEqual([]);
        await keep(checkpoint('c2', null, { changed: new Map([['m', list(pieces)]]) }));
        expect(await channels('c2')).toEqual({ m: list(pieces) });
      });
    });

    describe('schedules', () => {
      const schedule: Schedule = {
        ...{ id: 's', prompt: 'Look.', thread: null, missed: 'once', jitterMs: 0, limits: {}, enabled: true },
        trigger: { kind: 'event', names: ['create_page'] },
        paths: ['Mill/**'],
      };

      it('know since when they are there, and begin anew when they are enabled again', async () => {
        const clock = manualClock(1_000);
        const { schedules, close } = place.open({ clock });
        expect(await schedules.add(schedule, null)).toMatchObject({
          ...schedule,
          created: 1_000,
          since: 1_000,
        });
        clock.advance(10);
        expect(await schedules.enable('s', true, null)).toMatchObject({ since: 1_000 });
        expect(await schedules.enable('s', false, null)).toMatchObject({ enabled: false, since: 1_000 });
        clock.advance(10);
        const again = await schedules.enable('s', true, 5_000);
        expect(again).toMatchObject({ ...schedule, next: 5_000, created: 1_000, since: 1_020 });
        expect(await schedules.list()).toEqual([again]);
        expect(await readRefusal(() => schedules.enable('none', true, null))).toBe('not_found');
        // The address of the store is for its operator, not for each member of a team.
        await expect(schedules.get('none')).rejects.toThrow(/^There is no schedule none$/);
        await close();
      });

      it.runIf(mayQueue)('have one fire for one event, and tell those that a person started', async () => {
        const { schedules, queue } = sessions;
        await schedules.add(schedule, null);
        const fire = { key: 'event/w1', due: 5, at: 7, payload: { name: 'create_page' } };
        expect(await schedules.advance('s', null, [fire], null)).toBe(true);
        expect(await schedules.advance('s', null, [fire], null)).toBe(true);
        await queue.enqueue([
          createFireJob('s', { key: 'now-9', due: 9, at: 9, payload: null, byHand: true }),
        ]);
        expect(await schedules.fires('s')).toMatchObject([
          { id: 's/now-9', due: 9, payload: null, state: 'waiting', byHand: true },
          { id: 's/event/w1', due: 5, at: 7, payload: { name: 'create_page' }, byHand: false },
        ]);
      });
    });
  });
}
