/**
 * A repository that names programs, remotes and other folders wherever git could be made to take them, through every
 * way in: it runs nothing, reaches nothing and changes nothing.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, describe, expect, it } from 'vitest';
import { type HostileRepository, hostileRepository, remoteKinds } from './testbed/hostile-repository.ts';
import { createPatientClient } from './testbed/patient-client.ts';
import { environmentOf, launcher, sonde } from './testbed/run-sonde.ts';

interface Scene {
  readonly hostile: HostileRepository;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

const question = 'Why is a failed delivery tried again?';
const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});
function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'sonde-six-'));
  made.push(path);
  return path;
}

/** A model that asks for all that git can be asked. */
function curious({ commits }: HostileRepository): string {
  const path = join(folder(), 'script.jsonl');
  const act = (name: string, input: object = {}) => ({ reasoning: 'look', action: { name, ...input } });
  const lines = [
    act('git_log', { path: 'src/delivery.py' }),
    act('git_pickaxe', { text: 'limit' }),
    act('git_pickaxe', { text: 'retry', regex: true }),
    act('git_blame', { file_path: 'src/delivery.py', start_line: 1, end_line: 3 }),
    act('open_span', { file_path: `commit:${commits[0]}`, start_line: 1, end_line: 5 }),
    act('grep', { pattern: 'delivery' }),
  ];
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'));
  return path;
}

async function overMcp({ hostile, home, env }: Scene, args: readonly string[]): Promise<string> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [launcher, 'mcp', ...args],
    env: environmentOf({ home, env }),
    cwd: hostile.root,
    stderr: 'ignore',
  });
  const client = createPatientClient({ name: 'test', version: '1' }, { capabilities: {} });
  await client.connect(transport);
  try {
    const { tools } = await client.listTools();
    const calls: readonly (readonly [string, Record<string, unknown>])[] = [
      ['code_deep_research', { question }],
      ['git_log', { path: 'src/delivery.py' }],
      ['git_pickaxe', { text: 'retry' }],
      ['git_blame', { file_path: 'src/delivery.py', start_line: 1, end_line: 3 }],
      ['hybrid_search', { query: 'delivery' }],
    ];
    const replies: unknown[] = [];
    for (const [name, given] of calls)
      if (tools.some((tool) => tool.name === name))
        replies.push(await client.callTool({ name, arguments: given }));
    return JSON.stringify(replies);
  } finally {
    await client.close();
  }
}

const run = async ({ hostile, home, env }: Scene, ...args: readonly string[]): Promise<string> => {
  const { stdout, stderr } = await sonde(args, { home, env, cwd: hostile.root });
  return stdout + stderr;
};

/** By name: how it is used, and something that shows that it came as far as the repository. */
const waysIn: Readonly<Record<string, readonly [(scene: Scene) => Promise<string>, RegExp]>> = {
  ask: [
    async (scene) =>
      (await run(scene, 'ask', question, '.', '--model', `scripted:${curious(scene.hostile)}`)) +
      (await run(scene, 'ask', question, '.')),
    /delivery\.py/,
  ],
  search: [(scene) => run(scene, 'search', 'failed delivery', '.'), /delivery\.py/],
  index: [(scene) => run(scene, 'index', '.'), /file/],
  investigate: [(scene) => run(scene, 'investigate', question, '.'), /delivery\.py/],
  incident: [
    (scene) => {
      const env = { ...scene.env, SONDE_REPOSITORIES: scene.hostile.root };
      return run({ ...scene, env }, 'incident', '--text', 'deliveries fail since noon', '--json');
    },
    /git/,
  ],
  mcp: [(scene) => overMcp(scene, ['.']), /delivery\.py/],
  'the tools of a workspace': [
    async (scene) => {
      await run(scene, 'world', 'import', folder());
      return overMcp(scene, ['.', '--workspace', 'main', '--allow', 'owner']);
    },
    /Delivery: change 2/,
  ],
  doctor: [(scene) => run(scene, 'doctor', '.'), /git version/],
};

/** All remotes through all ways take minutes: `HOSTILE_REMOTES=all`. */
const kinds = process.env['HOSTILE_REMOTES'] === 'all' ? remoteKinds : remoteKinds.slice(0, 1);

describe.each(kinds)('a partial clone of %s', (kind) => {
  // Over HTTP it reaches a listener of this process, which waits for git.
  it.skipIf(kind === 'http')('can be sprung by git itself', async () => {
    const hostile = await hostileRepository(kind);
    try {
      const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder() };
      const before = hostile.state();
      try {
        execFileSync('git', ['log', '-p', '--ext-diff'], {
          cwd: hostile.root,
          env,
          stdio: 'pipe',
          timeout: 20_000,
        });
        execFileSync('git', ['status'], { cwd: hostile.root, env, stdio: 'pipe', timeout: 20_000 });
      } catch {
        // It fails at one trap or another.
      }
      expect([...hostile.listTriggered(), ...hostile.state()]).not.toEqual(before);
    } finally {
      await hostile.remove();
    }
  });

  it.each(Object.entries(waysIn))('%s', async (_, [use, came]) => {
    const hostile = await hostileRepository(kind);
    try {
      const before = hostile.state();
      const said = await use({ hostile, home: folder(), env: hostile.env });
      expect(said).toMatch(came);
      expect(hostile.listTriggered()).toEqual([]);
      expect(hostile.state()).toEqual(before);
    } finally {
      await hostile.remove();
    }
  });
});
