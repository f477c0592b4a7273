/**
 * Secrets that stand in the material are in no prompt, no output, no log, no store and no index, whatever way in was taken:
 * files, what git remembers, pages, memory, alerts, what a person typed, what a model echoed.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ModelServer, modelServer } from './testbed/model-server.ts';
import { createPatientClient } from './testbed/patient-client.ts';
import { environmentOf, launcher, newHome, sonde } from './testbed/run-sonde.ts';
import { createSmallTree } from './testbed/small-tree.ts';
import { createSmallWorld } from './testbed/small-world.ts';

const letters = 'q7Rk2Zp9XvB4mTnW8cLd5sHf3gJy6aKe1uQo0iEwPbNxMzSt';
/** Put together here, so that no scanner of this repository takes them for real ones. */
const planted = {
  aws: `AKIA${'QWERTYUIOPASDFG7'}`,
  github: `ghp_${letters.slice(0, 36)}`,
  openai: `sk-proj-${letters}`,
  address: ['n0tSo', 'Easy!9'].join(''),
  password: ['Sup3r', 'S3cret!42'].join(''),
  block: `MIIE${letters}`,
  committed: `glpat-${letters.slice(4, 24)}`,
  page: ['kq8!Zm', '2@pL0x'].join(''),
  logged: ['hunter', '2hunter3'].join(''),
  typed: `xoxb-${'123456789012'}-${letters.slice(0, 24)}`,
};
/** Of the process itself: the model says it in other forms. */
const own = ['sk-planted', '0123456789', 'abcdefGH'].join('-');
const echoes = [
  own,
  own.slice(0, -1),
  [...own].reverse().join(''),
  Buffer.from(own).toString('base64'),
  Buffer.from(own).toString('base64url'),
  Buffer.from(own).toString('hex'),
  [...Buffer.from(own)].map((byte) => `%${byte.toString(16)}`).join(''),
];
const secrets = [...Object.values(planted), ...echoes];

const home = newHome();
const prompts: string[] = [];
const said: string[] = [];
let server: ModelServer;
let tree: string;
const env = () => ({ OPENAI_BASE_URL: server.address, OPENAI_API_KEY: own });
const model = ['--model', 'openai-compatible:planted'];

async function run(args: readonly string[], input?: string) {
  const ended = await sonde(args, { home, env: env(), ...(input !== undefined && { input }) });
  said.push(ended.stdout, ended.stderr);
  return ended;
}

const configuration = [
  '# Settings of the parcel store',
  `aws_key = "${planted.aws}"`,
  `github = "${planted.github}"`,
  `openai = "${planted.openai}"`,
  `database = "postgres://parcel:${planted.address}@db:5432/parcels"`,
  `password = "${planted.password}"`,
  '-----BEGIN PRIVATE KEY-----',
  planted.block,
  '-----END PRIVATE KEY-----',
  '',
].join('\n');

function plantedTree(): string {
  const root = createSmallTree();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write('settings.ini', configuration);
  for (const name of ['.npmrc', '.env~', 'id_rsa.bak', 'infra/terraform.tfstate', '.bash_history'])
    write(name, configuration);
  write('filler.md', 'Nothing of this bears on anything that is asked here.\n'.repeat(1200));
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      stdio: 'ignore',
    });
  git('init', '-q');
  git('add', '-A', '-f');
  git('commit', '-qm', `settings of the parcel store\n\nthe token is ${planted.committed}`);
  return root;
}

const act = (action: object): string => JSON.stringify({ reasoning: `as ${echoes.join(' ')}`, action });

/** Looks by every action that shows text, then says all it knows. */
function research(prompt: string): string {
  const steps: readonly object[] = [
    { name: 'hybrid_search', query: 'settings of the parcel store password', k: 5 },
    { name: 'open_span', file_path: 'settings.ini', start_line: 1, end_line: 9 },
    { name: 'grep', pattern: 'password|MIIE|AKIA' },
    { name: 'git_blame', file_path: 'settings.ini', start_line: 1, end_line: 9 },
    { name: 'git_log', message: 'settings' },
  ];
  const ids = (prompt.match(/\bev-[0-9a-f]{10}\b/g) ?? []).filter(
    (one) => !['ev-0123456789', 'ev-abcdef0123'].includes(one),
  );
  const [, settings = ids[0]] = /source="(ev-[0-9a-f]{10}) settings\.ini:/.exec(prompt) ?? [];
  const step = steps[taken++ % (steps.length + 1)];
  return act(
    step ?? { name: 'finalize', answer: `It is ${echoes.join(' or ')} [${settings}].`, confidence: 0.9 },
  );
}
let taken = 0;

const cell = [
  '```python',
  'import base64',
  'p = kb_read("settings.ini")',
  'print("\\n".join(line for n, line in p.lines))',
  'print(kb_search("parcel store password"))',
  `FINAL("It is " + "${echoes.slice(0, 4).join(' ')} " + cite("settings.ini", 2) + str(p.lines))`,
  '```',
].join('\n');

const decision = (text: string, ...calls: { name: string; args: object }[]): string =>
  JSON.stringify({ text, calls: calls.map(({ name, args }) => ({ name, args: JSON.stringify(args) })) });

function talk(prompt: string): string {
  const since = prompt.split('## The person\n').at(-1)!;
  const done = (tool: string): boolean => since.includes(`${tool} (`);
  if (!done('search_pages'))
    return decision('', { name: 'search_pages', args: { query: 'harbour password' } });
  if (!done('read_page')) return decision('', { name: 'read_page', args: { page: 'Harbour' } });
  const shown = /The code is password = "\[secret:[^"]*"/.exec(since)?.[0];
  if (!done('update_page'))
    return decision('', {
      name: 'update_page',
      args: { page: 'Harbour', text: `${shown}\n\nNo boats wait.\n` },
    });
  return decision(`You said ${since.slice(0, 200)} and I know ${echoes.join(' ')}`);
}

function reply(prompt: string): string {
  prompts.push(prompt);
  if (prompt.includes('kb_search')) return cell;
  if (prompt.includes('## The person')) return talk(prompt);
  return research(prompt);
}

beforeAll(async () => {
  server = await modelServer(reply);
  tree = plantedTree();
  await createSmallWorld(home, { Harbour: `The code is password = "${planted.page}"\n\nBoats wait.\n` });
});
afterAll(async () => {
  await server.close();
});

function filesBelow(folder: string): readonly (readonly [path: string, bytes: Buffer])[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile())
    .map((path) => [path, readFileSync(path)] as const);
}

/** Which secrets stand in texts, by what they are. */
const leaked = (texts: readonly (string | Buffer)[], of: readonly string[] = secrets): readonly string[] =>
  of.filter((secret) => texts.some((text) => text.includes(secret)));

describe('secrets planted in the material', () => {
  it('research reads them hidden', async () => {
    const { status, stderr } = await run([
      'ask',
      'Where is the password of the parcel store set?',
      tree,
      ...model,
      '--json',
    ]);
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    const [first] = JSON.parse((await run(['runs', '--json'])).stdout) as [{ id: string; run_id?: string }];
    const id = first.run_id ?? first.id;
    for (const flag of ['--trace', '--evidence', '--report', '--json']) await run(['show', id, flag]);
    // The material was read, and what was hidden is shown by marks.
    expect(prompts.join('\n')).toContain('Settings of the parcel store');
    expect(prompts.join('\n')).toMatch(/password = \\*"\[secret:password:[0-9a-f]{6}\]/);
    expect(prompts.join('\n')).toMatch(/\[secret:private_key:[0-9a-f]{6}\]/);
  });

  it('answers without a model quote them hidden, and verified', async () => {
    const { stdout } = await run([
      'ask',
      'password of the parcel store settings',
      tree,
      '--model',
      'extractive',
      '--json',
    ]);
    expect(JSON.parse(stdout).citations.every(({ status }: { status: string }) => status === 'valid')).toBe(
      true,
    );
    expect(stdout + said.join('')).toContain('[secret:');
    await run(['search', 'parcel store password', tree, '--json']);
    await run(['search', 'parcel store password', tree]);
  });

  it('an investigation reads them hidden', async () => {
    const { status } = await run([
      'investigate',
      'Where is the password of the parcel store?',
      tree,
      ...model,
      '--json',
    ]);
    // 3: nobody read its claims.
    expect([0, 1, 3]).toContain(status);
    expect(prompts.some((prompt) => prompt.includes('kb_search'))).toBe(true);
  });

  it('a conversation reads pages hidden, and its edit keeps what was hidden', async () => {
    await run(
      ['chat', '--thread', 'one', ...model],
      `look at the harbour, my token is ${planted.typed}\nand again\n`,
    );
    expect(prompts.some((prompt) => prompt.includes('The code is'))).toBe(true);
    // To its author a page is as it was written.
    const { stdout } = await sonde(['world', 'read', 'Harbour'], { home });
    expect(stdout).toContain(planted.page);
    const { stdout: inbox } = await sonde(['world', 'inbox', '--json'], { home });
    expect(inbox).toContain('No boats wait');
    expect(inbox).not.toContain('[secret:');
    expect(inbox).toContain(planted.page);
    await run(['investigate', 'What is the code of the harbour?', '--workspace', 'main', ...model]);
  });

  it('an incident is investigated with its alert and its logs hidden', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sonde-planted-'));
    mkdirSync(join(folder, 'data', 'context'), { recursive: true });
    const at = (minute: number) => `2026-03-05T10:${String(minute).padStart(2, '0')}:00Z`;
    writeFileSync(
      join(folder, 'data', 'alert.json'),
      JSON.stringify({
        service: 'orders',
        metric: 'p99',
        severity: 'critical',
        fired_at: at(40),
        summary: `orders slow password=${planted.logged} ${planted.github}`,
      }),
    );
    writeFileSync(
      join(folder, 'data', 'logs.ndjson'),
      Array.from({ length: 40 }, (_, n) =>
        JSON.stringify({
          timestamp: at(n),
          service: 'orders',
          severity_text: 'ERROR',
          msg: `login failed password=${planted.logged} with ${planted.aws}`,
        }),
      ).join('\n'),
    );
    writeFileSync(
      join(folder, 'data', 'context', 'commits.json'),
      JSON.stringify([
        {
          sha: 'a1b2c3d4e5f60718293a4b5c6d7e8f9001122334',
          author: 'a',
          timestamp: at(25),
          message: `use ${planted.committed}`,
          files_changed: ['a.ini'],
          diff: `@@\n-x\n+${configuration.split('\n').join('\n+')}`,
        },
      ]),
    );
    const { status } = await run(['incident', '--replay', folder, ...model]);
    expect(status).toBeLessThanOrEqual(4);
    expect(prompts.some((prompt) => prompt.includes('login failed') || prompt.includes('orders'))).toBe(true);
  });

  it('an MCP client is told them hidden, by research and by tools', async () => {
    for (const args of [
      ['mcp', tree, ...model],
      ['mcp', '--workspace', 'main', tree],
    ]) {
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [launcher, ...args],
        env: environmentOf({ home, env: env() }),
        stderr: 'pipe',
      });
      transport.stderr?.on('data', (data) => said.push(String(data)));
      const client = createPatientClient({ name: 'test', version: '1' }, { capabilities: {} });
      await client.connect(transport);
      const { tools } = await client.listTools();
      for (const [name, given] of [
        ['code_deep_research', { question: 'Where is the password of the parcel store set?' }],
        ['read_page', { page: 'Harbour' }],
        ['search_pages', { query: 'harbour' }],
        ['grep', { pattern: 'password' }],
        ['open_span', { file_path: 'settings.ini', path: 'settings.ini', start: 1, end: 9 }],
        ['blame', { path: 'settings.ini', start: 1, end: 9 }],
      ] as const)
        if (tools.some((tool) => tool.name === name))
          said.push(JSON.stringify(await client.callTool({ name, arguments: given }).catch(String)));
      await client.close();
    }
    expect(said.join('\n')).toMatch(/The code is password = \\*"\[secret:password:[0-9a-f]{6}\]/);
  });

  it('none of them is anywhere', () => {
    expect(leaked(prompts)).toEqual([]);
    expect(leaked(said)).toEqual([]);
    // The page is its author's, in the workspace; everything else is Sonde's own.
    const kept = filesBelow(home);
    const workspace = (path: string): boolean => path.includes('/workspaces/');
    expect(kept.some(([path]) => path.endsWith('.seg'))).toBe(true);
    expect(leaked(kept.filter(([path]) => !workspace(path)).map(([, bytes]) => bytes))).toEqual([]);
    const others = secrets.filter((secret) => secret !== planted.page);
    expect(
      leaked(
        kept.filter(([path]) => workspace(path)).map(([, bytes]) => bytes),
        others,
      ),
    ).toEqual([]);
    // Words of the index are in lower case.
    const words = kept
      .filter(([path]) => path.endsWith('.seg'))
      .map(([, bytes]) => bytes.toString('latin1').toLowerCase());
    expect(
      leaked(
        words,
        secrets.map((secret) => secret.toLowerCase()),
      ),
    ).toEqual([]);
    const key = kept.find(([path]) => path.endsWith('mask.key'))!;
    expect(statSync(key[0]).mode & 0o777).toBe(0o600);
  });
});
