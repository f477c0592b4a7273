/** Who works the groups off, over a real database: what fails, what was left, and what another one is at. */
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { SondeError } from '../../core/index.ts';
import { type Database, deathLimits, type Queue } from '../../store/index.ts';
import { type AlertWorkerOptions, openAlertWorker, type StartedGroup } from './alert-worker.ts';
import { alert, deadHolder, openIntake, openIntakeIn } from './alerts.contract.ts';
import { groupTopic } from './groups.ts';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A desk whose investigations end when they are told. */
function deskFor(queue: Queue, options: Partial<AlertWorkerOptions> = {}) {
  const started: string[] = [];
  const open = new Map<string, { done(): void; fail(thrown?: Error): void }>();
  let [max, runs] = [0, 0];
  const desk = openAlertWorker({
    queue,
    workers: 2,
    lookMs: 1,
    backoffMs: 0,
    tell: () => {},
    createRunId() {
      runs += 1;
      return `run-${runs}`;
    },
    storeRun: async () => {},
    progress: async () => 0,
    runToEnd: (run, { signal }) => {
      started.push(run);
      return new Promise<null>((resolve, reject) => {
        const end = (): void => void open.delete(run);
        open.set(run, {
          done() {
            end();
            resolve(null);
          },
          fail: (thrown = new Error('no power')) => {
            end();
            reject(thrown);
          },
        });
        max = Math.max(max, open.size);
        signal.addEventListener('abort', () => resolve(null), { once: true });
      });
    },
    ...options,
  });
  closers.push(() => desk.close());
  return { desk, started, open, mostAtOnce: () => max };
}

const until = async (met: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await met())) await turn();
};

/** Groups that a process had when it died. */
async function leftBy(db: Database, ...names: readonly string[]): Promise<void> {
  const { receive, start } = openIntakeIn(db, { holder: deadHolder });
  for (const [n, name] of names.entries()) {
    await receive(alert(name));
    await start(`before-${n + 1}`);
  }
}

describe('the desk', () => {
  it('works off what waits, so many at a time', async () => {
    const { groups, jobs, receive } = openIntake();
    for (const name of ['A', 'B', 'C', 'D', 'E']) await receive(alert(name));
    const { desk, started, open, mostAtOnce } = deskFor(jobs);
    desk.wake();
    await until(async () => {
      for (const { done } of open.values()) done();
      return (await groups.counts()).done === 5;
    });
    await desk.idle();
    expect(started).toEqual(['run-1', 'run-2', 'run-3', 'run-4', 'run-5']);
    expect(mostAtOnce()).toBe(2);
  });

  it('takes up what a crash left, and leaves what fails again and again, with its reason', async () => {
    const { groups, jobs, db } = openIntake();
    await leftBy(db, 'A');
    const { desk, started, open } = deskFor(jobs);
    await until(async () => {
      for (const { fail } of open.values()) fail();
      return (await groups.counts()).failed === 1;
    });
    await desk.idle();
    expect(started).toEqual(['before-1', 'before-1', 'before-1']);
    expect((await groups.list({ state: 'failed', max: 9 })).groups).toMatchObject([
      { id: 1, run: 'before-1', reason: 'no power' },
    ]);
  });

  it('what cannot be begun is failed with its reason, and the others are investigated', async () => {
    const { groups, jobs, receive } = openIntake();
    for (const name of ['A', 'B', 'C']) await receive(alert(name));
    const told: string[] = [];
    const create = async ({ id }: StartedGroup): Promise<void> => {
      if (id === 2) throw new SondeError('bad_argument', { message: 'The alert is odd' });
    };
    const { desk, started, open } = deskFor(jobs, { storeRun: create, tell: (line) => told.push(line) });
    desk.wake();
    await until(async () => {
      for (const { done } of open.values()) done();
      return (await groups.counts()).done === 2;
    });
    expect(started).toEqual(['run-1', 'run-3']);
    expect((await groups.list({ state: 'failed', max: 9 })).groups).toMatchObject([
      { id: 2, run: 'run-2', reason: 'The alert is odd' },
    ]);
    expect(told.join('\n')).toContain('group 2 cannot be investigated: The alert is odd');
  });

  it('what failed is investigated again when somebody asks for it', async () => {
    const { groups, jobs, receive, db } = openIntake();
    await receive(alert('A'));
    const { desk, started, open } = deskFor(jobs);
    desk.wake();
    await until(async () => {
      for (const { fail } of open.values()) fail();
      return (await groups.counts()).failed === 1;
    });
    // By another process, of which the desk is not told.
    expect(await openIntakeIn(db).groups.retry(1)).toMatchObject({
      id: 1,
      state: 'waiting',
      reason: null,
      run: 'run-1',
    });
    await until(() => open.size === 1);
    open.get('run-1')!.done();
    await desk.idle();
    expect(started).toHaveLength(4);
    expect(await groups.counts()).toMatchObject({ done: 1, failed: 0 });
  });

  it('a store that cannot be written fails no group, and is tried again', async () => {
    const { groups, jobs, receive } = openIntake();
    await receive(alert('A'));
    let times = 0;
    const locked = (): never => {
      throw new SondeError('store_locked', { message: 'Another process writes', remedy: 'Wait.' });
    };
    const { desk, open } = deskFor({
      ...jobs,
      claim: async (request) => {
        times += 1;
        return times < 3 ? locked() : jobs.claim(request);
      },
    });
    desk.wake();
    await until(() => open.size === 1);
    for (const { done } of open.values()) done();
    await desk.idle();
    expect(await groups.counts()).toMatchObject({ done: 1, failed: 0 });
  });

  it('what the end of the program cuts short is left for the next one, and counts as no death', async () => {
    const { groups, jobs, receive } = openIntake();
    await receive(alert('A'));
    const { desk, started } = deskFor(jobs);
    desk.wake();
    await until(() => started.length === 1);
    await desk.close();
    expect(await groups.counts()).toMatchObject({ waiting: 1 });
    const [claim] = await jobs.claim({ topic: groupTopic, max: 1 });
    expect(claim?.job).toMatchObject({ kept: { run: 'run-1' }, deaths: 0 });
  });
});

describe('a group that somebody is at', () => {
  it('is not touched by a second desk on the same database', async () => {
    const { receive, groups, jobs, db } = openIntake();
    await receive(alert('A'));
    const first = deskFor(jobs);
    first.desk.wake();
    await until(() => first.started.length === 1);
    // Another process of this machine that lives: the one that started this one.
    const other = openIntakeIn(db, { holder: { ...deadHolder, pid: process.ppid, started: '' } });
    const second = deskFor(other.jobs);
    await second.desk.idle();
    expect(second.started).toEqual([]);
    expect(await groups.counts()).toMatchObject({ running: 1 });
    first.open.get('run-1')!.done();
    await first.desk.idle();
    expect(await groups.counts()).toMatchObject({ done: 1 });
  });

  it('whose run another process has waits until that is over', async () => {
    const { groups, jobs, receive, clock } = openIntake();
    await receive(alert('A'));
    const { desk, open } = deskFor(jobs);
    desk.wake();
    await until(() => open.size === 1);
    open
      .get('run-1')!
      .fail(new SondeError('run_state', { message: 'Process 7 is working on it', details: { pid: 7 } }));
    await desk.idle();
    expect(await groups.counts()).toMatchObject({ waiting: 1, failed: 0 });
    clock.advance(1);
    await until(() => open.size === 1);
    expect((await jobs.list({ topic: groupTopic, max: 1 })).jobs).toMatchObject([{ attempts: 0, deaths: 0 }]);
  });
});

describe('a group over which its process dies', () => {
  it('is taken up alone among those, and failed after ten deaths that added nothing', async () => {
    const { db } = openIntake();
    await leftBy(db, 'A', 'B');
    // Each of the next lives ends while it is at the first.
    for (let life = 1; life < deathLimits.idleDeaths; life += 1) {
      const { jobs } = openIntakeIn(db, { holder: { ...deadHolder, started: `${life}0` } });
      const claims = await jobs.claim({ topic: groupTopic, max: 9, careful: true });
      expect(claims.map(({ job }) => [job.id, job.deaths])).toEqual([[1, life]]);
    }
    const { groups, jobs } = openIntakeIn(db);
    const { desk, started, open } = deskFor(jobs);
    await until(() => open.size === 1);
    expect(started).toEqual(['before-2']);
    expect((await groups.list({ state: 'failed', max: 9 })).groups).toMatchObject([
      { id: 1, reason: expect.stringContaining('was stopped: 10 processes') },
    ]);
    open.get('before-2')!.done();
    await desk.idle();
  });
});
