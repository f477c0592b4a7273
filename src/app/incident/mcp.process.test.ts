/** MCP servers as real processes, over their standard streams and over HTTP: our own is one. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { launcher, newHome, startSonde } from '../testbed/run-sonde.ts';
import { sonde } from '../testbed/sonde-here.ts';
import { openMcpServers } from './mcp.ts';

const now = Date.now();
const asked = {
  window: { from: now - 3_600_000, to: now, baseline_from: now - 7_200_000, derivation: 'a test' },
  limits: { rows: 50, bytes: 4_000, timeoutMs: 20_000 },
};
const home = newHome();
process.env['SONDE_HOME'] = home;

beforeAll(async () => {
  const vault = mkdtempSync(join(tmpdir(), 'sonde-vault-'));
  writeFileSync(join(vault, 'Orders.md'), '# Orders\n\nRestart orders when its pool is exhausted.\n');
  await sonde(['world', 'import', vault, '--workspace', 'ops'], { home });
});

const ours = (more: object = {}) => ({
  command: [process.execPath, launcher, 'mcp', '--workspace', 'ops', '--allow', 'owner'],
  allow: [],
  env: ['SONDE_HOME'],
  ...more,
});

it('over standard streams: tools that read, and one more that is allowed by name', async () => {
  const { signals, notes } = await openMcpServers({ runbooks: ours() });
  const [signal] = signals;
  try {
    expect(await signal!.health()).toMatchObject({ kind: 'healthy' });
    const names = signal!.questions.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(2);
    expect(names.filter((name) => /write|append|delete|submit/.test(name))).toEqual([]);
    expect(notes.join()).toMatch(
      /tools? of the MCP server runbooks (?:is|are) not used: \w+ \(it does not say/,
    );
    const left = /not used: (\w+)/.exec(notes[0]!)![1]!;
    const more = await openMcpServers({ runbooks: ours({ allow: [left] }) });
    expect(more.signals[0]!.questions).toHaveLength(names.length + 1);
    await more.signals[0]!.close();
  } finally {
    await signal!.close();
  }
});

it('over HTTP, with a token out of a file', async () => {
  const { child, ended, waitFor: until } = startSonde(['mcp', '--workspace', 'ops', '--http', '0'], { home });
  const url = await until((said) => /http:[^\s,]+/.exec(said)?.[0]);
  const tokenFile = await until((said) => /The token is in (\S+)\.\n/.exec(said)?.[1]);
  const { signals } = await openMcpServers({
    pages: { url, token_file: tokenFile, allow: [], env: [] },
    stranger: { url, allow: [], env: [] },
  });
  expect(signals[0]!.questions.length).toBeGreaterThan(2);
  const list = signals[0]!.questions.find(({ name }) => name.includes('list') || name.includes('search'))!;
  const reply = await list.ask(list.name.includes('search') ? { query: 'restart' } : {}, asked);
  expect(reply).toHaveProperty('kind');
  // Without the token it is a system that cannot be used, and says why.
  expect(signals[1]!.questions).toEqual([]);
  expect(await signals[1]!.health()).toMatchObject({ kind: 'unhealthy' });
  for (const signal of signals) await signal.close();
  child.kill('SIGTERM');
  await ended;
});

it('from the settings into a run: what it offers, and a server that is not there', async () => {
  const settings = {
    mcp_servers: { runbooks: ours(), gone: { command: ['/nonexistent/server'] } },
  };
  const { stdout, stderr } = await sonde(
    ['incident', '--text', 'orders is down', '--model', 'extractive', '--json'],
    { home, env: { SONDE_MCP_SERVERS: JSON.stringify(settings.mcp_servers) } },
  );
  expect(stderr).toContain('of the MCP server runbooks are not used');
  const { coverage } = JSON.parse(stdout) as {
    coverage: { signals: { system: string; state: string }[] };
  };
  expect(coverage.signals).toMatchObject([{ system: 'mcp_runbooks' }, { system: 'mcp_gone' }]);
  expect(coverage.signals[1]!.state).toMatch(/ENOENT/);
});

it.each([
  ['{"a": {}}'],
  ['{"a": {"command": ["x"], "url": "http://127.0.0.1:1"}}'],
  ['{"a": {"url": "http://user:secret@127.0.0.1"}}'],
  ['not json'],
])('%s is refused, with what is allowed', async (value) => {
  const file = join(mkdtempSync(join(tmpdir(), 'sonde-mcp-')), 'alert.json');
  writeFileSync(file, '{}');
  const { stderr, status } = await sonde(['incident', file, '--model', 'extractive'], {
    env: { SONDE_MCP_SERVERS: value },
  });
  expect(status).toBe(2);
  expect(stderr).toMatch(/SONDE_MCP_SERVERS: mcp_servers/);
});
