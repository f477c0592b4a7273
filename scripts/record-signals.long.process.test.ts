/** The script against a server that answers as recorded, and against one that has changed. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type DoubleAnswer, httpDouble } from '../src/signals/http-double.contract.ts';
import { recordedSystems } from '../src/signals/recorded-systems.contract.ts';
import { type Recording, readRecording } from '../src/signals/recording.contract.ts';

const token = 'glsa-made-up-token-0123456789';
const folder = mkdtempSync(join(tmpdir(), 'sonde-record-'));
const recording = readRecording(recordedSystems['grafana']!.folder);
const calls = recording.exchanges.flatMap((one) => one.calls).filter(({ reply }) => reply.status === 200);

async function compare(change: (body: string) => string, args: readonly string[] = []) {
  const server = await httpDouble(({ path, headers, body: sent }): DoubleAnswer => {
    if (path === '/api/health') return { json: { database: 'ok', version: '12.0.0' } };
    if (headers.authorization !== `Bearer ${token}`) return { json: { message: 'no' }, status: 401 };
    const { expr } = sent === '' ? {} : JSON.parse(sent).queries[0];
    const found = calls.find(
      ({ request }) =>
        request.path.split('?')[0] === path &&
        (expr === undefined || JSON.stringify(request.body).includes(JSON.stringify(expr))),
    );
    const body = JSON.stringify(found?.reply.body ?? []).replace(
      'by ci',
      `by ci with ${headers.authorization}`,
    );
    return { json: JSON.parse(change(body)) };
  });
  const child = spawn(process.execPath, [join(import.meta.dirname, 'record-signals.ts'), ...args], {
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      SONDE_HOME: folder,
      GRAFANA_URL: server.base,
      GRAFANA_TOKEN: token,
    },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)));
  const status = await new Promise((resolve) => child.on('close', resolve));
  await server.close();
  return { said, status };
}

test('a system that answers as recorded has no drift; what is written holds no credential', async () => {
  const file = join(folder, 'recorded.json');
  const { said, status } = await compare((body) => body, ['grafana', '--write', file]);
  expect(said).not.toMatch(/changed|gone|new {4}/);
  expect(status).toBe(0);
  const written = readFileSync(file, 'utf8');
  expect(written).not.toContain(token);
  const again = JSON.parse(written) as Recording;
  expect(again.exchanges.length).toBeGreaterThan(4);
  expect(again.compared_with[0]).toMatchObject({
    what: 'a real system',
    version: expect.stringContaining('12.0.0'),
  });
});

test('what has another kind, what is gone and what is new is named', async () => {
  const { said, status } = await compare(
    (body) => body.replace(/"uid":"(\w+)","orgId":1/, '"uid":7,"org":"$1"'),
    ['grafana', '--ask', 'grafana_sources={}'],
  );
  expect(said).toMatch(/grafana_sources {}: bad_reply/);
  expect(said).toMatch(/changed \[\]\.uid: string, now number/);
  expect(said).toMatch(/gone {4}\[\]\.orgId/);
  expect(said).toMatch(/new {5}\[\]\.org\b/);
  expect(status).toBe(1);
});

test('an unknown system, and one that is not configured', async () => {
  expect(await compare((body) => body, ['nagios'])).toMatchObject({
    status: 2,
    said: expect.stringContaining('datadog, elasticsearch, github'),
  });
  expect(await compare((body) => body, ['loki'])).toMatchObject({
    status: 2,
    said: expect.stringContaining('loki is not configured'),
  });
});
