/** A machine that goes again and again takes nothing with it: a run, a turn and a group of alerts that work are not given up. */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  noPostgres,
  type TestPostgres,
  testPostgres,
} from '../../store/postgres/postgres-server.contract.ts';
import { newHome, type StartedProcess, sonde, startSonde } from '../testbed/run-sonde.ts';
import { createSmallTree } from '../testbed/small-tree.ts';
import { createSmallWorld } from '../testbed/small-world.ts';

const replay = fileURLToPath(new URL('../../../examples/incident', import.meta.url));
const token = 'a-token-of-the-senders';
/** More than the crashes that a run survives, or an older version's deaths of a turn or a group. */
const kills = 7;

describe.skipIf(noPostgres() !== null)('a worker that is killed again and again', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await testPostgres();
  });
  afterAll(() => postgres?.close());

  it(`${kills} times at a run, a turn and a group of alerts: each is done in the end`, async () => {
    const url = await postgres.freshDatabase();
    const [home, frontHome] = [newHome(), newHome()];
    const started: StartedProcess[] = [];
    const env = { SONDE_STORE: 'postgres', SONDE_STORE_URL: url };
    const begin = (args: readonly string[], at: string, more = {}): StartedProcess => {
      const one = startSonde(args, { env: { ...env, ...more }, home: at });
      started.push(one);
      return one;
    };
    const end = async ({ child, ended }: StartedProcess): Promise<void> => {
      child.kill('SIGKILL');
      await ended;
    };
    await createSmallWorld(home);
    const tree = createSmallTree();
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-C', tree, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args]);
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'one');
    const worker = async (): Promise<StartedProcess> => {
      const one = begin(
        [
          ...['worker', '--repositories', `parcels=${tree}`, '--workspaces', 'main', '--signals'],
          ...['--replay', replay, '--json'],
        ],
        home,
        { SONDE_MODEL: 'extractive' },
      );
      await one.waitFor((said) => said.includes('"ready":true'));
      return one;
    };
    const [client, lock] = [await postgres.connect(url), await postgres.connect(url)];
    const jobs = async (): Promise<
      readonly { topic: string; state: string; deaths: number; pid: number }[]
    > => {
      const { rows } = await client.query(
        `SELECT topic, state, deaths, holder FROM sonde.queue_jobs
        UNION ALL SELECT topic, state, deaths, holder FROM sonde_w_main.queue_jobs ORDER BY topic`,
      );
      return rows.map(({ topic, state, deaths, holder }) => ({
        ...{ topic, state, deaths: Number(deaths), pid: JSON.parse(holder ?? '{}').pid },
      }));
    };
    try {
      const front = begin(['serve', '--workspace', 'main', '--alerts', '--port', '0'], frontHome, {
        SONDE_STORE_URL: await postgres.frontOf(url),
        SONDE_ALERTS_TOKEN: token,
      });
      const address = await front.waitFor((said) => /workspace at (http\S+)/.exec(said)?.[1]);
      const file = await front.waitFor((said) => /The token is in (\S+)\.\n/.exec(said)?.[1]);
      const post = async (path: string, bearer: string, body: object): Promise<void> => {
        const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
        const answer = await fetch(`${address}${path}`, {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
        });
        expect([path, answer.ok]).toEqual([path, true]);
      };
      const ownToken = readFileSync(file, 'utf8').trim();
      const asked = ['queue', 'add', 'How is a failed delivery retried?', 'parcels', '--json'];
      expect((await sonde(asked, { env, home: frontHome })).status).toBe(0);
      await post('/api/v1/threads', ownToken, { id: 'talk' });
      await post('/api/v1/threads/talk/messages', ownToken, { text: 'What is the lamp?', message_id: 'm' });
      await post('/alerts', token, { alertname: 'Slow', service: 'tickets' });
      // Nothing that they do can be stored, so that none of them is over before the machine goes.
      await lock.query('BEGIN');
      await lock.query('LOCK TABLE sonde.events, sonde_w_main.thread_events IN SHARE MODE');
      for (let round = 1; round <= kills; round += 1) {
        const one = await worker();
        const isAtAll = async () => (await jobs()).every(({ pid }) => pid === one.child.pid);
        // What can't be stored may just be tried again at any moment: some rounds may miss one of them.
        for (const began = Date.now(); Date.now() - began < 45_000 && !(await isAtAll()); ) await sleep(50);
        await end(one);
      }
      await lock.query('ROLLBACK');
      await worker();
      await expect
        .poll(async () => (await jobs()).map(({ state }) => state), { timeout: 180_000, interval: 200 })
        .toEqual(['done', 'done', 'done']);
      for (const { topic, deaths } of await jobs()) expect([topic, deaths > 3]).toEqual([topic, true]);
    } finally {
      for (const one of started) await end(one);
      await Promise.all([client.end(), lock.end()]);
      for (const folder of [home, frontHome, tree]) rmSync(folder, { recursive: true, force: true });
    }
  });
});
