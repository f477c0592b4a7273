/**
 * Whatever is sent, the host lives, its neighbours are taken, and nothing that was answered for is missing, also when
 * the host is killed in between. `ALERT_BODIES=100000` for as many.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openDatabase } from '../../store/index.ts';
import { newHome, type StartedProcess, startSonde } from '../testbed/run-sonde.ts';
import { random, randomBody, type SentBody } from './random-bodies.contract.ts';

const bodies = Number(process.env['ALERT_BODIES'] ?? 1_000);
const kills = Math.max(3, Math.min(20, bodies / 1_000));
const seed = Number(process.env['ALERT_SEED'] ?? 7);
const atOnce = 64;
const token = 'planted-alert-token-0123';
const replay = fileURLToPath(new URL('../../../examples/incident', import.meta.url));

interface Serving extends StartedProcess {
  readonly url: string;
}

async function serve(home: string): Promise<Serving> {
  const started = startSonde(
    ['serve', '--alerts', '--port', '0', '--replay', replay, '--model', 'extractive'],
    { home, env: { SONDE_ALERTS_TOKEN: token, SONDE_ALERTS_QUEUE: '100000' } },
  );
  return { ...started, url: await started.waitFor((said) => /http:\S+\/alerts/.exec(said)?.[0]) };
}

interface Answer {
  readonly taken: readonly { readonly id: number }[];
  readonly refused: readonly unknown[];
}

it(`${bodies} random bodies beside good ones, and ${kills} times kill -9`, async () => {
  const home = newHome();
  const next = random(seed);
  let serving = await serve(home);
  let killing: Promise<void> | null = null;
  const kill = async (): Promise<void> => {
    serving.child.kill('SIGKILL');
    expect((await serving.ended).signal).toBe('SIGKILL');
    serving = await serve(home);
    killing = null;
  };

  const ids = new Set<number>();
  const statuses = new Map<number, number>();
  /** Again until it is answered, as senders do. */
  async function send({ body, headers }: SentBody): Promise<number> {
    for (;;) {
      await killing;
      const { url, child } = serving;
      const reply = await fetch(url, {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${token}` },
        body,
      })
        .then(async (response) => ({ status: response.status, json: (await response.json()) as Answer }))
        .catch(() => null);
      if (reply === null) {
        // Only a host that was killed may leave anything unanswered.
        if (killing === null && serving.child === child && child.exitCode !== null)
          throw new Error((await serving.ended).stderr.slice(-2_000));
        await sleep(5);
        continue;
      }
      const { status, json } = reply;
      if (![202, 207, 400, 413, 429].includes(status)) {
        child.kill('SIGTERM');
        const said = Buffer.from(body).subarray(0, 500).toString('base64');
        const log = (await serving.ended).stderr.slice(-2_000);
        throw new Error(`${status} for ${JSON.stringify(headers)} ${said}\n${JSON.stringify(json)}\n${log}`);
      }
      expect(json.taken.length > 0).toBe(status === 202 || status === 207);
      expect(json.refused.length > 0).toBe(status !== 202);
      for (const { id } of json.taken) ids.add(id);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      return status;
    }
  }

  const good = new Set<number>();
  let sent = 0;
  const killAt = new Set(
    Array.from({ length: kills }, (_, n) => Math.floor(((n + 1) * bodies) / (kills + 1))),
  );
  async function lane(): Promise<void> {
    while (sent < bodies) {
      const n = sent;
      sent += 1;
      if (killAt.has(n)) killing ??= kill();
      await send(randomBody(next));
      if (n % 5 !== 0) continue;
      const body = Uint8Array.from(
        Buffer.from(JSON.stringify({ alertname: `Good${n % 7}`, service: 'tickets', good: n })),
      );
      expect(await send({ body, headers: {} })).toBe(202);
      good.add(n);
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane));
  await killing;
  expect(serving.child.exitCode).toBeNull();
  serving.child.kill('SIGTERM');
  expect((await serving.ended).status).toBe(0);

  const db = openDatabase({ path: join(home, 'data', 'alerts.db'), schemas: [], busyMs: 10_000 });
  const kept = new Set(db.all('SELECT id FROM alerts').map(({ id }) => Number(id)));
  expect([...ids].filter((id) => !kept.has(id))).toEqual([]);
  const found = new Set(
    db
      .all(`SELECT sent FROM alerts WHERE sent LIKE '{"alertname":"Good%'`)
      .map((row) => (JSON.parse(String(row['sent'])) as { good: number }).good),
  );
  expect([...good].filter((n) => !found.has(n))).toEqual([]);
  // Each that fires has a group, and each group is somewhere on its way.
  const groups = db.all(
    "SELECT state, count(*) AS n, max(error) AS reason FROM queue_jobs WHERE topic = 'alert groups' GROUP BY state",
  );
  db.close();
  console.log(
    JSON.stringify({ bodies, kills, statuses: [...statuses], kept: kept.size, good: good.size, groups }),
  );
  expect(groups.find(({ state }) => state === 'failed')).toBeUndefined();
}, 3_600_000);
