/** Workers as real processes, over a real server: what they are asked is answered once, whatever becomes of them. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  noPostgres,
  type TestPostgres,
  testPostgres,
} from '../../store/postgres/postgres-server.contract.ts';
import { killRunProcesses } from '../testbed/kill-children.ts';
import { newHome, type StartedProcess, sonde, startSonde } from '../testbed/run-sonde.ts';
import { createSmallTree } from '../testbed/small-tree.ts';

const question = 'How is a failed delivery retried?';
const rounds = process.env['TRIALS'] === 'all' ? 20 : 3;

describe.skipIf(noPostgres() !== null)('workers', () => {
  let postgres: TestPostgres;
  let tree: string;
  let commit: string;
  let url: string;
  let homes: string[];
  let workers: StartedProcess[];
  beforeAll(async () => {
    postgres = await testPostgres();
    tree = createSmallTree();
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-C', tree, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
        encoding: 'utf8',
      }).trim();
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'one');
    commit = git('rev-parse', 'HEAD');
  });
  afterAll(async () => {
    await postgres?.close();
    rmSync(tree, { recursive: true, force: true });
  });
  beforeEach(async () => {
    url = await postgres.freshDatabase();
    [homes, workers] = [[], []];
  });
  afterEach(async () => {
    for (const { child, ended } of workers) {
      child.kill('SIGKILL');
      await ended;
    }
    for (const home of homes) rmSync(home, { recursive: true, force: true });
  });

  const home = (): string => {
    homes.push(newHome());
    return homes.at(-1)!;
  };
  const env = (more = {}) => ({ SONDE_STORE: 'postgres', SONDE_STORE_URL: url, ...more });
  /** At a machine that has neither material nor keys. */
  const front = async (...args: readonly string[]) => {
    const { stdout, stderr, status } = await sonde([...args, '--json'], {
      env: env(),
      home: homes[0] ?? home(),
    });
    expect(stderr).not.toContain('store-password');
    return { status, said: JSON.parse(stdout) };
  };
  async function begin(
    repositories: string,
    at = home(),
    more: readonly string[] = [],
  ): Promise<StartedProcess> {
    const args = ['worker', '--repositories', repositories, '--json', '--slots', '3', ...more];
    const worker = startSonde(args, { env: env({ SONDE_MODEL: 'extractive' }), home: at });
    workers.push(worker);
    await worker.waitFor((said) => said.includes('"ready":true'));
    return worker;
  }
  const queued = async (n: number) => {
    await front('team', 'add', 'post', '--repository', 'parcels');
    const order = [`${question} (${n})`, 'parcels', '--commit', commit, '--team', 'post'];
    return (await front('queue', 'add', ...order)).said.run_id;
  };
  async function settled(): Promise<{
    readonly counts: Record<string, number>;
    readonly jobs: { why: string }[];
  }> {
    for (;;) {
      const { said } = await front('queue', 'ls');
      if (said.counts.waiting + said.counts.running === 0) return said;
      await sleep(200);
    }
  }

  it('take what they can reach; what nobody reaches waits and says why; a front shows it without material', async () => {
    const run = await queued(1);
    const why = async () => (await front('queue', 'ls')).said.jobs[0].why;
    expect(await why()).toBe('no worker is running');
    await begin(`else=${tree}`);
    await expect.poll(why, { timeout: 20_000 }).toBe('no worker has parcels');
    const at = home();
    const worker = await begin(`parcels=${tree}`, at, ['--port', '0']);
    expect((await settled()).counts).toMatchObject({ done: 1, failed: 0 });
    const address = await worker.waitFor((said) => /"url":"([^"]+)"/.exec(said)?.[1]);
    expect((await fetch(`${address}/health`)).status).toBe(200);
    expect((await fetch(`${address}/ready`)).status).toBe(200);
    expect(await (await fetch(`${address}/metrics`)).text()).toMatch(
      /sonde_worker_runs\w*\{outcome="done"\} 1/,
    );
    worker.child.kill('SIGTERM');
    expect((await worker.ended).status).toBe(0);
    rmSync(at, { recursive: true });
    const { said } = await front('show', run, '--evidence');
    expect(JSON.stringify(said)).toContain('delivery.ts');
    const shown = await sonde(['show', run], { env: env(), home: homes[0]! });
    expect(shown.stdout).toMatch(/src\/delivery\.ts:\d+/);
  });

  it('take no order and no rule for a team that nobody made', async () => {
    for (const args of [
      ['queue', 'add', question, 'parcels', '--team', 'psot'],
      ['queue', 'limit', '3', '--team', 'psot'],
    ]) {
      const { status, said } = await front(...args);
      expect({ status, code: said.error.code }).toEqual({ status: 2, code: 'not_found' });
      expect(said.error.message).toContain('There is no team "psot"');
    }
  });

  it('read for a team only the repositories that it was given', async () => {
    await front('team', 'add', 'red', '--repository', 'else');
    const add = () => front('queue', 'add', question, 'parcels', '--commit', commit, '--team', 'red');
    const refused = await sonde(['queue', 'add', question, 'parcels', '--team', 'red'], {
      env: env(),
      home: homes[0]!,
    });
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain('Runs of team red may not read the repository parcels');
    await front('team', 'add', 'red', '--repository', 'parcels');
    await add();
    // It loses the repository while the run waits.
    await front('team', 'add', 'red', '--repository', 'parcels', '--remove');
    await begin(`parcels=${tree}`);
    expect((await settled()).counts).toMatchObject({ done: 0, failed: 1 });
    const { jobs } = (await front('queue', 'ls', '--dead')).said;
    expect(jobs[0].why).toContain('may not read the repository parcels');
    await front('team', 'add', 'red', '--repository', 'parcels');
    await front('queue', 'retry', '--dead');
    expect((await settled()).counts).toMatchObject({ done: 1, failed: 0 });
  });

  it(`go on with each other's runs, ${rounds} times killed`, async () => {
    const runs: string[] = [];
    const places = [home(), home()];
    const pair = await Promise.all(places.map((at) => begin(`parcels=${tree}`, at)));
    for (let round = 0; round < rounds; round += 1) {
      for (let n = 0; n < 3; n += 1) runs.push(await queued(round * 10 + n));
      const victim = pair[round % 2]!;
      const exit = once(victim.child, 'exit');
      victim.child.kill('SIGKILL');
      await exit;
      pair[round % 2] = await begin(`parcels=${tree}`, places[round % 2]);
    }
    const { counts } = await settled();
    expect(counts).toMatchObject({ done: runs.length, failed: 0, cancelled: 0 });
    for (const run of runs) {
      const { said } = await front('show', run, '--trace');
      const kinds: string[] = JSON.stringify(said).match(/run_finished/g) ?? [];
      expect([run, kinds.length <= 1]).toEqual([run, true]);
    }
  });

  it('what kills each process that is at it takes no worker with it, and ends dead with a reason', async () => {
    const worker = await begin(`parcels=${tree}`);
    const run = await queued(1);
    const killing = killRunProcesses(worker.child.pid!);
    const killed = await settled()
      .then(killing.stop)
      .finally(() => killing.stop());
    const { jobs } = (await front('queue', 'ls', '--dead')).said;
    expect(jobs).toMatchObject([
      {
        run,
        state: 'dead',
        deaths: 3,
        why: expect.stringContaining('was stopped: its own process died 3 times'),
      },
    ]);
    expect([killed, worker.child.exitCode]).toEqual([3, null]);
    await front('queue', 'retry', run);
    expect((await settled()).counts).toMatchObject({ done: 1, failed: 0 });
  });
});
