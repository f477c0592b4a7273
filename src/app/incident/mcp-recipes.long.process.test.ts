/** The recipes of docs/mcp-servers.md as they stand there, against doubles of the servers: over standard streams and HTTP. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { afterAll, expect, it } from 'vitest';
import type { McpServerSetting, Signal } from '../../core/index.ts';
import { mcpServersParser } from '../config/mcp-servers.ts';
import { openMcpServers } from './mcp.ts';
import { published, recipeServer } from './mcp-recipes.contract.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/mcp-servers.md'), 'utf8');
const recipes = Object.assign(
  {},
  ...[...page.matchAll(/```json\n([\s\S]*?)```/g)].map(
    ([, json]) => mcpServersParser.read(JSON.parse(json!).mcp_servers)?.value,
  ),
) as Readonly<Record<string, McpServerSetting>>;

const folder = mkdtempSync(join(tmpdir(), 'sonde-recipes-'));
afterAll(() => rmSync(folder, { recursive: true }));

const noon = Date.UTC(2026, 6, 11, 12);
const window = { from: noon, to: noon + 1_800_000, baseline_from: noon - 1_800_000, derivation: 'a test' };
const [first, last] = ['2026-07-11T11:30:00.000Z', '2026-07-11T12:30:00.000Z'];
const ask = async (signal: Signal, name: string, args: object): Promise<string> => {
  const found = signal.questions.find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name}: ${signal.questions.map((one) => one.name).join()}`);
  const reply = await found.ask(args, { window, limits: { rows: 50, bytes: 8_000, timeoutMs: 20_000 } });
  if (reply.kind === 'failure') throw new Error(reply.message);
  return [reply.text, ...reply.notes].join('\n').replaceAll('\\"', '"');
};

/** The double over HTTP: what it was sent, and what it says. */
async function hosted(name: string, said: (headers: IncomingHttpHeaders) => string) {
  const seen: IncomingHttpHeaders[] = [];
  const handler = createMcpHandler(() =>
    recipeServer(name, (tool, args) => `${tool} ${JSON.stringify(args)} ${said(seen.at(-1)!)}`),
  );
  const listener = createServer(async (incoming, outgoing) => {
    seen.push(incoming.headers);
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const { method = 'GET', url = '/', headers } = incoming;
    const reply = await handler.fetch(
      new Request(`http://${headers.host}${url}`, {
        method,
        headers: headers as Record<string, string>,
        ...(parts.length > 0 && { body: Buffer.concat(parts) }),
      }),
    );
    outgoing.writeHead(reply.status, Object.fromEntries(reply.headers));
    for await (const part of reply.body ?? []) outgoing.write(part);
    outgoing.end();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`,
    seen,
    async [Symbol.asyncDispose]() {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

/** The recipe with its files here, and its address that of the double. */
function here(name: string, url: string): McpServerSetting {
  const { token_file, header_files, ...rest } = recipes[name]!;
  const file = (what: string): string => {
    const path = join(folder, `${name}-${what}`);
    writeFileSync(path, `${name}-secret-of-${what}\n`, { mode: 0o600 });
    return path;
  };
  return {
    ...rest,
    url,
    ...(token_file !== undefined && { token_file: file('token') }),
    ...(header_files && {
      header_files: Object.fromEntries(Object.keys(header_files).map((header) => [header, file(header)])),
    }),
  };
}

it('every recipe is one that the settings take', () => {
  expect(Object.keys(recipes).sort()).toEqual(Object.keys(published).sort());
});

it('over standard streams: the window is filled in however a tool calls it, and only named variables are there', async () => {
  process.env['GRAFANA_URL'] = 'http://grafana.test';
  process.env['UNRELATED_TOKEN'] = 'not-for-others';
  const [program, ...args] = recipes['grafana']!.command!;
  expect([program, args]).toEqual(['uvx', ['mcp-grafana', '--disable-write']]);
  const command = [process.execPath, join(import.meta.dirname, 'mcp-recipes.contract.ts'), 'grafana'];
  const { signals, notes } = await openMcpServers({ grafana: { ...recipes['grafana']!, command } });
  const [grafana] = signals;
  try {
    expect(notes.join()).toContain('create_incident (it does not say that it only reads)');
    const logs = await ask(grafana!, 'mcp_grafana_query_loki_logs', {
      datasourceUid: 'l',
      logql: '{app="x"}',
    });
    expect(logs).toContain(`"startRfc3339":"${first}","endRfc3339":"${last}"`);
    expect(logs).toContain('GRAFANA_URL');
    expect(logs).not.toContain('UNRELATED_TOKEN');
    const metrics = await ask(grafana!, 'mcp_grafana_query_prometheus', {
      datasourceUid: 'p',
      expr: 'up',
      endTime: 'now',
    });
    expect(metrics).toContain(`"endTime":"${last}"`);
    const labels = await ask(grafana!, 'mcp_grafana_list_pyroscope_label_names', { data_source_uid: 'y' });
    expect(labels).toContain(`"end_rfc_3339":"${last}"`);
    const panel = await ask(grafana!, 'mcp_grafana_get_panel_image', { dashboardUid: 'd' });
    expect(panel).toContain(`"timeRange":{"from":"${first}","to":"${last}"}`);
  } finally {
    await grafana!.close();
    delete process.env['GRAFANA_URL'];
    delete process.env['UNRELATED_TOKEN'];
  }
});

it.each([
  ['honeycomb', 'get_workspace_context', {}, { authorization: 'Bearer honeycomb-secret-of-token' }],
  ['newrelic', 'list_recent_logs', { entity_guid: 'g' }, { 'api-key': 'newrelic-secret-of-api-key' }],
  [
    'datadog',
    'search_datadog_logs',
    { query: 'error' },
    {
      dd_api_key: 'datadog-secret-of-DD_API_KEY',
      dd_application_key: 'datadog-secret-of-DD_APPLICATION_KEY',
    },
  ],
])(
  'over HTTP: %s is sent what its recipe names, read anew, and it never comes back out',
  async (name, tool, args, sent) => {
    await using double = await hosted(name, (headers) => `you sent ${JSON.stringify(headers)}`);
    const setting = here(name, double.url);
    const { signals } = await openMcpServers({ [name]: setting });
    const [signal] = signals;
    expect(await signal!.health()).toMatchObject({ kind: 'healthy' });
    const said = await ask(signal!, `mcp_${name}_${tool}`, args);
    expect(double.seen.at(-1)).toMatchObject(sent);
    for (const value of Object.values(sent)) expect(said).not.toContain(value.replace('Bearer ', ''));
    if (name === 'newrelic')
      expect(said).toContain(`"start_time_ms":${window.baseline_from},"end_time_ms":${window.to}`);
    if (name === 'datadog') expect(said).toContain(`"from":"${first}","to":"${last}"`);
    if (name === 'honeycomb') expect(said).toContain('may be of another time than the incident');
    const file = setting.token_file ?? Object.values(setting.header_files!)[0]!;
    writeFileSync(file, 'renewed-key-0123456789\n');
    await ask(signal!, `mcp_${name}_${tool}`, args);
    expect(JSON.stringify(double.seen.at(-1))).toContain('renewed-key-0123456789');
    await signal!.close();
  },
);
