/** `sonde mcp --workspace` as a real process, spoken to by the official client, in both eras and both transports. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connectInProcess } from '../testbed/mcp-here.ts';
import { createPatientClient } from '../testbed/patient-client.ts';
import { environmentOf, launcher, newHome } from '../testbed/run-sonde.ts';
import { createSmallTree } from '../testbed/small-tree.ts';
import { sonde, startInProcess } from '../testbed/sonde-here.ts';

/** As in host.long.process.test.ts; else fewer kills. */
const everyTrial = process.env['TRIALS'] === 'all';
const eras = ['legacy', 'auto'] as const;
type Era = (typeof eras)[number];

let home: string;
let tree: string;
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

beforeAll(async () => {
  [home, tree] = [newHome(), createSmallTree()];
  const vault = mkdtempSync(join(tmpdir(), 'sonde-vault-'));
  mkdirSync(join(vault, 'Plans'));
  writeFileSync(join(vault, 'Plans', 'Launch.md'), '# Launch\n\nWe launch in May. See [[Budget]].\n');
  writeFileSync(join(vault, 'Budget.md'), 'Ten thousand.\n');
  const { status, stderr } = await sonde(['world', 'import', vault, '--workspace', 'notes'], { home });
  expect([status, stderr]).toMatchObject([0, expect.anything()]);
});

const clientOf = (era: Era) =>
  createPatientClient({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } });

async function overStdio(era: Era, ...flags: readonly string[]): Promise<Client> {
  const client = clientOf(era);
  await connectInProcess(client, [tree, '--workspace', 'notes', ...flags], { home });
  ends.push(() => client.close());
  return client;
}

/** The address that the server says on its standard output. */
async function startHttp() {
  const { stdout, signal, ended } = startInProcess(['mcp', '--workspace', 'notes', '--http'], { home });
  ends.push(async () => {
    signal('SIGTERM');
    expect(await ended).toMatchObject({ status: 0 });
  });
  const url = await new Promise<string>((said, failed) => {
    stdout.once('data', (data) => said(String(data).trim()));
    void ended.then(({ stderr }) => failed(new Error(stderr)));
  });
  const path = join(home, 'data', 'tokens', 'workspace-notes.default');
  return { url, path, token: readFileSync(path, 'utf8').trim() };
}

async function overHttp(era: Era): Promise<Client> {
  const { url, token } = await startHttp();
  const client = clientOf(era);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  ends.push(() => client.close());
  return client;
}

interface Told {
  readonly text: string;
  readonly isError: boolean;
  readonly held: Readonly<Record<string, never>>;
}
async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Told> {
  const { content, isError, structuredContent } = await client.callTool({ name, arguments: args });
  const [block] = content as { text?: string }[];
  return { text: block?.text ?? '', isError: isError === true, held: structuredContent as Told['held'] };
}

const workspaceTools = [
  ...['search_pages', 'read_page', 'read_block', 'list_pages', 'list_tags', 'get_backlinks', 'page_history'],
  ...['create_page', 'update_block', 'update_page', 'add_block', 'delete_block'],
  ...['set_properties', 'add_derivation_link'],
  ...['move_page', 'rename_page', 'delete_page', 'add_tag'],
  ...['promote_to_canonical', 'list_deviations', 'resolve_deviation'],
  ...['list_inbox', 'list_changes', 'changed_since'],
];
const memoryTools = ['get_memory', 'put_memory', 'search_memory', 'forget_memory'];
const codeTools = [
  ...['hybrid_search', 'open_span', 'grep', 'find_definition'],
  ...['find_references', 'find_impact', 'outline'],
  ...['git_log', 'git_blame', 'git_pickaxe', 'git_show'],
  ...['trace_path', 'expand_symbol', 'list_tree', 'hover'],
];
const controlTools = ['list_tools', 'list_scopes', 'current_workspace', 'read_result'];

describe.each(eras)('over standard streams, era %s', (era) => {
  // world.md: MCP tools 4 and 5.
  it('lists the catalogue, with what a client needs to know of each tool', async () => {
    const client = await overStdio(era, '--allow', 'read-only');
    expect(client.getNegotiatedProtocolVersion()).toMatch(era === 'legacy' ? /^2025-/ : /^2026-/);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...workspaceTools,
      ...memoryTools,
      'run_python',
      ...codeTools,
      ...controlTools,
    ]);
    for (const { inputSchema, annotations, _meta, description } of tools) {
      expect(inputSchema.type).toBe('object');
      expect(annotations?.readOnlyHint).toBeTypeOf('boolean');
      expect(_meta?.['sonde/tool']).toMatchObject({ effect: expect.any(String), cost: expect.any(String) });
      expect(description?.length).toBeGreaterThan(10);
    }
    expect(tools.map(({ name }) => name)).not.toContain('task');
  });

  it('reads, searches and writes a candidate', async () => {
    const client = await overStdio(era);
    const read = await call(client, 'read_page', { page: 'Plans/Launch' });
    expect(read.text).toContain('We launch in May.');
    const found = await call(client, 'search_pages', { query: 'launch in May' });
    expect(found.text).toContain('Plans/Launch');
    const path = `Notes/${era}`;
    const made = await call(client, 'create_page', {
      path,
      text: 'We launch late.\n',
      derived_from: ['Budget'],
    });
    expect(made).toMatchObject({
      isError: false,
      held: { ok: true, write: { applied: true }, deviation_ids: [] },
    });
    const page = (await call(client, 'read_page', { page: path })).held['data'];
    expect(page).toMatchObject({ page: { origin: 'AgentProduced', lifecycle: 'Candidate' } });
    const promoted = await call(client, 'promote_to_canonical', { content: path });
    expect(promoted).toMatchObject({ isError: true, held: { error: { code: 'capability' } } });
  });

  it('answers about code and runs Python', async () => {
    const client = await overStdio(era);
    expect((await call(client, 'grep', { pattern: 'deliver' })).text).toMatch(/src\/delivery\.ts:\d+:/);
    expect((await call(client, 'hybrid_search', { query: 'failed delivery retried' })).text).toContain(
      'src/',
    );
    expect((await call(client, 'run_python', { code: '6 * 7' })).text).toBe('42');
  });

  it.each<[name: string, tool: string, args: Record<string, unknown>, code: string]>([
    ['wrong arguments', 'read_page', { page: 3 }, 'validation'],
    ['an unknown tool', 'task', {}, 'validation'],
    ['a capability that outsiders lack', 'get_memory', {}, 'capability'],
    ['deleting', 'delete_page', { page: 'Budget' }, 'capability'],
    ['a program without end', 'run_python', { code: 'while True: pass', seconds: 1 }, 'budget'],
  ])('%s is a result with a code', async (_name, tool, args, code) => {
    const client = await overStdio(era);
    const told = await call(client, tool, args);
    expect(told).toMatchObject({ isError: true, held: { ok: false, error: { code } } });
    expect(told.text.startsWith(`${code}: `)).toBe(true);
  });
});

it('the owner’s set does not make a program the author', async () => {
  const client = await overStdio('auto', '--allow', 'owner');
  expect((await call(client, 'put_memory', { tier: 'account', key: 'k', text: 'x' })).isError).toBe(false);
  const scopes = (await call(client, 'list_scopes')).held['data'];
  expect(scopes).toMatchObject({ caller: { kind: 'external' }, capabilities: { length: 11 } });
  const made = await call(client, 'create_page', { path: 'Owned', text: 'x\n' });
  expect(made.text).toMatch(/^Applied as Candidate/);
  const { stdout } = await sonde(['memory', 'ls', '--json', '--tier', 'account'], { home });
  expect(JSON.parse(stdout)).toMatchObject([{ key: 'k', writer: 'external stdio:test' }]);
});

describe.each(eras)('over HTTP, era %s', (era) => {
  it('is the same host', async () => {
    const client = await overHttp(era);
    const { tools } = await client.listTools();
    // Without a folder there are no code tools.
    expect(tools).toHaveLength(workspaceTools.length + memoryTools.length + 1 + controlTools.length);
    expect((await call(client, 'current_workspace')).text).toMatch(/^notes \(/);
    expect((await call(client, 'list_pages', { under: 'Plans' })).text).toContain('Plans/Launch');
  });
});

// world.md: Session graph 8. A write that is sent again after a crash.
it('is killed while it writes, and a write that is sent again under its key is applied once', async () => {
  const written = new Map<string, unknown>();
  const kills = everyTrial ? 6 : 2;
  const send = (client: Client, n: number) =>
    client.callTool({
      name: 'create_page',
      arguments: { path: `Crash/Page ${n}`, text: `Page ${n}\n` },
      _meta: { 'sonde/idempotency_key': `crash ${n}` },
    });
  let next = 0;
  for (let round = 0; round < kills; round += 1) {
    const client = clientOf('legacy');
    const args = [launcher, 'mcp', '--workspace', 'notes'];
    const env = environmentOf({ home });
    const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' });
    await client.connect(transport);
    // What the process before had acknowledged, and what it may have done without saying so.
    for (const n of [next - 1, next].filter((one) => one >= 0)) {
      const { structuredContent } = await send(client, n);
      const { write } = structuredContent as { write: unknown };
      if (written.has(`${n}`)) expect(write).toEqual(written.get(`${n}`));
      written.set(`${n}`, write);
    }
    next += 1;
    const until = Date.now() + 20 + Math.random() * 60;
    // The list of all pages has to fit one result, however fast the machine is.
    const last = next + 40;
    while (Date.now() < until && next < last) {
      const { structuredContent } = await send(client, next);
      written.set(`${next}`, (structuredContent as { write: unknown }).write);
      next += 1;
    }
    const lost = send(client, next).catch(() => null);
    process.kill(transport.pid!, 'SIGKILL');
    await lost;
    await client.close();
  }
  const client = await overStdio('auto');
  expect((await send(client, next)).isError).not.toBe(true);
  const { pages } = (await call(client, 'list_pages', { under: 'Crash', limit: 1000 })).held[
    'data'
  ] as unknown as {
    pages: { path: string }[];
  };
  const paths = pages.map(({ path }) => path).filter((path) => path !== 'Crash');
  expect(paths.sort()).toEqual(Array.from({ length: next + 1 }, (_, n) => `Crash/Page ${n}`).sort());
  expect(new Set([...written.values()].map((write) => JSON.stringify(write))).size).toBe(written.size);
});

describe('the token', () => {
  it('is kept where only its owner reads it, and is the same at the next start', async () => {
    const first = await startHttp();
    expect(statSync(first.path).mode & 0o777).toBe(0o600);
    expect(first.token).toMatch(/^[\w-]{43}$/);
    expect((await startHttp()).token).toBe(first.token);
    expect((await fetch(first.url, { method: 'POST' })).status).toBe(401);
  });

  it('that others may read is refused', async () => {
    const { path } = await startHttp();
    chmodSync(path, 0o644);
    const { status, stderr } = await sonde(['mcp', '--workspace', 'notes', '--http'], { home });
    chmodSync(path, 0o600);
    expect([status, stderr]).toMatchObject([2, expect.stringMatching(/only you can read[\s\S]*Delete it/)]);
  });

  it('of an earlier version, one for all servers, is refused', async () => {
    const path = join(home, 'data', 'mcp-token');
    writeFileSync(path, 'x', { mode: 0o600 });
    const { status, stderr } = await sonde(['mcp', '--workspace', 'notes', '--http'], { home });
    rmSync(path);
    expect([status, stderr]).toMatchObject([2, expect.stringMatching(/mcp-token[\s\S]*Delete the file/)]);
  });
});

it.each<[string, readonly string[], RegExp]>([
  ['a workspace that is not there', ['mcp', '--workspace', 'none'], /no workspace .*none\.db/],
  ['a set that is none', ['mcp', '--workspace', 'notes', '--allow', 'all'], /"all"[\s\S]*owner, agent/],
  ['a set without a workspace', ['mcp', '--allow', 'owner'], /--allow was given without --workspace/],
  ['a port that is none', ['mcp', '--workspace', 'notes', '--http', '99999'], /--http is "99999"/],
  ['a folder that is not there', ['mcp', '/nonexistent', '--workspace', 'notes'], /\/nonexistent/],
])('%s is told on standard error', async (_name, args, words) => {
  const { status, stdout, stderr } = await sonde(args, { home });
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(words);
});
