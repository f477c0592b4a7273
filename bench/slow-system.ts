/**
 * How much longer an investigation takes when one of six systems answers after 10 s, for each of the six; its health
 * check as slow as the rest, and at once: npx node bench/slow-system.ts [seconds] [names, with commas]
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const [seconds = '10', wanted = ''] = process.argv.slice(2);
const home = mkdtempSync(join(tmpdir(), 'sonde-bench-slow-'));
const bin = fileURLToPath(new URL('../bin/sonde.mjs', import.meta.url));
const now = Math.floor(Date.now() / 1_000);
const started = new Date((now - 600) * 1_000).toISOString();

const points = Array.from({ length: 60 }, (_, n) => [now - 3_600 + n * 60, n < 50 ? '1' : '40']);
const success = (data: unknown) => ({ status: 'success', data });
const line = [`${now - 500}000000000`, 'error: connection pool of tickets is exhausted'];
const answers: Readonly<Record<string, readonly (readonly [path: RegExp, value: unknown])[]>> = {
  prometheus: [
    [/buildinfo/, success({ version: '3.0.0' })],
    [/rules/, success({ groups: [] })],
    [/alerts/, success({ alerts: [] })],
    [
      /query_range/,
      success({ resultType: 'matrix', result: [{ metric: { service: 'tickets' }, values: points }] }),
    ],
    [
      /query/,
      success({ resultType: 'vector', result: [{ metric: { service: 'tickets' }, value: [now, '40'] }] }),
    ],
    [/series/, success([{ __name__: 'http_errors_total', service: 'tickets' }])],
    [/./, success(['http_errors_total', 'up'])],
  ],
  alertmanager: [
    [
      /status/,
      { versionInfo: { version: '0.27.0' }, cluster: { status: 'ready' }, uptime: started, config: {} },
    ],
    [/./, []],
  ],
  loki: [
    [/buildinfo/, { version: '3.0.0' }],
    [
      /query/,
      success({ resultType: 'streams', result: [{ stream: { app: 'tickets' }, values: [line] }], stats: {} }),
    ],
    [/./, success(['app', 'tickets'])],
  ],
  grafana: [
    [/health/, { database: 'ok', version: '11.0.0' }],
    [/./, []],
  ],
  gitlab: [
    [/version/, { version: '17.0.0' }],
    [/projects\/[^/]+$/, { id: 1, path_with_namespace: 'acme/shop', default_branch: 'main' }],
    [/./, []],
  ],
  sentry: [
    [/organizations\/acme\/$/, { slug: 'acme', id: '1', name: 'Acme' }],
    [/./, []],
  ],
};
const names = Object.keys(answers);
const isHealth = ({ url = '' }: IncomingMessage): boolean =>
  /buildinfo|health|\/status|version|projects\/[^/]+$|organizations\/acme\/(?:\?|$)|limit=1(?:&|$)|per_page=1(?:&|$)/.test(
    url,
  );

/** Milliseconds before each answer; of a health check, too, where that is slow as well. */
const late = new Map<string, { readonly ms: number; readonly health: boolean }>();
const asked = new Map<string, number>();
const servers = new Map<string, Server>();
for (const name of names) {
  const server = createServer(async (request, response) => {
    asked.set(name, (asked.get(name) ?? 0) + 1);
    const { ms = 0, health = false } = late.get(name) ?? {};
    if (ms > 0 && (health || !isHealth(request))) await sleep(ms);
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const found = answers[name]!.find(([known]) => known.test(path));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found?.[1] ?? []));
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  servers.set(name, server);
}
const addressOf = (name: string): string =>
  `http://127.0.0.1:${(servers.get(name)!.address() as AddressInfo).port}`;

writeFileSync(
  join(home, 'alert.json'),
  JSON.stringify({
    alerts: [
      {
        status: 'firing',
        labels: { alertname: 'HighErrorRate', service: 'tickets', severity: 'critical' },
        annotations: { summary: 'tickets answers 40 % of requests with 500' },
        startsAt: started,
        generatorURL: `http://prometheus/graph?g0.expr=${encodeURIComponent('http_errors_total{service="tickets"}')}`,
      },
    ],
  }),
);

const variables: Readonly<Record<string, (address: string) => Record<string, string>>> = {
  prometheus: (address) => ({ PROMETHEUS_URL: address }),
  alertmanager: (address) => ({ ALERTMANAGER_URL: address }),
  loki: (address) => ({ LOKI_URL: address }),
  grafana: (address) => ({ GRAFANA_URL: address }),
  gitlab: (address) => ({
    GITLAB_URL: address,
    SONDE_GITLAB_PROJECTS: 'acme/shop',
    GITLAB_TOKEN: 'made-up-token-1234',
  }),
  sentry: (address) => ({ SENTRY_URL: address, SENTRY_ORG: 'acme', SENTRY_AUTH_TOKEN: 'made-up-token-1234' }),
};

async function investigate(without: string | null): Promise<{ readonly s: number; readonly said: string }> {
  asked.clear();
  const systems = names.filter((name) => name !== without);
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [bin, 'incident', join(home, 'alert.json'), '--model', 'extractive', '--json'],
    {
      cwd: home,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: home,
        SONDE_HOME: home,
        ...Object.assign({}, ...systems.map((name) => variables[name]!(addressOf(name)))),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let said = '';
  child.stdout.on('data', (piece: Buffer) => (said += piece.toString()));
  await new Promise((done) => child.once('close', done));
  return { s: (performance.now() - began) / 1_000, said };
}

const all = await investigate(null);
console.log(
  `six that answer at once: ${all.s.toFixed(1)} s; questions ${[...asked].map(([n, c]) => `${n} ${c}`).join(', ')}`,
);
let longest = 0;
for (const name of names.filter((each) => wanted === '' || wanted.split(',').includes(each))) {
  late.clear();
  const base = await investigate(name);
  for (const health of [false, true]) {
    late.set(name, { ms: Number(seconds) * 1_000, health });
    const { s, said } = await investigate(null);
    const over = s - base.s;
    longest = Math.max(longest, over);
    const { coverage } = JSON.parse(said) as { coverage: { unchecked: readonly string[] } };
    const named = coverage.unchecked.some((one) => one.includes(name));
    console.log(
      `${name} after ${seconds} s${health ? ', its health check, too' : ''}: ${s.toFixed(1)} s, without it ${base.s.toFixed(1)} s, over that ${over.toFixed(1)} s; asked ${asked.get(name) ?? 0} times; ${named ? 'named' : 'not named'}`,
    );
  }
}
console.log(`longest over that without it: ${longest.toFixed(1)} s`);
for (const server of servers.values()) {
  server.closeAllConnections();
  server.close();
}
rmSync(home, { recursive: true });
