/**
 * A storm on two real workers: runs, conversations and alerts, all at once, without a model. One storm is let be; in
 * another one of the two workers is killed every 10 s, in turns alone and with all its processes, and is back after 1 s.
 * Nothing may be lost or done twice; the waits of the second are put beside those of the first.
 * `node bench/team-storm.ts [--runs 200] [--conversations 40] [--alerts 1000] [--problems 50] [--slots 2]
 * [--alert-slots 2] [--only calm|kills] [--beside FILE] [--minutes 12]` starts a PostgreSQL of its own. Prints a line of JSON for each
 * storm, and one for both; `--beside` names a file with such lines of a storm that was let be before.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { jobFor, openPostgresQueue } from '../src/bench.ts';
import { begin, below, kill, killAll, type Process, sonde } from './team/processes.ts';
import { type BenchServer, startServer } from './team/server.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    conversations: { type: 'string', default: '40' },
    alerts: { type: 'string', default: '1000' },
    problems: { type: 'string', default: '50' },
    slots: { type: 'string', default: '2' },
    'alert-slots': { type: 'string', default: '2' },
    only: { type: 'string' },
    beside: { type: 'string' },
    minutes: { type: 'string', default: '12' },
    verbose: { type: 'boolean', default: false },
  },
});
const [runs, conversations, alerts, problems, minutes] = [
  ...[values.runs, values.conversations, values.alerts, values.problems, values.minutes].map(Number),
] as [number, number, number, number, number];
const killEveryMs = 10_000;
const backAfterMs = 1_000;
const incident = join(import.meta.dirname, '../examples/incident');
const alertsToken = 'token-of-the-senders';
const question = 'How is a failed delivery retried?';

const code = `/** Waits twice as long after every failed attempt, up to a minute. */
export const backoffMs = (attempt: number): number => Math.min(60_000, 500 * 2 ** attempt);

/** Tries to deliver a parcel; gives up after maxAttempts and moves it to the dead letter box. */
export async function deliver(parcel: { id: string }, maxAttempts: number): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    if (await tryOnce(parcel)) return;
    await new Promise((done) => setTimeout(done, backoffMs(attempt)));
  }
  await moveToDeadLetterBox(parcel);
}
`;

interface Item {
  readonly kind: 'run' | 'conversation' | 'alert';
  readonly waited: number;
}

const at = (all: readonly number[], share: number): number =>
  all.toSorted((a, b) => a - b)[Math.floor(share * (all.length - 1))] ?? Number.NaN;

async function storm(server: BenchServer, kills: boolean) {
  const url = await server.fresh();
  const place = mkdtempSync(join(tmpdir(), 'sonde-bench-storm-'));
  const [frontHome, home, tree] = ['front', 'worker', 'parcels'].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [frontHome, home, join(tree, 'src')]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(tree, 'src/delivery.ts'), code);
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', tree, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
      encoding: 'utf8',
    }).trim();
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'one');
  const commit = git('rev-parse', 'HEAD');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const queue = openPostgresQueue({ url });
  const env = {
    ...{ SONDE_STORE: 'postgres', SONDE_STORE_URL: url, SONDE_MODEL: 'extractive' },
    SONDE_ALERTS_WORKERS: values['alert-slots'],
  };
  const vault = join(place, 'vault');
  mkdirSync(vault);
  writeFileSync(join(vault, 'Lamp.md'), 'The lamp burns paraffin, and is lit an hour before sunset.\n');
  execFileSync(process.execPath, [sonde, 'world', 'import', vault, '--workspace', 'main'], {
    env: { PATH: process.env['PATH'] ?? '', SONDE_HOME: home },
    stdio: 'ignore',
  });
  const front = begin(['serve', '--workspace', 'main', '--alerts', '--port', '0'], {
    ...{
      SONDE_STORE: 'postgres',
      SONDE_STORE_URL: url,
      SONDE_HOME: frontHome,
      SONDE_ALERTS_TOKEN: alertsToken,
    },
    SONDE_ALERTS_QUEUE: '2000',
  });
  const beginWorker = async (): Promise<Process> => {
    const worker = begin(
      [
        ...['worker', '--repositories', `parcels=${tree}`, '--workspaces', 'main', '--signals'],
        ...['--replay', incident, '--slots', values.slots, '--json'],
      ],
      { ...env, SONDE_HOME: home },
      values.verbose,
    );
    await worker.until(/"ready":(true)/);
    return worker;
  };
  let workers: Process[] = [];
  let over = false;
  try {
    const address = await front.until(/workspace at (http\S+)/);
    const token = readFileSync(await front.until(/The token is in (\S+)\.\n/), 'utf8').trim();
    workers = await Promise.all([beginWorker(), beginWorker()]);
    const post = async (path: string, bearer: string, body: unknown): Promise<Response> => {
      for (let tried = 0; ; tried += 1) {
        const answer = await fetch(`${address}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }).catch(() => null);
        // It was done where only the answer was lost.
        if (answer?.ok || (tried > 0 && answer?.status === 409)) return answer;
        if (tried === 20) throw new Error(`${path}: ${answer?.status} ${await answer?.text()}`);
        await sleep(500);
      }
    };
    const began = performance.now();
    const orders = Array.from({ length: runs }, (_, n) =>
      jobFor({ question: `${question} (${n})`, repository: 'parcels', commit }),
    );
    const asked = orders.map(({ key }) => key);
    const accepted: number[] = [];
    const sent = Promise.all([
      // The same again where the answer was lost: a key is one run.
      (async () => {
        for (let tried = 0; ; tried += 1)
          try {
            return await queue.enqueue(orders);
          } catch (thrown) {
            if (tried === 20) throw thrown;
            await sleep(500);
          }
      })(),
      ...Array.from({ length: conversations }, async (_, n) => {
        await post('/api/v1/threads', token, { id: `talk-${n}` });
        const said = { text: `What does the lamp burn? (${n})`, message_id: `m-${n}` };
        await post(`/api/v1/threads/talk-${n}/messages`, token, said);
      }),
      ...Array.from({ length: alerts }, async (_, n) => {
        const body = { alertname: `Alert${n % problems}`, service: 'tickets', number: n };
        const answer = await post('/alerts', alertsToken, body);
        const { taken } = (await answer.json()) as { taken: readonly { id: number }[] };
        accepted.push(...taken.map(({ id }) => id));
      }),
    ]);
    let killed = 0;
    const killing = (async () => {
      for (let due = performance.now() + killEveryMs; kills && !over; due += killEveryMs) {
        while (performance.now() < due) {
          if (over) return;
          await sleep(50);
        }
        const nth = killed % 2;
        const { child, ended } = workers[nth]!;
        // Its other processes notice by themselves, or go with it as with a machine.
        for (const pid of Math.floor(killed / 2) % 2 === 0 ? [child.pid!] : below(child.pid!)) kill(pid);
        killed += 1;
        await ended;
        await sleep(backAfterMs);
        if (!over) workers[nth] = await beginWorker();
      }
    })();
    await sent;
    const sentIn = performance.now() - began;
    const open = async (): Promise<number> => {
      const { rows } = await client.query(
        `SELECT (SELECT count(*) FROM sonde.queue_jobs WHERE state IN ('waiting', 'running')) +
          (SELECT count(*) FROM sonde_w_main.queue_jobs WHERE state IN ('waiting', 'running')) AS n`,
      );
      return Number(rows[0].n);
    };
    while ((await open()) > 0 && performance.now() - began < minutes * 60_000) await sleep(500);
    const seconds = (performance.now() - began) / 1_000;
    over = true;
    await killing;
    const left = await open();
    // What was late may still come.
    await sleep(1_000);

    const all = async (text: string): Promise<readonly Record<string, unknown>[]> =>
      (await client.query(text)).rows;
    const items: Item[] = [];
    const lost: string[] = [];
    const twice: string[] = [];
    const ended = new Map(
      (
        await all(`SELECT run, count(*) AS n FROM sonde.events
          WHERE event::json->>'kind' = 'run_finished' AND event::json->>'resumable' IS DISTINCT FROM 'true' GROUP BY run`)
      ).map(({ run, n }) => [String(run), Number(n)]),
    );
    const once = (what: string, run: string): void => {
      const ends = ended.get(run) ?? 0;
      if (ends === 0) lost.push(`${what}: ${run} has no end`);
      if (ends > 1) twice.push(`${what}: ${run} has ${ends} ends`);
    };
    const jobs = new Map(
      (await all(`SELECT key, state, topic, kept, deaths, created, updated, id FROM sonde.queue_jobs`)).map(
        (row) => [`${row['topic']} ${row['topic'] === 'runs' ? row['key'] : row['id']}`, row],
      ),
    );
    for (const run of asked) {
      const job = jobs.get(`runs ${run}`);
      if (job?.['state'] !== 'done') lost.push(`run ${run} is ${job?.['state']}`);
      else items.push({ kind: 'run', waited: Number(job['updated']) - Number(job['created']) });
      once('run', run);
    }
    const groups = new Set<number>();
    const rows = await all('SELECT id, alert_group, received FROM sonde.alerts');
    for (const { alert_group: group, received } of rows) {
      groups.add(Number(group));
      const job = jobs.get(`alert groups ${group}`);
      if (job?.['state'] !== 'done') lost.push(`group ${group} is ${job?.['state']}`);
      // One that joined a group whose report was there already has not waited.
      else items.push({ kind: 'alert', waited: Math.max(0, Number(job['updated']) - Number(received)) });
    }
    const there = new Set(rows.map(({ id }) => Number(id)));
    for (const id of accepted) if (!there.has(id)) lost.push(`alert ${id}`);
    if (new Set(accepted).size !== alerts) lost.push(`${new Set(accepted).size} alerts were accepted`);
    if (rows.length !== alerts) twice.push(`${rows.length} alerts are kept`);
    const investigations = [...groups].map((group) => {
      const job = jobs.get(`alert groups ${group}`);
      return String((JSON.parse(String(job?.['kept'] ?? 'null')) as { run?: string } | null)?.run);
    });
    for (const run of investigations) once('investigation', run);
    if (new Set(investigations).size !== groups.size) twice.push('groups share a run');
    const ownRuns = Number((await all('SELECT count(*) AS n FROM sonde.runs'))[0]!['n']);
    if (ownRuns !== runs + groups.size) twice.push(`${ownRuns} runs for ${runs + groups.size} jobs`);
    if (groups.size !== Math.min(alerts, problems))
      twice.push(`${groups.size} groups of ${problems} problems`);
    const turns = new Map(
      (
        await all(`SELECT thread, count(*) FILTER (WHERE kind = 'turn_ended') AS ends,
          count(DISTINCT seq) AS n, max(seq) AS last FROM sonde_w_main.thread_events GROUP BY thread`)
      ).map((row) => [String(row['thread']), row]),
    );
    for (const { key, job_group: thread, state, result, created, updated } of await all(
      'SELECT key, job_group, state, result, created, updated FROM sonde_w_main.queue_jobs',
    )) {
      const { status, text } = (JSON.parse(String(result)) ?? {}) as { status?: string; text?: string };
      if (state !== 'done' || !['answered', 'partial'].includes(String(status)))
        lost.push(`message ${key} is ${state}, ${status}: ${text?.slice(0, 300)}`);
      else items.push({ kind: 'conversation', waited: Number(updated) - Number(created) });
      const told = turns.get(String(thread));
      if (Number(told?.['ends'] ?? 0) < 1) lost.push(`${thread} told no end`);
      if (Number(told?.['ends'] ?? 0) > 1) twice.push(`${thread} told ${told?.['ends']} ends`);
      if (told !== undefined && told['n'] !== told['last']) lost.push(`events of ${thread}`);
    }
    if (turns.size !== conversations) lost.push(`${turns.size} conversations`);
    const [messages] = await all(
      `SELECT count(*) AS n FROM sonde_w_main.queue_jobs WHERE topic = 'agent requests'`,
    );
    if (Number(messages!['n']) !== conversations) twice.push(`${messages!['n']} messages`);
    const [gaps] = await all(`SELECT count(*) AS n FROM (
      SELECT run FROM sonde.events GROUP BY run HAVING max(seq) <> count(*)) AS g`);
    if (Number(gaps!['n']) > 0) lost.push(`${gaps!['n']} runs have gaps`);
    const [held] = await all(`SELECT (SELECT count(*) FROM sonde.reservations WHERE state = 'open') AS open,
      (SELECT coalesce(sum(held), 0) FROM sonde.balances) AS held,
      (SELECT count(*) FROM sonde.leases WHERE host IS NOT NULL AND expires > sonde.now_ms()) AS leases`);
    const deaths = [...jobs.values()].reduce((sum, job) => sum + Number(job['deaths']), 0);
    const waits = (kind?: Item['kind']) => {
      const some = items
        .filter((item) => kind === undefined || item.kind === kind)
        .map(({ waited }) => waited);
      const [p50, p95, max] = [0.5, 0.95, 1].map((share) => Math.round(at(some, share) / 100) / 10);
      return { items: some.length, p50_s: p50, p95_s: p95, max_s: max };
    };
    return {
      ...{ kills, runs, conversations, alerts, groups: groups.size, killed, deaths },
      ...{ sent_in_s: Math.round(sentIn / 100) / 10, seconds: Math.round(seconds * 10) / 10, left },
      ...{ lost: lost.length, twice: twice.length, held: held!, which: [...lost, ...twice].slice(0, 10) },
      waits: {
        ...{ all: waits(), run: waits('run'), conversation: waits('conversation'), alert: waits('alert') },
      },
    };
  } finally {
    over = true;
    await killAll([...workers, front]);
    await queue.close().catch(() => {});
    await client.end().catch(() => {});
    rmSync(place, { recursive: true, force: true, maxRetries: 20 });
  }
}

type Storm = Awaited<ReturnType<typeof storm>>;

const server = await startServer();
try {
  const before: readonly Storm[] =
    values.beside === undefined
      ? []
      : readFileSync(values.beside, 'utf8')
          .split('\n')
          .filter((line) => line.startsWith('{"kills"'))
          .map((line) => JSON.parse(line));
  const storms: Storm[] = [...before];
  for (const kills of values.only === undefined ? [false, true] : [values.only === 'kills']) {
    storms.push(await storm(server, kills));
    console.log(JSON.stringify(storms.at(-1)));
  }
  const [calm, killed] = [false, true].map((kills) => storms.findLast((one) => one.kills === kills));
  if (calm !== undefined && killed !== undefined) {
    const ratio = (kind: keyof Storm['waits']): number =>
      Math.round((killed.waits[kind].p95_s! / calm.waits[kind].p95_s!) * 100) / 100;
    console.log(
      JSON.stringify({
        ...{ lost: calm.lost + killed.lost, twice: calm.twice + killed.twice },
        p95_with_to_without: {
          ...{ all: ratio('all'), run: ratio('run') },
          ...{ conversation: ratio('conversation'), alert: ratio('alert') },
        },
      }),
    );
  }
} finally {
  server.stop();
}
