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

const storage = new AsyncLocalStorage<CurrentProcess>();

export const currentProcess = (): CurrentProcess => storage.getStore() ?? process;

/** Calls `work`; `currentProcess` returns the given process in it. */
export const runInProcess = <T>(process: CurrentProcess, work: () => T): T => storage.run(process, work);
