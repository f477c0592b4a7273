/**
 * The host of tools: how long it takes to be up, what its listing costs a context, and what a call costs, beside
 * the least that a server of the same protocol can be (`host-peer.ts`). Every round does a little of each.
 *
 * `node bench/host.ts [--pages 2000] [--rounds 10]`
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Tiktoken } from 'js-tiktoken/lite';

const { values } = parseArgs({
  options: { pages: { type: 'string', default: '2000' }, rounds: { type: 'string', default: '10' } },
});
const [pages, rounds] = [Number(values.pages), Number(values.rounds)];
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'sonde-host-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
const env = { PATH: process.env['PATH'] ?? '', HOME: work, SONDE_HOME: join(work, 'home') };
const sonde = at('../bin/sonde.mjs');
const hostArgs = [sonde, 'mcp', at('../src/core'), '--workspace', 'bench', '--allow', 'owner'];
const peerArgs = [at('./host-peer.ts')];

const vault = join(work, 'vault');
for (let n = 0; n < pages; n += 1) {
  mkdirSync(join(vault, `Area ${n % 20}`), { recursive: true });
  const text = `# Topic ${n}\n\nWords about topic ${n}, number ${(n * 7919) % pages}.\n\nSee [[Topic ${(n + 1) % pages}]]. #tag${n % 30}\n`;
  writeFileSync(join(vault, `Area ${n % 20}`, `Topic ${n}.md`), text);
}
execFileSync(process.execPath, [sonde, 'world', 'import', vault, '--workspace', 'bench'], {
  env,
  stdio: 'ignore',
});

const sorted = (list: readonly number[]) => [...list].sort((a, b) => a - b);
const quantile = (list: readonly number[], q: number) =>
  sorted(list)[Math.floor((list.length - 1) * q)] ?? Number.NaN;
const ms = (value: number) => value.toFixed(value < 10 ? 2 : 0);

interface Start {
  readonly up: number;
  readonly list: number;
  /** Milliseconds of computing until the listing was there; says more than time where others work, too. */
  readonly cpu: number;
  readonly mb: number;
}

/** From the start of a process to its answer to `initialize`, and from there to its first listing. */
async function start(args: readonly string[]): Promise<Start> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'bench', version: '0' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  send({ id: 1, method: 'initialize', params });
  await lines.next();
  const up = performance.now();
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/list', params: {} });
  await lines.next();
  const list = performance.now();
  const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1];
  // In ticks of 10 ms: user and system.
  const cpu = (Number(stat[11]) + Number(stat[12])) * 10;
  child.stdin.end();
  await new Promise((done) => child.once('close', done));
  return { up: up - began, list: list - up, cpu, mb: Number(peak) / 1024 };
}

const starts: Record<'host' | 'peer', Start[]> = { host: [], peer: [] };
// The first start of each fills the cache of compiled code.
await start(hostArgs);
await start(peerArgs);
for (let round = 0; round < rounds; round += 1) {
  starts.host.push(await start(hostArgs));
  starts.peer.push(await start(peerArgs));
}
const startRow = (what: string, of: (one: Start) => number): string => {
  const [host, peer] = [starts.host.map(of), starts.peer.map(of)];
  const ratio = quantile(host, 0.5) / quantile(peer, 0.5);
  return `| ${what} | ${ms(quantile(host, 0))} | ${ms(quantile(host, 0.5))} | ${ms(quantile(peer, 0))} | ${ms(quantile(peer, 0.5))} | ${ratio.toFixed(2)} |`;
};
console.log(`Start, ${rounds} rounds, a workspace of ${pages} pages\n`);
console.log(
  '| | host, least | host, median | bare server, least | bare server, median | ratio |\n|---|---|---|---|---|---|',
);
console.log(startRow('process to first answer, ms', ({ up }) => up));
console.log(startRow('first listing, ms', ({ list }) => list));
console.log(startRow('computing until then, ms', ({ cpu }) => cpu));
console.log(startRow('peak memory, MB', ({ mb }) => mb));

const newClient = () => new Client({ name: 'bench', version: '0' }, { versionNegotiation: { mode: 'auto' } });
async function overStdio(args: readonly string[]): Promise<Client> {
  const client = newClient();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args],
    env,
    stderr: 'ignore',
  });
  await client.connect(transport);
  return client;
}
const server = spawn(process.execPath, [sonde, 'mcp', '--workspace', 'bench', '--allow', 'owner', '--http'], {
  env,
  stdio: ['ignore', 'pipe', 'ignore'],
});
const { value: url } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next();
const token = readFileSync(join(env.SONDE_HOME, 'data', 'tokens', 'workspace-bench.default'), 'utf8').trim();
const http = newClient();
const requestInit = { headers: { authorization: `Bearer ${token}` } };
await http.connect(new StreamableHTTPClientTransport(new URL(url ?? ''), { requestInit }));
const stdio = await overStdio(hostArgs);
const peer = await overStdio(peerArgs);

const load = createRequire(import.meta.url);
const { Tiktoken: Encoder } = load('js-tiktoken/lite') as typeof import('js-tiktoken/lite');
const encoder = new Encoder(
  load('js-tiktoken/ranks/o200k_base') as ConstructorParameters<typeof Tiktoken>[0],
);
const tokens = (value: unknown) => encoder.encode(JSON.stringify(value)).length;
const { tools } = await stdio.listTools();
const shown = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
console.log(
  `\nListing: ${tools.length} tools, ${tokens(shown)} tokens (o200k_base) of name, description and schema`,
);
console.log(`with annotations and metadata, which clients keep to themselves: ${tokens(tools)}`);
const families: readonly (readonly [string, RegExp])[] = [
  ['code', /^(hybrid_search|open_span|grep|find_definition|git_)/],
  ['memory', /_memory$/],
  ['control', /^(list_tools|list_scopes|current_workspace|read_result)$/],
  ['run_python', /^run_python$/],
  ['pages', /./],
];
let left = shown;
for (const [family, names] of families) {
  const mine = left.filter(({ name }) => names.test(name));
  left = left.filter((one) => !mine.includes(one));
  console.log(`- ${family}: ${mine.length} tools, ${tokens(mine)} tokens`);
}

type Call = readonly [tool: string, args: (n: number) => Record<string, unknown>, times: number];
const calls: readonly Call[] = [
  ['current_workspace', () => ({}), 200],
  ['read_page', (n) => ({ page: `Area ${n % 20}/Topic ${n % pages}` }), 200],
  ['list_pages', (n) => ({ under: `Area ${n % 20}`, limit: 20 }), 100],
  ['get_backlinks', (n) => ({ page: `Area ${n % 20}/Topic ${n % pages}` }), 100],
  ['search_pages', (n) => ({ query: `topic number ${n}` }), 100],
  ['put_memory', (n) => ({ tier: 'workspace', key: `k${n % 50}`, text: `text ${n}` }), 100],
  ['get_memory', (n) => ({ key: `k${n % 50}` }), 100],
  ['search_memory', (n) => ({ query: `text ${n}` }), 100],
  ['create_page', (n) => ({ path: `Bench/${performance.now()} ${n}`, text: `Page ${n}\n` }), 100],
  ['grep', () => ({ pattern: 'SondeError', limit: 20 }), 20],
  ['run_python', () => ({ code: '6 * 7' }), 10],
];

async function timed(client: Client, name: string, args: Call[1], times: number): Promise<readonly number[]> {
  const taken: number[] = [];
  // The first opens what the tool needs.
  for (let n = -1; n < times; n += 1) {
    const began = performance.now();
    const { isError, content } = await client.callTool({ name, arguments: args(n + 1) });
    if (isError === true) throw new Error(`${name}: ${JSON.stringify(content)}`);
    if (n >= 0) taken.push(performance.now() - began);
  }
  return taken;
}

console.log(
  '\n| call | stdio p50, ms | p95 | HTTP p50, ms | p95 | echo of the bare server p50, ms | stdio / echo |\n|---|---|---|---|---|---|---|',
);
for (const [name, args, times] of calls) {
  const echo = await timed(peer, 'echo', args, Math.max(50, times));
  const inside = await timed(stdio, name, args, times);
  if (name === 'grep') {
    console.log(
      `| ${name} | ${ms(quantile(inside, 0.5))} | ${ms(quantile(inside, 0.95))} | - | - | ${ms(quantile(echo, 0.5))} | ${(quantile(inside, 0.5) / quantile(echo, 0.5)).toFixed(1)} |`,
    );
    continue;
  }
  const over = await timed(http, name, args, times);
  console.log(
    `| ${name} | ${ms(quantile(inside, 0.5))} | ${ms(quantile(inside, 0.95))} | ${ms(quantile(over, 0.5))} | ${ms(quantile(over, 0.95))} | ${ms(quantile(echo, 0.5))} | ${(quantile(inside, 0.5) / quantile(echo, 0.5)).toFixed(1)} |`,
  );
}
await Promise.all([http.close(), stdio.close(), peer.close()]);
server.kill('SIGTERM');
