/** Each finding of `sonde doctor --cluster`, well and broken on purpose: real workers, a real PostgreSQL. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toWorkspaceSchema, upgradeSchema } from '../../store/postgres/index.ts';
import {
  noPostgres,
  type TestPostgres,
  testPostgres,
} from '../../store/postgres/postgres-server.contract.ts';
import { clockAhead, newHome, type StartedProcess, sonde, startSonde } from '../testbed/run-sonde.ts';
import { createSmallTree } from '../testbed/small-tree.ts';
import { createSmallWorld } from '../testbed/small-world.ts';
import type { Finding } from './finding.ts';

const hour = 3_600_000;
/** Longer than a lease and an announcement. Milliseconds. */
const gone = { timeout: 40_000, interval: 500 };

describe.skipIf(noPostgres() !== null)('doctor --cluster', () => {
  let postgres: TestPostgres;
  let url: string;
  let home: string;
  let started: StartedProcess[];
  beforeAll(async () => {
    postgres = await testPostgres();
  });
  afterAll(() => postgres?.close());
  beforeEach(async () => {
    url = await postgres.freshDatabase();
    [home, started] = [newHome(), []];
    await createSmallWorld(home);
  });
  afterEach(async () => {
    for (const { child, ended } of started) {
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(home, { recursive: true, force: true });
  });

  const env = () => ({
    SONDE_STORE: 'postgres',
    SONDE_STORE_URL: url,
    SONDE_BACKUP_FOLDER: join(home, 'copies'),
    SONDE_BACKUP_EVERY: '2s',
  });
  async function worker(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
    const one = startSonde(['worker', ...args, '--json'], { env: { ...env(), ...more }, home });
    started.push(one);
    await one.waitFor((said) => said.includes('"ready":true'));
    return one;
  }
  async function rows(text: string) {
    const client = await postgres.connect(url);
    await client.query(text);
    await client.end();
  }
  async function doctor(more: Readonly<Record<string, string>> = {}) {
    const { status, stdout, stderr } = await sonde(['doctor', '--cluster', '--json'], {
      env: { ...env(), ...more },
      home,
    });
    expect(stdout, stderr).toContain('findings');
    // The address of the store holds a password.
    expect(stdout).not.toContain('store-password');
    const { findings } = JSON.parse(stdout) as { findings: Finding[] };
    const broken = findings.filter(({ state }) => state === 'broken');
    return { status, findings, broken: broken.map(({ name, found }) => `${name}: ${found}`) };
  }
  const brokenNow = async () => (await doctor()).broken;

  it('finds nothing where all is well, and each thing that is not', async () => {
    expect(await doctor()).toMatchObject({ status: 1, broken: ['cluster:workers: none is running'] });

    const runs = await worker(['--repositories', `shop=${createSmallTree()}`]);
    const host = await worker(['--workspaces', 'main']);
    await expect.poll(brokenNow, gone).toEqual([]);
    await expect
      .poll(
        async () => (await doctor()).findings.find(({ name }) => name === 'cluster:backup main')?.state,
        gone,
      )
      .toBe('ok');
    const well = await doctor();
    expect([well.status, well.findings.every(({ state }) => state === 'ok')]).toEqual([0, true]);

    const job = (state: string, more: string) =>
      `INSERT INTO sonde.queue_jobs (topic, key, in_turn, priority, needs, due, payload, state, created, updated, expires)
       VALUES ('runs', '${state}', 0, 5, 'nobody has it', ${more}, '{}', '${state}', ${more}, sonde.now_ms(), ${more})`;
    const breaks: readonly [broken: string, mended: string, found: RegExp][] = [
      [
        job('waiting', `sonde.now_ms() - ${hour}`),
        `DELETE FROM sonde.queue_jobs`,
        /^cluster:waiting: runs: 1 wait, the oldest for 60 minutes$/,
      ],
      [
        job('failed', 'sonde.now_ms()'),
        `DELETE FROM sonde.queue_jobs`,
        /^cluster:dead: runs: 1 failed for good within a day$/,
      ],
      [
        `INSERT INTO sonde.runs VALUES ('rn-1', 'research', '""', '/', '{}', 'running', 0, 0);
         INSERT INTO sonde.leases (run, fence, host, pid, started, expires)
         VALUES ('rn-1', 1, 'elsewhere', 1, 'x', sonde.now_ms() - ${hour})`,
        `DELETE FROM sonde.leases; DELETE FROM sonde.runs`,
        /^cluster:leases: 1 run was left by a process that is gone, 60 minutes ago$/,
      ],
      [
        `CREATE TEMP TABLE made AS SELECT relname::text AS name FROM pg_class
           WHERE relnamespace = 'sonde'::regnamespace AND relname ~ '_d2' AND relkind = 'r'
             AND right(relname, 8) > to_char(sonde.today(), 'YYYYMMDD');
         DO $$ DECLARE name text; BEGIN
           FOR name IN SELECT m.name FROM made m LOOP EXECUTE format('DROP TABLE sonde.%I', name); END LOOP;
         END $$`,
        `SET search_path = sonde; SELECT make_day(today() + 1)`,
        /^cluster:partitions: sonde: none after 2\d{3}-\d\d-\d\d$/,
      ],
      [
        `INSERT INTO sonde.events VALUES (sonde.day_start(sonde.today() + 40), 1, 0, 'a', '{}')`,
        `DELETE FROM sonde.events`,
        /^cluster:partitions: sonde: runs wrote on a day that has no tables; they are removed one by one$/,
      ],
      [
        `UPDATE sonde_w_main.store_schema SET version = version - 1`,
        `UPDATE sonde_w_main.store_schema SET version = version + 1`,
        /^cluster:store: .*sonde_w_main is at version \d+, and this Sonde needs \d+$/,
      ],
    ];
    for (const [broken, mended, found] of breaks) {
      await rows(broken);
      const now = await doctor();
      expect([now.status, ...now.broken]).toEqual([1, expect.stringMatching(found)]);
      await rows(mended);
    }
    expect(await brokenNow()).toEqual([]);
    // Of a store that is older, nothing is called well that was not read.
    await rows('UPDATE sonde.store_schema SET version = version - 1');
    expect((await doctor()).findings.map(({ name }) => name)).not.toContain('cluster:waiting');
    await rows('UPDATE sonde.store_schema SET version = version + 1');

    // Here, and at a worker.
    expect((await doctor(clockAhead(hour))).broken).toEqual([
      'cluster:clocks: this machine is 60 minutes ahead of the database',
    ]);
    await worker(['--repositories', `shop=${createSmallTree()}`], clockAhead(-hour));
    await expect
      .poll(brokenNow, gone)
      .toEqual([expect.stringMatching(/^cluster:clocks: \S+ is 60 minutes behind the database$/)]);

    host.child.kill('SIGKILL');
    await host.ended;
    await rows(`UPDATE sonde_w_main.host_backup SET at = at - ${hour}`);
    await expect
      .poll(brokenNow, gone)
      .toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^cluster:host main: none: \S+ was lost \d+ s ago$/),
          expect.stringMatching(
            /^cluster:backup main: the newest is 6\d minutes old: later changes would be lost with \S+; .*one is due every 2 s$/,
          ),
        ]),
      );
    runs.child.kill('SIGTERM');
    await runs.ended;
  });

  it('finds nothing broken in a workspace that nobody ever hosted and in which nothing waits', async () => {
    await worker(['--repositories', `shop=${createSmallTree()}`]);
    await upgradeSchema({ url, schema: toWorkspaceSchema('mian') });
    const { status, findings } = await doctor();
    expect(findings.find(({ name }) => name === 'cluster:host mian')).toMatchObject({
      state: 'off',
      found: 'it never had a host, and nothing waits in it',
    });
    expect(status).toBe(0);
  });

  it('finds a front from which the database keeps nothing back', async () => {
    await rows(`CREATE ROLE shown LOGIN PASSWORD 'shown'`);
    const letIn = () => sonde(['store', 'upgrade', '--front', 'shown', '--json'], { env: env(), home });
    expect(JSON.parse((await letIn()).stdout)).toMatchObject({ front: 'shown' });
    const fronts = async () => (await doctor()).findings.find(({ name }) => name === 'cluster:fronts');
    expect(await fronts()).toMatchObject({ state: 'ok', found: 'none is connected' });
    const connect = async (address: string) => {
      const client = await postgres.connect(address);
      await client.query(`SET application_name = 'sonde front'`);
      return client;
    };
    const owner = await connect(url);
    expect(await fronts()).toMatchObject({ state: 'off' });
    await rows(`INSERT INTO sonde.teams VALUES ('red', 0), ('blue', 0)`);
    expect(await fronts()).toMatchObject({
      state: 'broken',
      found: expect.stringContaining('tester (it is a superuser)'),
      remedy: expect.stringContaining('sonde store upgrade --front'),
    });
    expect((await doctor()).status).toBe(1);
    await owner.end();
    const front = await connect(url.replace(/\/\/[^@]*@/, '//shown:shown@'));
    expect(await fronts()).toMatchObject({ state: 'ok', found: expect.stringContaining('shown') });
    await front.end();
    const refused = await sonde(['store', 'upgrade', '--front', 'nobody_here'], { env: env(), home });
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('CREATE ROLE')]);
  });

  it('says why where the store does not answer, and that a file has no cluster', async () => {
    const dead = await doctor({ SONDE_STORE_URL: 'postgres://sonde:store-password@127.0.0.1:1/none' });
    expect([dead.status, dead.broken]).toEqual([1, [expect.stringContaining('cluster:store')]]);
    const own = await doctor({ SONDE_STORE: 'sqlite' });
    expect([own.status, own.findings[0]?.state]).toEqual([0, 'off']);
  });
});
