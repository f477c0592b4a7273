/** Real servers for tests: installed programs, started on loopback, ended with the test. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

/** Where tests of real servers may not skip: there a missing program is a failure. */
const required = process.env['CI'] !== undefined;

/**
 * Whether tests that need these programs have to skip. Says which is missing; under CI a missing one is no
 * reason, so that the test fails where it starts it.
 */
export function missingPrograms(...names: readonly string[]): string | null {
  const missing = names.filter((name) => !hasProgram(name));
  if (missing.length === 0) return null;
  const told = `needs ${missing.join(', ')} from Debian`;
  if (!required) console.warn(`skipped: ${told}`);
  return required ? null : told;
}

function hasProgram(name: string): boolean {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export interface RealServer {
  stop(): Promise<void>;
}

/** Resolves once `ready` says so; what the program printed is in the error where it ends before. */
export async function startServer(
  command: string,
  args: readonly string[],
  ready: () => Promise<boolean>,
  options: { readonly cwd?: string; readonly uid?: number; readonly gid?: number } = {},
): Promise<RealServer> {
  const child = spawn(command, [...args], { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let output = '';
  const keep = (chunk: Buffer) => {
    output = `${output}${chunk}`.slice(-4_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  let failed: Error | null = null;
  child.on('error', (thrown) => {
    failed = thrown;
  });
  const deadline = Date.now() + 25_000;
  while (!(await ready().catch(() => false))) {
    if (failed !== null || child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`${command} did not start: ${(failed as Error | null)?.message ?? output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { stop: () => stopChild(child) };
}

function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), 3_000).unref();
  });
}

/** Asks until the answer is there. */
export async function eventually<Value>(
  ask: () => Promise<Value | null>,
  what: string,
  withinMs = 20_000,
): Promise<Value> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const value = await ask();
    if (value !== null) return value;
    if (Date.now() > deadline) throw new Error(`${what} did not come within ${withinMs} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
