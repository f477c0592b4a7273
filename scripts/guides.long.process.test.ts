/**
 * Each guide of docs/guides followed to its end: every block of commands is run, in order, in one shell and one home,
 * with no key. A block marked `terminal=2` goes on beside the others, as in a second terminal. A program that is not ours
 * to have here (`claude`) is stood in for by one that keeps its arguments; what they start is then started.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { createPatientClient } from '../src/app/testbed/patient-client.ts';
import { startWatchedService, type WatchedService } from '../src/signals/prometheus/servers.contract.ts';
import { freePort } from '../src/signals/real-server.contract.ts';
import {
  noPostgres,
  type TestPostgres,
  testPostgres,
} from '../src/store/postgres/postgres-server.contract.ts';

const root = join(import.meta.dirname, '..');
const guides = join(root, 'docs', 'guides');

interface Block {
  readonly language: string;
  readonly beside: boolean;
  readonly text: string;
}

const blocksOf = (markdown: string): Block[] =>
  [...markdown.matchAll(/^```(\w+)([^\n]*)\n(.*?)^```$/gms)].map(
    ([, language = '', rest = '', text = '']) => ({
      language,
      beside: rest.includes('terminal=2'),
      text,
    }),
  );

const namesOf = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .sort();

/** A home as a reader of the guides has it: the clone, a project in git, notes, and `sonde` on the path. */
function newReader(): { home: string; env: Record<string, string> } {
  const home = mkdtempSync(join(tmpdir(), 'sonde-guide-'));
  const bin = join(home, '.local', 'bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(join(root, 'bin', 'sonde.mjs'), join(bin, 'sonde'));
  // Keeps what it was told, a line each.
  writeFileSync(join(bin, 'claude'), '#!/bin/sh\nprintf "%s\\n" "$@" > "$HOME/claude.arguments"\n');
  chmodSync(join(bin, 'claude'), 0o755);
  symlinkSync(root, join(home, 'sonde'));
  cpSync(join(root, 'src', 'core'), join(home, 'src', 'project'), { recursive: true });
  mkdirSync(join(home, '.keys'));
  writeFileSync(join(home, '.keys', 'anthropic'), 'not-a-key-of-anybody\n');
  mkdirSync(join(home, 'logs'));
  writeFileSync(join(home, 'logs', 'checkout.log'), '2026-05-12T07:43:00Z ERROR checkout: timed out\n');
  mkdirSync(join(home, 'vault'));
  writeFileSync(join(home, 'vault', 'Bread.md'), '# Bread\n\nBake at 230 °C for 40 minutes. See [[Oven]].\n');
  writeFileSync(join(home, 'vault', 'Oven.md'), '# Oven\n\nHeats to 250 °C in 20 minutes.\n');
  const env = { PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`, HOME: home, TMPDIR: tmpdir(), NO_COLOR: '1' };
  return { home, env };
}

const beside: ChildProcess[] = [];
const watched: WatchedService[] = [];
const stores: TestPostgres[] = [];
afterEach(async () => {
  for (const one of watched.splice(0)) await one.close();
  for (const child of beside.splice(0)) {
    const ended = new Promise((resolve) => child.once('close', resolve));
    // The whole group: a shell that is told to end leaves its command running.
    process.kill(-child.pid!, 'SIGTERM');
    await ended;
  }
  for (const store of stores.splice(0)) await store.close();
});

interface Said {
  readonly status: number | null;
  readonly said: string;
}

function runShell(script: string, env: Record<string, string>, cwd: string): Promise<Said> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    env,
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (said += part));
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, said })));
}

/** Starts it and waits until it says where it listens. */
function startBeside(script: string, env: Record<string, string>, cwd: string): Promise<string> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], { env, cwd, detached: true });
  beside.push(child);
  let said = '';
  return new Promise((resolve, reject) => {
    const hear = (part: Buffer) => {
      said += part;
      if (/http:\/\/127\.0\.0\.1:\d+/.test(said)) resolve(said);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('close', (status) => reject(new Error(`ended with ${status}: ${said}`)));
  });
}

/** What the editor would start: it has to answer with its tools. */
async function toolsOf(
  command: string,
  args: readonly string[],
  env: Record<string, string>,
  cwd: string,
): Promise<string[]> {
  const client = createPatientClient({ name: 'editor', version: '1' });
  await client.connect(new StdioClientTransport({ command, args: [...args], env, cwd }));
  try {
    return (await client.listTools()).tools.map(({ name }) => name);
  } finally {
    await client.close();
  }
}

interface EditorServers {
  readonly mcpServers?: Record<string, { command: string; args: string[] }>;
  readonly servers?: Record<string, { command: string; args: string[] }>;
}

describe('guides', () => {
  it('are all listed by their index, which lists no other', () => {
    const listed = [...readFileSync(join(guides, 'README.md'), 'utf8').matchAll(/^- \[.*?\]\((.*?)\)/gm)].map(
      ([, name]) => name,
    );
    expect(listed.sort()).toEqual(namesOf(guides).filter((name) => name !== 'README.md'));
  });

  it('link to what exists', () => {
    for (const name of namesOf(guides))
      for (const [, link = ''] of readFileSync(join(guides, name), 'utf8').matchAll(/\]\(([^)#]+)/g))
        if (!link.startsWith('http')) expect(existsSync(join(guides, link)), `${name}: ${link}`).toBe(true);
  });

  // The commands of the index are those of README.md, which the check of the README runs in a fresh clone.
  for (const name of namesOf(guides).filter((each) => each !== 'README.md'))
    it.skipIf(name === 'team.md' && noPostgres() !== null)(
      `${name}: every command does what it should`,
      async () => {
        const { home, env } = newReader();
        const port = await freePort();
        let text = readFileSync(join(guides, name), 'utf8')
          .replaceAll('7077', String(port))
          .replaceAll('7078', String(await freePort()));
        const usualStore = /postgres:\/\/sonde:secret@[^"]*/;
        if (usualStore.test(text)) {
          stores.push(await testPostgres());
          text = text.replace(usualStore, await stores[0]!.freshDatabase());
        }
        // `sonde doctor` asks it whether it is well: who follows the guide has one.
        const usualPrometheus = 'http://127.0.0.1:9090';
        if (text.includes(usualPrometheus)) {
          watched.push(await startWatchedService());
          text = text.replaceAll(usualPrometheus, watched[0]!.prometheus);
        }
        const git =
          'cd ~/src/project && git init -q && git add -A && git -c user.name=a -c user.email=a@localhost commit -qm begin';
        expect(await runShell(git, env, home)).toMatchObject({ status: 0 });
        const before: string[] = [];
        for (const { language, beside: goesOn, text: block } of blocksOf(text)) {
          if (language === 'json') {
            const { mcpServers, servers } = JSON.parse(block) as EditorServers;
            for (const { command, args } of Object.values(mcpServers ?? servers ?? {})) {
              const project = join(home, 'src', 'project');
              const told = args.map((arg) => arg.replace(/\$\{workspaceFolder\}/, project));
              expect(await toolsOf(join(home, '.local', 'bin', command), told, env, project)).toContain(
                'code_deep_research',
              );
            }
          }
          if (language !== 'sh') continue;
          if (goesOn) {
            await startBeside(block, env, home);
            continue;
          }
          // One shell for all blocks: what an earlier one set and where it went counts for a later one.
          const state = join(home, '.shell-state');
          const script = `test ! -e ${state} || . ${state}\n${block}\n{ declare -p run 2>/dev/null || true; printf 'cd %q\\n' "$PWD"; } > ${state}\n`;
          const { status, said } = await runShell(script, env, home);
          before.push(said);
          expect(status, `${block}\n${said}`).toBe(0);
        }
        const told = join(home, 'claude.arguments');
        if (existsSync(told)) {
          const [, , , , command = '', ...args] = readFileSync(told, 'utf8').trimEnd().split('\n');
          expect(await toolsOf(join(home, '.local', 'bin', command), args, env, home)).toContain(
            'code_deep_research',
          );
        }
        const all = before.join('\n');
        expect(all).not.toContain('This is a bug');
        if (name === 'open-a-run.md') expect(all).toContain('the same answer');
        if (name === 'first-incident.md') expect(all).toMatch(/"taken":\[\{.*"refused":\[\]/);
      },
    );
});
