/**
 * Four alerts of real systems, from the trouble to the report: `npx node examples/live-incident.ts`. A service of ours in a
 * repository of its own, a real Prometheus that scrapes it, a real Alertmanager that sends to `sonde serve`, a real Redis.
 * Nothing is asked of a model. Everything happens as it would, which takes three minutes; only the six ordinary hours before
 * are written into Prometheus.
 *
 *   1. a rule with a threshold that is too low fires: `healthy`
 *   2. a commit breaks the service: `code_change`, with the frame of a trace that leads to the commit
 *   3. somebody fills Redis up to its limit: `state`, with Redis as the object
 *   4. an alert about something that no system knows: `unrelated`
 *
 * It needs `prometheus` (with `promtool`), `prometheus-alertmanager`, `redis-server` and `git` of Debian, and says so where one is missing.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

interface Report {
  readonly verdict: string;
  readonly root_cause: string;
  readonly root_cause_category: string;
  readonly first_failing_service: string | null;
  readonly confidence: number | null;
  readonly blamed: { readonly kind: string; readonly id: string; readonly service: string | null } | null;
  readonly links: readonly {
    readonly kind: string;
    readonly from: string;
    readonly to: string;
    readonly evidence: readonly string[];
  }[];
}

const missing = ['prometheus', 'promtool', 'prometheus-alertmanager', 'redis-server', 'git'].filter(
  (name) => spawnSync(name, ['--version']).error !== undefined,
);
if (missing.length > 0) {
  console.log(`skipped: ${missing.join(', ')} of Debian would be needed`);
  process.exit(0);
}

const here = join(import.meta.dirname, 'live-incident');
const program = join(import.meta.dirname, '../bin/sonde.mjs');
const home = mkdtempSync(join(tmpdir(), 'sonde-live-'));
const at = (name: string): string => join(home, name);
const repository = at('repository');
const token = 'a-token-of-this-example';
const ports = Object.fromEntries(
  await Promise.all(
    ['shop', 'carts', 'mailer', 'redis', 'prometheus', 'alertmanager', 'sonde'].map(
      async (name) => [name, await freePort()] as const,
    ),
  ),
) as Record<'shop' | 'carts' | 'mailer' | 'redis' | 'prometheus' | 'alertmanager' | 'sonde', number>;
const url = (name: keyof typeof ports): string => `http://127.0.0.1:${ports[name]}`;
const env = {
  PATH: process.env['PATH']!,
  HOME: home,
  TMPDIR: tmpdir(),
  SONDE_HOME: home,
  SONDE_MODEL: 'extractive',
  SONDE_ALERTS_TOKEN: token,
  SONDE_REPOSITORIES: repository,
  SONDE_LOG_FILES: `${at('shop.jsonl')}:${at('carts.jsonl')}`,
  SONDE_REDIS: `127.0.0.1:${ports.redis}`,
  PROMETHEUS_URL: url('prometheus'),
  ALERTMANAGER_URL: url('alertmanager'),
};
const running: ChildProcess[] = [];
/** The running shop, which a deploy replaces. */
let shop: ChildProcess | null = null;
/** How long ago git believes it to be: the shop is two weeks old. Milliseconds. */
let age = 14 * 24 * 60 * 60_000;

try {
  await everythingIsWell();
  await sleep(45_000);

  // 1. A new rule, whose author did not look at how long the queue usually is.
  writeFileSync(at('rules.yml'), rules({ isMailerWatched: true }));
  await fetch(`${url('prometheus')}/-/reload`, { method: 'POST' });
  const noise = await reportOf('MailerQueueIsLong');
  assert.equal(noise.verdict, 'healthy');
  assert.equal(noise.blamed, null);

  // 2. A commit takes countries for objects, which they are not, and is deployed.
  const guilty = commit('Look rates up by the code of the country', 'shop/rates.mjs', (text) =>
    text.replace('country.toLowerCase()', 'country.code.toLowerCase()'),
  );
  deploy('shop-2');
  const broken = await reportOf('ShopOrdersFail');
  assert.equal(broken.verdict, 'code_change');
  assert.deepEqual([broken.blamed?.kind, broken.blamed?.id], ['commit', guilty]);
  assert.equal(broken.first_failing_service, 'shop');
  assert.ok(broken.links.every(({ evidence }) => evidence.length > 0));
  assert.ok(broken.links.length > 0);

  // 3. Somebody else's import fills the memory that Redis may use.
  await fillRedis();
  const full = await reportOf('CartsAreNotSaved');
  assert.equal(full.verdict, 'state');
  assert.equal(full.blamed?.kind, 'object');
  assert.match(full.blamed?.id ?? '', /redis/i);
  assert.equal(full.root_cause_category, 'resource_exhaustion');

  // 4. Nobody here has ever heard of it; the shop is still broken, and is not blamed.
  const stranger = { alertname: 'PayrollLate', service: 'payroll-batch', severity: 'page' };
  const summary = 'payroll-batch did not close the month';
  await fetch(`${url('alertmanager')}/api/v2/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ labels: stranger, annotations: { summary } }]),
  });
  const unknown = await reportOf('PayrollLate');
  assert.equal(unknown.verdict, 'unrelated');
  assert.equal(unknown.blamed, null);
  console.log('\nok: healthy, code_change, state, unrelated');
} finally {
  for (const child of running) child.kill('SIGTERM');
  for (const child of running)
    if (child.exitCode === null && child.signalCode === null)
      await new Promise((ended) => child.once('exit', ended));
  rmSync(home, { recursive: true, force: true });
}

async function everythingIsWell(): Promise<void> {
  execFileSync('git', ['init', '-q', '-b', 'main', repository]);
  cpSync(join(here, 'shop'), join(repository, 'shop'), { recursive: true });
  git('add', '.');
  git('commit', '-q', '-m', 'A shop that quotes prices');
  commit('Say in the log that the shop is open', 'shop/server.mjs', (text) =>
    text.replace('shop is open', 'the shop is open'),
  );
  deploy('shop-1');
  age = 0;
  // Customers.
  const buyers = setInterval(() => {
    const country = ['de', 'fr', 'gb'][Math.floor(Math.random() * 3)];
    void fetch(`${url('shop')}/quote?net=100&country=${country}`).catch(() => {});
  }, 100);
  buyers.unref();
  const redis = ['--bind', '127.0.0.1', '--save', '', '--dir', home, '--maxmemory', '8mb'];
  start('redis-server', '--port', String(ports.redis), ...redis, '--maxmemory-policy', 'noeviction');
  await eventually('Redis', async () => /PONG/.test(await redisSays('PING')));
  start(
    process.execPath,
    join(here, 'carts.mjs'),
    String(ports.carts),
    String(ports.redis),
    at('carts.jsonl'),
  );
  start(process.execPath, join(here, 'mailer.mjs'), String(ports.mailer));

  writeFileSync(at('rules.yml'), rules({ isMailerWatched: false }));
  writeFileSync(at('prometheus.yml'), prometheusSettings());
  writeFileSync(at('alertmanager.yml'), alertmanagerSettings());
  start(
    'prometheus-alertmanager',
    `--config.file=${at('alertmanager.yml')}`,
    `--storage.path=${at('alertmanager')}`,
    `--web.listen-address=127.0.0.1:${ports.alertmanager}`,
    '--cluster.listen-address=',
  );
  writeOrdinaryHours();
  start(
    'prometheus',
    `--config.file=${at('prometheus.yml')}`,
    `--storage.tsdb.path=${at('prometheus')}`,
    `--web.listen-address=127.0.0.1:${ports.prometheus}`,
    '--web.enable-lifecycle',
  );
  start(process.execPath, program, 'serve', '--alerts', '--port', String(ports.sonde));
  const isUp = (address: string) => async (): Promise<boolean> => (await fetch(address)).ok;
  for (const name of ['prometheus', 'alertmanager'] as const)
    await eventually(name, isUp(`${url(name)}/-/ready`));
  await eventually('Sonde', async () => (await alertsKnown()) !== null);
}

function rules({ isMailerWatched }: { readonly isMailerWatched: boolean }): string {
  const rule = (name: string, service: string, expr: string, wait: string, summary: string): string =>
    `  - alert: ${name}
    expr: ${expr}
    for: ${wait}
    labels: {severity: page, service: ${service}}
    annotations: {summary: ${summary}}
`;
  return `groups:
- name: all
  rules:
${rule('ShopOrdersFail', 'shop', 'rate(shop_orders_total{code="500"}[15s]) > 1', '5s', 'orders at the shop fail')}${rule('CartsAreNotSaved', 'carts', 'rate(carts_saved_total{result="failed"}[15s]) > 1', '5s', 'carts are not saved')}${isMailerWatched ? rule('MailerQueueIsLong', 'mailer', 'mailer_queue_length > 3', '2s', 'the queue of mails is longer than 3') : ''}`;
}

function prometheusSettings(): string {
  const job = (name: 'shop' | 'carts' | 'mailer'): string =>
    `- job_name: ${name}
  static_configs: [{targets: ['127.0.0.1:${ports[name]}'], labels: {service: ${name}}}]
`;
  return `global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [rules.yml]
alerting: {alertmanagers: [{static_configs: [{targets: ['127.0.0.1:${ports.alertmanager}']}]}]}
scrape_configs:
${job('shop')}${job('carts')}${job('mailer')}`;
}

/** Six hours up to now, under the labels that the scrapes go on with. */
function writeOrdinaryHours(): void {
  const now = Math.floor(Date.now() / 1_000);
  const times = Array.from({ length: 4 * 60 * 6 }, (_, k) => now - 15 * (4 * 60 * 6 - k));
  const rows = (
    name: string,
    service: 'shop' | 'carts' | 'mailer',
    labels: string,
    of: (k: number) => number,
  ) =>
    times.map(
      (at, k) =>
        `${name}{instance="127.0.0.1:${ports[service]}",job="${service}",service="${service}"${labels}} ${of(k)} ${at}`,
    );
  const lines = [
    '# TYPE mailer_queue_length gauge',
    ...rows('mailer_queue_length', 'mailer', '', (k) => 4 + ((k * 7) % 4)),
    '# TYPE shop_orders counter',
    ...rows('shop_orders_total', 'shop', ',code="200"', (k) => 150 * k + (k % 3)),
    ...rows('shop_orders_total', 'shop', ',code="500"', () => 0),
    '# TYPE carts_saved counter',
    ...rows('carts_saved_total', 'carts', ',result="ok"', (k) => 300 * k + (k % 5)),
    ...rows('carts_saved_total', 'carts', ',result="failed"', () => 0),
    '# EOF',
  ];
  writeFileSync(at('history.txt'), `${lines.join('\n')}\n`);
  execFileSync(
    'promtool',
    ['tsdb', 'create-blocks-from', 'openmetrics', at('history.txt'), at('prometheus')],
    {
      stdio: 'ignore',
    },
  );
}

function alertmanagerSettings(): string {
  return `route: {receiver: sonde, group_by: [alertname], group_wait: 1s, group_interval: 5s, repeat_interval: 1h}
receivers:
- name: sonde
  webhook_configs:
  - url: '${url('sonde')}/alerts'
    http_config: {authorization: {credentials: '${token}'}}
`;
}

/** Waits for the report on what Alertmanager sent. Then the same alert by hand has to come to the same. */
async function reportOf(name: string): Promise<Report> {
  const began = Date.now();
  const id = await eventually(`a report on ${name}`, async () => {
    const { stdout } = await sonde('alerts', 'ls', '--state', 'done', '--json');
    const { groups } = JSON.parse(stdout) as {
      readonly groups: readonly { readonly title: string; readonly run: string | null }[];
    };
    return groups.find(({ title }) => title.includes(name))?.run ?? null;
  });
  const waited = Math.round((Date.now() - began) / 1_000);
  const { incident } = JSON.parse((await sonde('show', id, '--json')).stdout) as {
    readonly incident: Report;
  };
  console.log(`\n${name}, ${waited} s later: ${incident.verdict}, ${incident.root_cause}`);
  for (const { kind, from, to } of incident.links) console.log(`  ${kind}: ${from} -> ${to}`);

  const filter = encodeURIComponent(`alertname="${name}"`);
  const firing = await (await fetch(`${url('alertmanager')}/api/v2/alerts?filter=${filter}`)).json();
  writeFileSync(at('alert.json'), JSON.stringify({ version: '4', status: 'firing', alerts: firing }));
  const byHand = await sonde('incident', at('alert.json'), '--json');
  const again = JSON.parse(byHand.stdout) as Report;
  assert.deepEqual([again.verdict, again.blamed?.id], [incident.verdict, incident.blamed?.id]);
  assert.equal(byHand.status, /unrelated|inconclusive/.test(again.verdict) ? 3 : 0);
  return incident;
}

/** Runs a program without holding up the customers of the shop, who are in this process. */
function run(command: string, ...args: string[]) {
  return new Promise<{ readonly stdout: string; readonly status: number }>((ended) =>
    execFile(command, args, { env, encoding: 'utf8', maxBuffer: 1e8 }, (error, stdout) =>
      ended({ stdout, status: typeof error?.code === 'number' ? error.code : 0 }),
    ),
  );
}

function sonde(...args: string[]) {
  return run(process.execPath, program, ...args);
}

async function alertsKnown(): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${url('sonde')}/alerts`, { headers })).json();
}

function commit(title: string, path: string, edit: (text: string) => string): string {
  const file = join(repository, path);
  writeFileSync(file, edit(readFileSync(file, 'utf8')));
  git('commit', '-qam', title);
  return git('rev-parse', 'HEAD').trim();
}

function deploy(tag: string): void {
  shop?.kill('SIGKILL');
  shop = start(process.execPath, join(repository, 'shop/server.mjs'), String(ports.shop), at('shop.jsonl'));
  git('tag', '-a', '-m', 'shop', `deploy/${tag}`);
}

function git(...args: string[]): string {
  const who = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com'];
  const date = new Date(Date.now() - age).toISOString();
  const dated = { ...env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  return execFileSync('git', ['-C', repository, ...who, ...args], { encoding: 'utf8', env: dated });
}

async function redisSays(...words: string[]): Promise<string> {
  return (await run('redis-cli', '-p', String(ports.redis), ...words)).stdout;
}

async function fillRedis(): Promise<void> {
  for (let k = 0; k < 100; k += 1)
    if (/OOM/.test(await redisSays('SETRANGE', `import:${k}`, '500000', 'x'))) return;
}

function start(command: string, ...args: string[]): ChildProcess {
  const child = spawn(command, args, { env, cwd: home, stdio: 'ignore' });
  running.push(child);
  return child;
}

async function eventually<Value>(what: string, look: () => Promise<Value | null | false>): Promise<Value> {
  for (const end = Date.now() + 180_000; Date.now() < end; await sleep(500)) {
    const found = await look().catch(() => null);
    if (found !== null && found !== false) return found;
  }
  throw new Error(`${what} did not come within three minutes`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address() as { readonly port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}
