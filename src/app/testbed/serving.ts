/** `sonde serve` as a real process, with its agent as another: talked with over HTTP, and killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelServer } from './model-server.ts';
import { environmentOf, launcher } from './run-sonde.ts';

export interface ReplyBody {
  readonly error_code: string | null;
  readonly message: string;
  readonly details: { readonly questions?: unknown };
  readonly state: string;
  readonly questions: { readonly id: string; readonly value: { readonly question: string } }[];
  readonly last: { readonly by: string; readonly text: string } | null;
}

/** Null: nobody is there to answer at the moment. */
type Call = (
  route: string,
  body?: object,
) => Promise<{ readonly status: number; readonly body: ReplyBody } | null>;

export interface Serving {
  readonly host: ChildProcess;
  readonly address: string;
  /** Lines of standard error. */
  readonly stderrLines: readonly string[];
  /** The pid of the agent that came up last; 0 while there is none. */
  agent(): number;
  /** With SIGKILL. Between two agents there is none to kill. */
  killAgent(): void;
  readonly call: Call;
  waitUntil(thread: string, isWanted: (answer: ReplyBody) => boolean): Promise<ReplyBody>;
  end(): Promise<void>;
}

export interface ServingRequest {
  readonly home: string;
  readonly model: ModelServer;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export const key = 'sk-planted-0123456789';

export async function waitForExit(host: ChildProcess): Promise<void> {
  while (host.exitCode === null && host.signalCode === null) await sleep(5);
}

/** Asks again and again; of whom is up to `call`, since a host may be followed by another. */
export async function waitUntil(
  call: Call,
  thread: string,
  isWanted: (answer: ReplyBody) => boolean,
): Promise<ReplyBody> {
  for (;;) {
    const answer = await call(thread);
    if (answer?.status === 200 && isWanted(answer.body)) return answer.body;
    await sleep(15);
  }
}

export async function startServing({ home, model, args = [], env = {} }: ServingRequest): Promise<Serving> {
  const surroundings = environmentOf({
    home,
    env: { OPENAI_BASE_URL: model.address, OPENAI_API_KEY: key, ...env },
  });
  const flags = ['--port', '0', '--model', 'openai-compatible:planned', '--max-tokens', '100000000', ...args];
  const host = spawn(process.execPath, [launcher, 'serve', ...flags], {
    env: surroundings,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stderrLines: string[] = [];
  createInterface({ input: host.stderr }).on('line', (line) => stderrLines.push(line));
  const address = await new Promise<string>((resolve, fail) => {
    createInterface({ input: host.stdout }).on('line', (line) => {
      if (line.startsWith('workspace at ')) resolve(line.slice('workspace at '.length));
    });
    host.once('exit', () => fail(new Error(stderrLines.join('\n'))));
  });
  const agent = () =>
    Number(
      stderrLines.findLast((line) => line.startsWith('agent '))?.match(/^agent (\d+) is ready/)?.[1] ?? 0,
    );

  const findTokenPath = () =>
    stderrLines.map((line) => /^The token is in (.+)\.$/.exec(line)?.[1]).find((path) => path);
  while (findTokenPath() === undefined) {
    if (host.exitCode !== null) throw new Error(stderrLines.join('\n'));
    await sleep(5);
  }
  const token = readFileSync(findTokenPath()!, 'utf8').trim();

  async function call(route: string, body?: object) {
    try {
      const response = await fetch(`${address}/threads/${route}`, {
        headers: { authorization: `Bearer ${token}` },
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as ReplyBody };
    } catch {
      return null;
    }
  }

  return {
    host,
    address,
    stderrLines,
    agent,
    killAgent() {
      const pid = agent();
      if (pid === 0) return;
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It was gone already.
      }
    },
    call,
    waitUntil: (thread, isWanted) => waitUntil(call, thread, isWanted),
    async end() {
      host.kill('SIGTERM');
      await waitForExit(host);
    },
  };
}
