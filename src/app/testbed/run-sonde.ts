/** The real command line as a real process, with an environment of its own: no key, no network, no settings. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const launcher = fileURLToPath(new URL('../../../bin/sonde.mjs', import.meta.url));

export interface ProcessEnd {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Maybe<Value> = Value | null | undefined | false;

export interface StartedProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<ProcessEnd>;
  /**
   * Waits until `look` finds something in what both streams have said so far, and gives it. Throws, with all
   * that was said, where the process ends before.
   */
  waitFor<Value>(find: (output: string) => Maybe<Value> | Promise<Maybe<Value>>): Promise<Value>;
}

export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Where runs, indexes and settings are; a new folder where it is absent. */
  readonly home?: string;
  /** What is written to its standard input; nothing where it is absent. */
  readonly input?: string;
}

/** A new folder for runs, indexes and settings. */
export function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'sonde-home-'));
  shareSandbox(home);
  return home;
}

/** The sandbox's snapshot takes two seconds to make, and is the same in each home: all of a run of the tests have one. */
export function shareSandbox(home: string): void {
  const shared = join(tmpdir(), 'sonde-test-sandbox');
  mkdirSync(shared, { recursive: true });
  mkdirSync(join(home, 'cache'), { recursive: true });
  symlinkSync(shared, join(home, 'cache', 'sandbox'));
}

/** What a child process sees: enough to find git and a temporary folder, and nothing of the developer's own. */
export function environmentOf({ env = {}, home = newHome() }: Surroundings): Record<string, string> {
  return { PATH: '/usr/local/bin:/usr/bin:/bin', TMPDIR: tmpdir(), HOME: home, SONDE_HOME: home, ...env };
}

/**
 * An environment in which the clocks of a process, and of those that it starts, are ahead by so many
 * milliseconds.
 */
export const clockAhead = (ms: number): Record<string, string> => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    `const Real = Date;
     globalThis.Date = class extends Real {
       constructor(...given) { given.length > 0 ? super(...given) : super(Real.now() + ${ms}); }
       static now() { return Real.now() + ${ms}; }
     };`,
  )}`,
});

export function startSonde(args: readonly string[], surroundings: Surroundings = {}): StartedProcess {
  const child = spawn(process.execPath, [launcher, ...args], {
    env: environmentOf(surroundings),
    ...(surroundings.cwd !== undefined && { cwd: surroundings.cwd }),
  });
  child.stdin.end(surroundings.input);
  let [stdout, stderr] = ['', ''];
  let hasEnded = false;
  const ended = new Promise<ProcessEnd>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (status, signal) => {
      hasEnded = true;
      resolve({ status, signal, stdout, stderr });
    });
  });
  return {
    child,
    ended,
    async waitFor(find) {
      for (;;) {
        // Asked before it is looked: the last words count.
        const hadEnded = hasEnded;
        const found = await find(`${stdout}${stderr}`);
        if (found !== null && found !== undefined && found !== false) return found;
        if (hadEnded)
          throw new Error(`sonde ${args[0]} ended before what was waited for:\n${stdout}${stderr}`);
        await sleep(10);
      }
    },
  };
}

export const sonde = (args: readonly string[], surroundings: Surroundings = {}): Promise<ProcessEnd> =>
  startSonde(args, surroundings).ended;
