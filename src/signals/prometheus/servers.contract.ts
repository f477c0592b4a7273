/** A real Prometheus and a real Alertmanager watching a small service that can be made to fail. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort, type RealServer, startServer } from '../real-server.contract.ts';

export interface WatchedService {
  readonly prometheus: string;
  readonly alertmanager: string;
  /** Bodies that Alertmanager sent to the webhook. */
  readonly webhooks: readonly {
    readonly alerts: readonly { readonly status: string; readonly generatorURL: string }[];
  }[];
  /** From now on the service answers with errors. */
  fail(): void;
  close(): Promise<void>;
}

/** `history`: OpenMetrics text with times, which is imported before Prometheus starts. */
export async function startWatchedService(history?: string): Promise<WatchedService> {
  const directory = mkdtempSync(join(tmpdir(), 'sonde-prometheus-'));
  const webhooks: WatchedService['webhooks'][number][] = [];
  let isFailing = false;
  let requestCount = 0;
  let errorCount = 0;
  const service = createServer(async (request, response) => {
    if (request.url === '/webhook') {
      let body = '';
      for await (const part of request) body += part;
      webhooks.push(JSON.parse(body));
      response.end();
      return;
    }
    requestCount += 10;
    if (isFailing) errorCount += 9;
    response.setHeader('content-type', 'text/plain; version=0.0.4');
    response.end(
      `# TYPE shop_requests_total counter\nshop_requests_total{code="200"} ${requestCount - errorCount}\nshop_requests_total{code="500"} ${errorCount}\n# TYPE shop_failing gauge\nshop_failing{region="eu"} ${isFailing ? 1 : 0}\n`,
    );
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const shopAddress = `127.0.0.1:${(service.address() as AddressInfo).port}`;
  const [prometheusPort, alertPort] = [await freePort(), await freePort()];
  const prometheus = `http://127.0.0.1:${prometheusPort}`;
  const alertmanager = `http://127.0.0.1:${alertPort}`;
  const data = join(directory, 'data');
  mkdirSync(data);
  if (history !== undefined) {
    const file = join(directory, 'history.txt');
    writeFileSync(file, history);
    execFileSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', file, data], { stdio: 'pipe' });
  }
  writeFileSync(
    join(directory, 'rules.yml'),
    `groups:
- name: shop
  rules:
  - alert: ShopFails
    expr: shop_failing{region="eu"} > 0
    for: 1s
    labels: {severity: page}
    annotations: {summary: the shop fails}
  - record: shop:requests:sum
    expr: sum(shop_requests_total)
`,
  );
  writeFileSync(
    join(directory, 'prometheus.yml'),
    `global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [rules.yml]
alerting: {alertmanagers: [{static_configs: [{targets: ['127.0.0.1:${alertPort}']}]}]}
scrape_configs:
- job_name: shop
  static_configs: [{targets: ['${shopAddress}']}]
`,
  );
  writeFileSync(
    join(directory, 'alertmanager.yml'),
    `route: {receiver: hook, group_wait: 0s, group_interval: 1s, repeat_interval: 1h}
receivers:
- name: hook
  webhook_configs: [{url: 'http://${shopAddress}/webhook'}]
`,
  );
  const servers: RealServer[] = [];
  const isReady = (url: string) => async (): Promise<boolean> => (await fetch(url)).ok;
  try {
    servers.push(
      await startServer(
        'prometheus-alertmanager',
        [
          `--config.file=${join(directory, 'alertmanager.yml')}`,
          `--storage.path=${join(directory, 'alertmanager')}`,
          `--web.listen-address=127.0.0.1:${alertPort}`,
          '--cluster.listen-address=',
        ],
        isReady(`${alertmanager}/-/ready`),
      ),
    );
    servers.push(
      await startServer(
        'prometheus',
        [
          `--config.file=${join(directory, 'prometheus.yml')}`,
          `--storage.tsdb.path=${data}`,
          '--storage.tsdb.retention.time=10y',
          `--web.listen-address=127.0.0.1:${prometheusPort}`,
        ],
        isReady(`${prometheus}/-/ready`),
      ),
    );
  } catch (thrown) {
    for (const server of servers) await server.stop();
    service.close();
    rmSync(directory, { recursive: true, force: true });
    throw thrown;
  }
  await eventually(async () => {
    const reply = (await (await fetch(`${prometheus}/api/v1/query?query=up`)).json()) as {
      data: { result: unknown[] };
    };
    return reply.data.result.length > 0 ? true : null;
  }, 'the first scrape');
  return {
    prometheus,
    alertmanager,
    webhooks,
    fail() {
      isFailing = true;
    },
    async close() {
      for (const server of servers) await server.stop();
      service.closeAllConnections();
      await new Promise((resolve) => service.close(resolve));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
