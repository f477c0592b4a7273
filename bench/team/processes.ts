/** Sonde's commands as processes of a bench. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export const sonde = join(import.meta.dirname, '../../bin/sonde.mjs');

export interface Process {
  readonly child: ChildProcess;
  /** Waits until it says this, and gives the first group. */
  until(pattern: RegExp): Promise<string>;
  readonly ended: Promise<unknown>;
}

type Environment = Readonly<Record<string, string>>;

const environmentOf = (env: Environment): Environment => ({
  PATH: process.env['PATH'] ?? '',
  TMPDIR: tmpdir(),
  ...env,
});

/** `verbose`: shows what it says, too. */
export function begin(args: readonly string[], env: Environment, verbose = false): Process {
  const child = spawn(process.execPath, [sonde, ...args], {
    env: environmentOf(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-20_000);
      if (verbose) process.stderr.write(text);
    });
  return {
    child,
    ended: new Promise((done) => child.on('close', done)),
    async until(pattern) {
      for (let n = 0; n < 2_400; n += 1) {
        const found = pattern.exec(said)?.[1];
        if (found !== undefined) return found;
        if (child.exitCode !== null) break;
        await sleep(50);
      }
      throw new Error(`sonde ${args[0]} did not say ${pattern}: ${said}`);
    },
  };
}

/** Carries a command to its end, and gives what it printed. */
export async function run(args: readonly string[], env: Environment): Promise<string> {
  const child = spawn(process.execPath, [sonde, ...args], {
    env: environmentOf(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const status = await new Promise((done) => child.on('close', done));
  if (status !== 0) throw new Error(`sonde ${args.join(' ')} ended with ${status}: ${err}`);
  return out;
}

/** A process and all that it started, youngest first. */
export function below(pid: number): readonly number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return [...(children === '' ? [] : children.split(' ').map(Number)).flatMap(below), pid];
  } catch {
    return [];
  }
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** Ends them with all that they started. */
export async function killAll(processes: readonly Process[]): Promise<void> {
  for (const { child } of processes) for (const pid of below(child.pid!)) kill(pid);
  await Promise.all(processes.map(({ ended }) => ended));
}
