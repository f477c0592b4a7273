/** `kill -9` between a report's arrival and its answer: the next process finds it there, and writes no other. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pagerDutyService, slackService } from './services.contract.ts';

const worker = fileURLToPath(new URL('./write-back-worker.contract.ts', import.meta.url));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-write-back-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ['Slack', 'slack', 'at its arrival'],
  ['Slack', 'slack', 'on its way'],
  ['PagerDuty', 'pagerduty', 'at its arrival'],
  ['PagerDuty', 'pagerduty', 'on its way'],
] as const)('%s: killed over the first write to /%s, %s', async (_name, path, moment) => {
  const services = { slack: slackService(), pagerduty: pagerDutyService() };
  let child: ChildProcess | undefined;
  let killed = 0;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    const [, name = '', ...rest] = request.url!.split('/');
    const mine = name === path && request.method === 'POST' && killed === 0;
    if (mine) {
      killed += 1;
      child!.kill('SIGKILL');
      if (moment === 'on its way') return;
    }
    const service = services[name as keyof typeof services];
    const said = await service.send(`http://service.test/${rest.join('/')}`, {
      ...{ method: request.method!, headers: {}, redirect: 'manual', signal: new AbortController().signal },
      ...(request.method === 'POST' && { body }),
    });
    if (!mine) response.writeHead(said.status).end(await new Response(said.body).text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const run = async (): Promise<{ readonly signal: unknown; readonly said: string }> => {
    child = spawn(process.execPath, [worker, join(folder, 'sonde.db'), 'run-1', url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout!.setEncoding('utf8').on('data', (text: string) => (said += text));
    const [, signal] = await once(child, 'close');
    return { signal, said };
  };
  try {
    expect((await run()).signal).toBe('SIGKILL');
    const { said } = await run();
    expect(JSON.parse(said)).toMatchObject([
      { sink: 'slack', state: 'delivered' },
      { sink: 'pagerduty', state: 'delivered' },
    ]);
    expect(killed).toBe(1);
    expect(services.slack.written).toHaveLength(1);
    expect(services.pagerduty.written).toHaveLength(1);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
