/** Fake `claude` and `codex` for the conformance suite: real executables that a test tells what to do. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the executable does: prints `stdout` and `stderr`, ends with `exit`; `hang` never ends and starts a child. */
export interface AgentBehaviour {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exit?: number;
  readonly hang?: boolean;
}

/** What the executable saw when it was started. */
export interface AgentInvocation {
  readonly args: readonly string[];
  readonly stdin: string;
  readonly cwd: string;
  readonly files: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly child?: number;
  readonly pid: number;
}

export interface FakeAgent {
  readonly command: string;
  behave(act: AgentBehaviour): void;
  /** Whether it was started. */
  wasStarted(): boolean;
  invocation(): AgentInvocation;
  remove(): void;
}

const program = `
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync, renameSync } from 'node:fs';
const home = import.meta.dirname;
let stdin = '';
for await (const part of process.stdin) stdin += part;
const act = JSON.parse(readFileSync(home + '/act.json', 'utf8'));
const child = act.hang ? spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' }).pid : undefined;
const saw = { args: process.argv.slice(2), stdin, cwd: process.cwd(), files: readdirSync('.'), env: process.env, child, pid: process.pid };
const part = home + '/saw.' + process.pid;
writeFileSync(part, JSON.stringify(saw));
renameSync(part, home + '/saw.json');
if (act.hang) { process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); await new Promise(() => {}); }
if (act.stdout) process.stdout.write(act.stdout);
if (act.stderr) process.stderr.write(act.stderr);
process.exitCode = act.exit ?? 0;
`;

export function fakeAgent(): FakeAgent {
  const home = mkdtempSync(join(tmpdir(), 'sonde-agent-'));
  const command = join(home, 'agent.mjs');
  writeFileSync(command, `#!${process.execPath}\n${program}`);
  chmodSync(command, 0o755);
  return {
    command,
    behave: (act) => writeFileSync(join(home, 'act.json'), JSON.stringify(act)),
    wasStarted: () => existsSync(join(home, 'saw.json')),
    invocation: () => JSON.parse(readFileSync(join(home, 'saw.json'), 'utf8')) as AgentInvocation,
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** The answers of claude and codex, as they print them. */
export const agentOutput = {
  claude: (text: string) =>
    JSON.stringify({
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: text,
      total_cost_usd: 0.0123,
      usage: {
        input_tokens: 30,
        cache_creation_input_tokens: 10,
        cache_read_input_tokens: 80,
        output_tokens: 30,
      },
      modelUsage: { 'claude-answering': {} },
    }),
  codex: (text: string) =>
    [
      { type: 'thread.started', thread_id: 't' },
      { type: 'turn.started' },
      { type: 'item.completed', item: { id: 'i0', type: 'reasoning', text: 'thinking' } },
      { type: 'item.completed', item: { id: 'i1', type: 'agent_message', text } },
      { type: 'turn.completed', usage: { input_tokens: 120, cached_input_tokens: 80, output_tokens: 30 } },
    ]
      .map((event) => JSON.stringify(event))
      .join('\n'),
} as const;
