/** A front that takes alerts and workers that investigate them, as real processes over a real server. */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  noPostgres,
  type TestPostgres,
  testPostgres,
} from '../../store/postgres/postgres-server.contract.ts';
import { killRunProcesses } from '../testbed/kill-children.ts';
import { newHome, type StartedProcess, sonde, startSonde } from '../testbed/run-sonde.ts';

const replay = fileURLToPath(new URL('../../../examples/incident', import.meta.url));
const token = 'a-token-of-the-senders';
const rounds = process.env['TRIALS'] === 'all' ? 20 : 3;

describe.skipIf(noPostgres() !== null)('alerts of a team', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await testPostgres();
  });
  afterAll(() => postgres?.close());

  it(`are investigated by whichever worker lives, ${rounds} times killed, and shown at the front`, async () => {
    const url = await postgres.freshDatabase();
    const env = { SONDE_STORE: 'postgres', SONDE_STORE_URL: url };
    const frontUrl = await postgres.frontOf(url);
    const homes = Array.from({ length: 3 }, newHome);
    const started: StartedProcess[] = [];
    const begin = async (args: readonly string[], home: string, more: object, ready: string) => {
      const one = startSonde(args, { env: { ...env, ...more }, home });
      started.push(one);
      return { one, address: await one.waitFor((said) => new RegExp(ready).exec(said)?.[1]) };
    };
    const worker = (home: string) =>
      begin(
        ['worker', '--signals', '--replay', replay, '--json'],
        home,
        { SONDE_MODEL: 'extractive' },
        '"ready":(true)',
      );
    const listed = async () => {
      const { stdout } = await sonde(['alerts', 'ls', '--json'], { env, home: homes[0]! });
      return JSON.parse(stdout) as { groups: { state: string; run: string | null }[]; alerts: number };
    };
    const client = await postgres.connect(url);
    /** The worker that is at a group, by its place; a group may still be held by one that was killed. */
    async function atWork(workers: readonly { readonly one: StartedProcess }[]): Promise<number> {
      for (;;) {
        const text = `SELECT holder FROM sonde.queue_jobs WHERE topic = 'alert groups' AND state = 'running'`;
        const { rows } = await client.query(text);
        const holders = rows.map(({ holder }) => JSON.parse(holder).pid);
        const nth = workers.findIndex(({ one }) => holders.includes(one.child.pid));
        if (nth !== -1) return nth;
      }
    }
    try {
      const { address } = await begin(
        ['serve', '--alerts', '--port', '0'],
        homes[0]!,
        { SONDE_ALERTS_TOKEN: token, SONDE_STORE_URL: frontUrl },
        'alerts at (http\\S+)/alerts',
      );
      const post = async (name: string): Promise<unknown> => {
        const body = JSON.stringify({ alertname: name, service: 'tickets' });
        const headers = { authorization: `Bearer ${token}`, 'x-delivery': name };
        const { status } = await fetch(`${address}/alerts`, { method: 'POST', headers, body });
        return status;
      };
      expect(await post('Waiting')).toBe(202);
      expect((await listed()).groups).toMatchObject([{ state: 'waiting', run: null }]);
      const workers = [await worker(homes[1]!), await worker(homes[2]!)];
      for (let round = 0; round < rounds; round += 1) {
        for (const n of [1, 2]) expect(await post(`Round${round}-${n}`)).toBe(202);
        const nth = await atWork(workers);
        workers[nth]!.one.child.kill('SIGKILL');
        await workers[nth]!.one.ended;
        workers[nth] = await worker(homes[1 + nth]!);
      }
      const all = 1 + 2 * rounds;
      const states = async () => (await listed()).groups.map(({ state }) => state);
      await expect.poll(states, { timeout: 120_000, interval: 500 }).toEqual(Array(all).fill('done'));
      const { groups, alerts } = await listed();
      expect([alerts, new Set(groups.map(({ run }) => run)).size]).toEqual([all, all]);
      // The front has neither material nor the workers' homes.
      for (const home of homes.slice(1)) rmSync(home, { recursive: true, force: true });
      const shown = await sonde(['show', groups[0]!.run!, '--json'], { env, home: homes[0]! });
      expect([shown.status, shown.stdout]).toEqual([0, expect.stringContaining('"verdict"')]);
      const measured = await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${token}` } });
      expect(await measured.text()).toMatch(/shape="incident"/);
    } finally {
      await client.end();
      for (const { child, ended } of started) {
        child.kill('SIGKILL');
        await ended;
      }
      for (const home of homes) rmSync(home, { recursive: true, force: true });
    }
  });

  it('that kill each process that investigates them take no worker with them, and end with a reason', async () => {
    const env = { SONDE_STORE: 'postgres', SONDE_STORE_URL: await postgres.freshDatabase() };
    const [frontHome, home] = [newHome(), newHome()];
    const front = startSonde(['serve', '--alerts', '--port', '0'], {
      env: {
        ...env,
        SONDE_ALERTS_TOKEN: token,
        SONDE_STORE_URL: await postgres.frontOf(env.SONDE_STORE_URL),
      },
      home: frontHome,
    });
    const worker = startSonde(['worker', '--signals', '--replay', replay, '--json'], {
      env: { ...env, SONDE_MODEL: 'extractive' },
      home,
    });
    const groups = async (): Promise<readonly { id: number; state: string; reason: string | null }[]> =>
      JSON.parse((await sonde(['alerts', 'ls', '--json'], { env, home: frontHome })).stdout).groups;
    const killing = killRunProcesses(worker.child.pid!);
    try {
      const address = await front.waitFor((said) => /alerts at (http\S+)\/alerts/.exec(said)?.[1]);
      await worker.waitFor((said) => said.includes('"ready":true'));
      const headers = { authorization: `Bearer ${token}` };
      const body = JSON.stringify({ alertname: 'Poison', service: 'tickets' });
      expect((await fetch(`${address}/alerts`, { method: 'POST', headers, body })).status).toBe(202);
      await expect
        .poll(groups, { timeout: 60_000, interval: 200 })
        .toMatchObject([
          { state: 'failed', reason: expect.stringContaining('its own process died 3 times') },
        ]);
      expect([await killing.stop(), worker.child.exitCode]).toEqual([3, null]);
      const id = (await groups())[0]!.id;
      expect((await sonde(['queue', 'retry', String(id)], { env, home: frontHome })).status).toBe(0);
      await expect.poll(groups, { timeout: 60_000, interval: 200 }).toMatchObject([{ state: 'done' }]);
    } finally {
      await killing.stop();
      for (const { child, ended } of [front, worker]) {
        child.kill('SIGKILL');
        await ended;
      }
      for (const folder of [frontHome, home]) rmSync(folder, { recursive: true, force: true });
    }
  });
});
