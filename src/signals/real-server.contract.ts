/** Real servers for tests: installed programs, started on loopback, ended with the test. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:net';

/** Where tests of real servers may not skip: there a missing program is a failure. */
const required = process.env['CI'] !== undefined;
/** How long is waited for what has to come, on a machine that may be busy. Milliseconds. */
const patience = 120_000;

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

/**
 * A port at which nobody listens. It is below those that the system lends to outgoing connections: one of these could
 * be lent again before the server that is to have it listens.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!free) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
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
  const deadline = Date.now() + patience;
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
  withinMs = patience,
): Promise<Value> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const value = await ask();
    if (value !== null) return value;
    if (Date.now() > deadline) throw new Error(`${what} did not come within ${withinMs} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
