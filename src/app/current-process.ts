/**
 * The process in which a command runs: its streams, environment, signals and exit code. Normally the real one; tests
 * replace it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export type InputStream = NodeJS.ReadableStream & { readonly isTTY?: boolean };
export type OutputStream = NodeJS.WritableStream & { readonly isTTY?: boolean };

export interface CurrentProcess {
  readonly env: Record<string, string | undefined>;
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  exitCode?: number | string | null | undefined;
  exit(status?: number | string | null): never;
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  once(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
}

const current = new AsyncLocalStorage<CurrentProcess>();

export const currentProcess = (): CurrentProcess => current.getStore() ?? process;

/** Runs something as if it were in that process. */
export const runInProcess = <T>(currentProcess: CurrentProcess, run: () => T): T =>
  current.run(currentProcess, run);
