/**
 * Alerts of all forms, hostile ones among them, sent again on 429, 503 and lost connections, to a server that is killed
 * 2 s after each time that it is ready, for a minute: npx node bench/alerts-kills.ts [alerts] [seconds of kills] [groups]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const [alerts = 100_000, killSeconds = 60, groups = 60] = process.argv.slice(2).map(Number);
const token = 'a-token-for-the-bench-only';
const headers = { authorization: `Bearer ${token}` };
const place = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'sonde-bench-kills-'));

/** The same port after each kill, as a sender knows it. */
const port = await new Promise<number>((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port: free } = probe.address() as { port: number };
    probe.close(() => resolve(free));
  });
});
const url = `http://127.0.0.1:${port}`;
const args = ['serve', '--alerts', '--port', String(port), '--workers', '4', '--model', 'extractive'];

let told = '';
let kills = 0;
const strangeEnds: string[] = [];
function startServer(): ChildProcess & { wanted?: boolean } {
  const child: ChildProcess & { wanted?: boolean } = spawn(
    process.execPath,
    [place('../bin/sonde.mjs'), ...args, '--replay', place('../examples/incident')],
    {
      env: { PATH: process.env['PATH'] ?? '', HOME: home, SONDE_HOME: home, SONDE_ALERTS_TOKEN: token },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  child.stderr!.on('data', (piece: Buffer) => (told += piece.toString()));
  child.once('exit', (code, signal) => {
    if (child.wanted !== true) strangeEnds.push(`exit ${code} ${signal}`);
  });
  return child;
}

const isReady = async (): Promise<boolean> =>
  await fetch(`${url}/ready`).then(
    async (reply) => {
      await reply.text();
      return reply.status === 200;
    },
    () => false,
  );

const end = (child: ChildProcess & { wanted?: boolean }, signal: NodeJS.Signals): Promise<void> =>
  new Promise((done) => {
    child.wanted = true;
    child.once('exit', () => done());
    child.kill(signal);
  });

async function killForAWhile(): Promise<ChildProcess> {
  const until = performance.now() + killSeconds * 1_000;
  for (;;) {
    const server = startServer();
    while (!(await isReady())) await sleep(50);
    if (performance.now() > until) return server;
    await sleep(2_000);
    await end(server, 'SIGKILL');
    kills += 1;
  }
}

const time = '2026-03-05T10:24:00Z';
const forms: readonly ((n: number) => readonly [path: string, body: unknown])[] = [
  (n) => [
    'alertmanager',
    { version: '4', alerts: [{ status: 'firing', labels: labels(n), startsAt: time }] },
  ],
  (n) => ['grafana', { orgId: 1, alerts: [{ status: 'firing', labels: labels(n), startsAt: time }] }],
  (n) => [
    'pagerduty',
    {
      event: {
        id: `E${n}`,
        event_type: 'incident.triggered',
        data: { id: `P${n}`, title: `Rule ${n % groups}`, service: { summary: 'tickets' } },
      },
    },
  ],
  (n) => [
    'opsgenie',
    { action: 'Create', alert: { alertId: `a${n}`, alias: `rule-${n % groups}x`, message: 'slow' } },
  ],
  (n) => [
    'cloudwatch',
    { AlarmName: `rule-${n % groups}`, NewStateValue: 'ALARM', AWSAccountId: '1', Trigger: {} },
  ],
  (n) => [
    'datadog',
    { alert_id: n % groups, alert_transition: 'Triggered', title: 'slow', tags: `pod_name:p-${n}` },
  ],
  (n) => [
    'sentry',
    {
      action: 'created',
      data: { issue: { id: String(n % groups), title: 'TypeError', project: { slug: 'tickets' } } },
      installation: { uuid: 'x' },
    },
  ],
  (n) => ['json', { name: `Rule ${'abcdefghij'[n % 10]}`, service: 'tickets', value: n }],
  (n) => ['text', `tickets ${'abcdefghij'[n % 10]} is slow, ${n} ms`],
];
const labels = (n: number) => ({ alertname: `Rule${n % groups}`, service: 'tickets', pod: `tickets-${n}` });

/** What nobody sends who means well. */
const hostile: readonly string[] = [
  '['.repeat(100_000),
  '{"a":'.repeat(60_000),
  'not json {',
  '{"alerts":[]}',
  '[{}]',
  '\u0000\u001b[31m\u202eevil',
  JSON.stringify({ alertname: 'x'.repeat(600_000), service: 'tickets' }),
  JSON.stringify({ alerts: [null, 1, 'a', [], {}, { labels: 3 }, { labels: { alertname: '__proto__' } }] }),
  '{"alertname":"\\ud800","service":"tickets","__proto__":{"a":1}}',
  JSON.stringify({
    Type: 'Notification',
    TopicArn: 'arn:aws:sns:eu:1:t',
    Message: 'x',
    SubscribeURL: 'http://127.0.0.1/',
  }),
];

interface Message {
  readonly path: string;
  readonly body: string;
}
function* messages(): Generator<Message> {
  let sent = 0;
  for (let n = 0; sent < alerts; n += 1) {
    if (n % 50 === 49) yield { path: '', body: hostile[Math.floor(n / 50) % hostile.length]! };
    // Most senders gather: every sixth message holds a hundred.
    if (n % 6 === 5) {
      const many = Array.from({ length: 100 }, (_, k) => ({ status: 'firing', labels: labels(sent + k) }));
      sent += 100;
      yield { path: '/alertmanager', body: JSON.stringify({ version: '4', alerts: many }) };
    } else {
      const [path, body] = forms[n % forms.length]!(sent);
      sent += 1;
      yield { path: `/${path}`, body: typeof body === 'string' ? body : JSON.stringify(body) };
    }
  }
}

const statuses = new Map<string, number>();
/** What was answered of each alert that was kept: its number and its group. */
const kept = new Map<number, number | null>();
let again = 0;
async function post({ path, body }: Message): Promise<void> {
  for (;;) {
    try {
      const reply = await fetch(`${url}/alerts${path}`, { method: 'POST', headers, body });
      const text = await reply.text();
      statuses.set(String(reply.status), (statuses.get(String(reply.status)) ?? 0) + 1);
      if (reply.status !== 429 && reply.status !== 503) {
        const { taken = [] } = JSON.parse(text) as {
          taken?: { id: number; group: number | null; state: string }[];
        };
        for (const { id, group, state } of taken) if (/opened|joined/.test(state)) kept.set(id, group);
        return;
      }
    } catch {
      // It may have been kept, or not: a sender sends it again.
    }
    again += 1;
    await sleep(100);
  }
}

const began = performance.now();
const seconds = (): string => `${Math.round((performance.now() - began) / 1_000)} s`;
const killing = killForAWhile();
const source = messages();
await Promise.all(
  Array.from({ length: 16 }, async () => {
    for (const message of source) await post(message);
  }),
);
console.log(`${seconds()}: all were sent, ${again} times one was sent again`);
const server = await killing;
console.log(`${seconds()}: ${kills} kills are over`);
interface Counts {
  readonly waiting: number;
  readonly running: number;
  readonly done: number;
  readonly failed: number;
  readonly alerts: number;
}
const counts = async (): Promise<Counts> =>
  (await (await fetch(`${url}/alerts?state=failed`, { headers })).json()) as Counts;
let now = await counts();
while (now.waiting + now.running > 0) {
  await sleep(500);
  now = await counts();
}
await end(server, 'SIGTERM');
console.log(`${seconds()}: ${now.alerts} alerts in the store, ${now.done} groups done, ${now.failed} failed`);
console.log(`answers: ${[...statuses].map(([status, n]) => `${status} ${n}`).join(', ')}`);

const data = new DatabaseSync(findFile('alerts.db'), { readOnly: true });
const groupOf = new Map(
  data
    .prepare('SELECT id, alert_group FROM alerts')
    .all()
    .map((row) => [Number(row['id']), row['alert_group']]),
);
const jobs = new Set(
  data
    .prepare('SELECT id FROM queue_jobs')
    .all()
    .map((row) => Number(row['id'])),
);
const lost = [...kept].filter(
  ([id, group]) => group === null || groupOf.get(id) !== group || !jobs.has(group),
);
const runs = new DatabaseSync(findFile('sonde.db'), { readOnly: true });
const begun = runs
  .prepare("SELECT id FROM runs WHERE shape = 'incident'")
  .all()
  .map((row) => String(row['id']));
const ofGroups = data
  .prepare('SELECT kept FROM queue_jobs')
  .all()
  .map((row) => (JSON.parse(String(row['kept'] ?? '{}')) as { run?: string }).run);
const twice =
  begun.filter((run) => !ofGroups.includes(run)).length + ofGroups.length - new Set(ofGroups).size;
console.log(`answered as kept: ${kept.size}; of these in no group: ${lost.length}`);
console.log(`investigated twice: ${twice} of ${ofGroups.length} groups`);
const investigators = told.split('\n').filter((line) => line.includes('the process that investigates ended'));
console.log(`ended by anything but the kill: ${strangeEnds.length + investigators.length}`);
for (const line of [...strangeEnds, ...investigators].slice(0, 10)) console.log(`  ${line}`);
data.close();
runs.close();
rmSync(home, { recursive: true });

function findFile(name: string): string {
  return join(home, 'data', name);
}
