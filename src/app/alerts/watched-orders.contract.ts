/**
 * A fixture: a small failing service, its log, its repository with the deployed commit that reduced its connection pool,
 * and a real Prometheus and Alertmanager that watch it and send alerts to an address with a token.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatedGit } from '../../signals/git/dated-git.contract.ts';
import { freePort, type RealServer, startServer } from '../../signals/real-server.contract.ts';

export interface WatchedOrders {
  readonly prometheus: string;
  readonly alertmanager: string;
  readonly repository: string;
  readonly log: string;
  /** The commit that cut the pool. */
  readonly faultyCommit: string;
  close(): Promise<void>;
}

const minute = 60_000;
const minutesOfTrouble = 14;

/** The wait for a connection this many minutes ago, in milliseconds: short at first, then long. */
const waitMs = (ago: number): number => (ago > minutesOfTrouble ? 2 + (ago % 3) / 10 : 700 + (ago % 5) * 9);
const requestsPerSecond = (ago: number): number => 180 + (ago % 7);

export async function openWatchedOrders(hook: {
  readonly url: string;
  readonly token: string;
}): Promise<WatchedOrders> {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-orders-'));
  const service = createServer((_, response) => {
    response.setHeader('content-type', 'text/plain; version=0.0.4');
    response.end(
      `# TYPE orders_pool_wait_ms gauge\norders_pool_wait_ms ${waitMs(0)}\n# TYPE orders_requests_per_second gauge\norders_requests_per_second ${requestsPerSecond(0)}\n`,
    );
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const target = `127.0.0.1:${(service.address() as AddressInfo).port}`;
  const servers: RealServer[] = [];
  const close = async (): Promise<void> => {
    for (const server of servers) await server.stop();
    service.closeAllConnections();
    await new Promise((resolve) => service.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  };
  const start = Date.now();
  const { repository, faultyCommit } = createRepository(folder, start);
  const log = join(folder, 'orders.jsonl');
  writeFileSync(log, logLines(start));
  const data = writeHistory(folder, start, target);
  const [port, alertPort] = [await freePort(), await freePort()];
  const prometheus = `http://127.0.0.1:${port}`;
  const alertmanager = `http://127.0.0.1:${alertPort}`;
  writeConfiguration(folder, target, alertPort, hook);
  const answers = (url: string) => async (): Promise<boolean> => (await fetch(url)).ok;
  try {
    servers.push(
      await startServer(
        'prometheus-alertmanager',
        [
          `--config.file=${join(folder, 'alertmanager.yml')}`,
          `--storage.path=${join(folder, 'alertmanager')}`,
          `--web.listen-address=127.0.0.1:${alertPort}`,
          '--cluster.listen-address=',
        ],
        answers(`${alertmanager}/-/ready`),
      ),
      await startServer(
        'prometheus',
        [
          `--config.file=${join(folder, 'prometheus.yml')}`,
          `--storage.tsdb.path=${data}`,
          '--storage.tsdb.retention.time=1y',
          `--web.listen-address=127.0.0.1:${port}`,
          `--web.external-url=${prometheus}`,
          // The rule fires before Prometheus has found its Alertmanager.
          '--rules.alert.resend-delay=2s',
        ],
        answers(`${prometheus}/-/ready`),
      ),
    );
  } catch (thrown) {
    await close();
    throw thrown;
  }
  return { prometheus, alertmanager, repository, log, faultyCommit, close };
}

/** Writes the metrics of the last four hours, with the labels that later scrapes have. Returns the folder of the data. */
function writeHistory(place: string, start: number, target: string): string {
  const rows = (name: string, value: (ago: number) => number): string[] => [
    `# TYPE ${name} gauge`,
    ...Array.from({ length: 240 }, (_, n) => 240 - n).map(
      (ago) =>
        `${name}{instance="${target}",job="orders",service="orders"} ${value(ago)} ${Math.floor((start - ago * minute) / 1_000)}`,
    ),
  ];
  const file = join(place, 'history.txt');
  writeFileSync(
    file,
    `${[...rows('orders_pool_wait_ms', waitMs), ...rows('orders_requests_per_second', requestsPerSecond)].join('\n')}\n# EOF\n`,
  );
  const data = join(place, 'data');
  mkdirSync(data);
  execFileSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', file, data], { stdio: 'pipe' });
  return data;
}

function writeConfiguration(
  place: string,
  target: string,
  alertPort: number,
  { url, token }: { readonly url: string; readonly token: string },
): void {
  writeFileSync(
    join(place, 'rules.yml'),
    `groups:
- name: orders
  rules:
  - alert: OrdersPoolWait
    expr: orders_pool_wait_ms > 200
    for: 1s
    labels: {severity: critical, service: orders}
    annotations: {summary: orders waits for a connection of its pool}
`,
  );
  writeFileSync(
    join(place, 'prometheus.yml'),
    `global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [rules.yml]
alerting: {alertmanagers: [{static_configs: [{targets: ['127.0.0.1:${alertPort}']}]}]}
scrape_configs:
- job_name: orders
  static_configs: [{targets: ['${target}'], labels: {service: orders}}]
`,
  );
  writeFileSync(
    join(place, 'alertmanager.yml'),
    `route: {receiver: sonde, group_wait: 0s, group_interval: 1s, repeat_interval: 1h}
receivers:
- name: sonde
  webhook_configs:
  - url: '${url}'
    http_config: {authorization: {type: Bearer, credentials: '${token}'}}
`,
  );
}

/** A log that confirms the metrics, as independent evidence. */
function logLines(start: number): string {
  const line = (ago: number, level: string, msg: string): string =>
    JSON.stringify({
      timestamp: new Date(start - ago * minute).toISOString(),
      service: 'orders',
      level,
      msg,
    });
  const calm = Array.from({ length: 200 }, (_, n) => line(230 - n, 'info', `order ${n} placed`));
  const bad = Array.from({ length: 120 }, (_, n) =>
    line(
      minutesOfTrouble - n / 10,
      'error',
      `order ${n} failed: no connection of the pool within ${700 + (n % 9)} ms`,
    ),
  );
  return `${[...calm, ...bad].join('\n')}\n`;
}

function createRepository(
  place: string,
  start: number,
): { readonly repository: string; readonly faultyCommit: string } {
  const repository = join(place, 'repository');
  mkdirSync(join(repository, 'services/orders'), { recursive: true });
  const dated = createDatedGit(repository);
  const git = (ago: number, ...args: string[]): string => dated(start - ago * minute, ...args);
  const pool = (size: number): string =>
    `export const pool = new Pool({\n  host: 'ordersdb',\n  max: ${size},\n  connectionTimeoutMillis: 700,\n});\n`;
  const handler = (name: string): string =>
    `export async function place(order) {\n  const ${name} = await pool.connect();\n  return save(${name}, order);\n}\n`;
  const commit = (ago: number, title: string, files: Readonly<Record<string, string>>): string => {
    for (const [path, text] of Object.entries(files)) writeFileSync(join(repository, path), text);
    git(ago, 'add', '.');
    git(ago, 'commit', '-q', '-m', title);
    return git(ago, 'rev-parse', 'HEAD').trim();
  };
  git(300, 'init', '-q', '-b', 'main');
  commit(300, 'Orders', {
    'services/orders/pool.js': pool(40),
    'services/orders/place.js': handler('c'),
  });
  git(300, 'tag', '-a', '-m', 'orders', 'deploy/orders-1');
  const faultyCommit = commit(40, 'Tidy the settings of the pool', { 'services/orders/pool.js': pool(2) });
  git(16, 'tag', '-a', '-m', 'orders', 'deploy/orders-2');
  commit(12, 'Clearer name in place()', { 'services/orders/place.js': handler('connection') });
  git(8, 'tag', '-a', '-m', 'orders', 'deploy/orders-3');
  return { repository, faultyCommit };
}
