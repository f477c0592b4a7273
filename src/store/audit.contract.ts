/**
 * What every audit store must do. An engine's own test calls `auditContract` with a factory of fixtures: each is
 * fresh, and has the store, the sessions and the audit of one database.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Audit } from './audit.ts';
import type { Sessions } from './sessions/open-sessions.ts';
import type { Schedule } from './sessions/schedules.ts';
import type { Store } from './store.ts';

export interface AuditFixture {
  readonly store: Store;
  readonly sessions: Sessions;
  readonly audit: Audit;
  /** Tries SQL as a user who may write; it must fail. */
  tryRawSql(sql: string): Promise<void>;
  close(): Promise<void>;
}

const ann = { name: 'user:ann', team: 'red' };
const bob = { name: 'token:bob\u0000', team: '' };
const schedule: Schedule = {
  ...{ id: 'daily', trigger: { kind: 'interval', everyMs: 60_000 }, prompt: 'hunter22secret', thread: null },
  ...{ missed: 'once', jitterMs: 0, limits: {}, enabled: true },
} as Schedule;
const run = { shape: 'research', question: 'hunter22secret', root: '/', params: { said: 'hunter22secret' } };
const job = { topic: 'runs', payload: { question: 'hunter22secret' } };

export function auditContract(name: string, make: () => Promise<AuditFixture>): void {
  describe(`audit: ${name}`, () => {
    let place: AuditFixture;
    beforeEach(async () => {
      place = await make();
    });
    afterEach(() => place.close());

    const rows = async () =>
      (await place.audit.list({ max: 100 })).map(
        ({ actor, team, act, on, result }) => `${actor}|${team}|${act}|${on}|${result}`,
      );
    const readSortedRows = async () => (await rows()).toSorted();

    async function finish(id: string): Promise<void> {
      const { runs } = place.store;
      const lease = await runs.acquire(id);
      runs.finish(id, lease);
      await place.store.commit(lease);
      await lease.release();
    }

    it('has one row for each act, and no text', async () => {
      const { store, sessions } = place;
      const { schedules, roles, queue } = sessions;
      await schedules.add(schedule, 60_000, ann);
      await schedules.enable('daily', false, null, ann);
      await schedules.enable('daily', true, 60_000, ann);
      await schedules.remove('daily', ann);
      const here = { level: 'workspace', within: '' } as const;
      await roles.set(here, { content: 'hunter22secret', appliesTo: null }, ann);
      await roles.set({ level: 'thread', within: 't1' }, null, ann);
      const [added] = await queue.enqueue([{ ...job, key: 'r1' }], { by: ann });
      await queue.setRule({ topic: 'runs', team: 'red', shape: null, max: 3, paused: false }, ann);
      await queue.setRule({ topic: 'runs', team: null, shape: 'ask', max: null, paused: true }, ann);
      await queue.setRule({ topic: 'runs', team: null, shape: 'ask', max: null, paused: false }, ann);
      await queue.cancel(added!.kind === 'full' ? 0 : added!.job.id, ann);
      const [failing] = await queue.enqueue([{ ...job, key: 'r2' }]);
      const [claim] = await queue.claim({ topic: 'runs', max: 1 });
      await queue.settle(claim!, { kind: 'failed', error: { code: 'x', message: 'x' } });
      await queue.reopen(failing!.kind === 'full' ? 0 : failing!.job.id, ann);
      await store.runs.create({ ...run, id: 'r3' }, ann);
      await finish('r3');
      await store.runs.remove('r3', ann);
      await place.audit.keep({ act: 'run_cancelled', on: 'r4', result: 'asked' }, ann);
      expect(await readSortedRows()).toEqual(
        [
          'schedule_added|daily|done',
          'schedule_disabled|daily|done',
          'schedule_enabled|daily|done',
          'schedule_removed|daily|done',
          'role_set|workspace|done',
          'role_removed|thread t1|done',
          'run_queued|r1|done',
          'queue_rule_set|team red|3 at once',
          'queue_rule_set|each team, ask|paused',
          'queue_rule_set|each team, ask|no limit',
          'job_cancelled|r1|done',
          'job_retried|r2|done',
          'run_started|r3|done',
          'run_removed|r3|done',
          'run_cancelled|r4|asked',
        ]
          .map((line) => `user:ann|red|${line}`)
          .toSorted(),
      );
    });

    it('has no row of what Sonde does by itself', async () => {
      await place.store.runs.create({ ...run, id: 'r1' });
      await place.sessions.schedules.add(schedule, null);
      await place.sessions.queue.enqueue([{ ...job, key: 'r1' }]);
      expect(await rows()).toEqual([]);
    });

    it('has no row of an act that was refused', async () => {
      const { store, sessions } = place;
      await store.runs.create({ ...run, id: 'r1' });
      await sessions.schedules.add(schedule, null);
      const [added] = await sessions.queue.enqueue([{ ...job, key: 'r1' }]);
      const id = added!.kind === 'full' ? 0 : added!.job.id;
      const refused: readonly (() => Promise<unknown>)[] = [
        () => store.runs.create({ ...run, id: 'r1' }, ann),
        () => store.runs.remove('r1', ann),
        () => sessions.schedules.add(schedule, null, ann),
        () => sessions.schedules.remove('none', ann),
        () => sessions.schedules.enable('none', true, null, ann),
        () => sessions.roles.set({ level: 'thread', within: '' }, null, ann),
        () => sessions.queue.reopen(id, ann),
        () => sessions.queue.cancel(id + 1, ann),
      ];
      for (const act of refused) await expect(act()).rejects.toThrow();
      const again = await sessions.queue.enqueue([{ ...job, key: 'r1' }], { by: ann });
      const full = await sessions.queue.enqueue([{ ...job, key: 'r2' }], { by: ann, maxWaiting: 1 });
      expect([...again, ...full].map(({ kind }) => kind)).toEqual(['known', 'full']);
      expect(await rows()).toEqual([]);
    });

    it('lists the newest first, by who and since when, page by page', async () => {
      for (let nth = 0; nth < 7; nth += 1)
        await place.audit.keep({ act: 'run_cancelled', on: `r${nth}` }, nth % 2 === 0 ? ann : bob);
      const all = await place.audit.list({ max: 100 });
      expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).toSorted((a, b) => b - a));
      const seen: string[] = [];
      for (let after = undefined as (typeof all)[number] | undefined; ; ) {
        const some = await place.audit.list({ max: 2, ...(after && { after }) });
        if (some.length === 0) break;
        seen.push(...some.map(({ id }) => id));
        after = some.at(-1);
      }
      expect(seen).toEqual(all.map(({ id }) => id));
      expect((await place.audit.list({ max: 100, actor: 'user:ann' })).length).toBe(4);
      expect((await place.audit.list({ max: 100, actor: bob.name })).length).toBe(3);
      expect((await place.audit.list({ max: 100, since: all[0]!.at + 1 })).length).toBe(0);
      expect((await place.audit.list({ max: 100, since: all.at(-1)!.at })).length).toBe(7);
    });

    it('never changes, whoever writes', async () => {
      await place.audit.keep({ act: 'run_cancelled', on: 'r1' }, ann);
      const before = await place.audit.list({ max: 9 });
      await expect(place.tryRawSql(`UPDATE audit SET actor = 'user:bob'`)).rejects.toThrow();
      await expect(place.tryRawSql('DELETE FROM audit')).rejects.toThrow();
      expect(await place.audit.list({ max: 9 })).toEqual(before);
    });
  });
}
