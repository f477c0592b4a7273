import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFileLock } from '../../store/lock.ts';
import { throwIfCancelled } from './pausing.ts';

/** Time between two attempts. */
const retryMs = 20;
/** Time between two heartbeats of the holder. */
const heartbeatMs = 500;
/** After this time without a heartbeat the holder counts as stopped, and nobody waits for it. */
const maxSilenceMs = 3_000;

/** The process that holds the lock. */
export interface Holder {
  readonly pid: number;
  /** ISO 8601, UTC. */
  readonly since: string;
}

export type LockResult<T> = {
  /** Milliseconds spent waiting for another holder. */
  readonly waited: number;
} & (
  | { readonly kind: 'done'; readonly value: T }
  /** The lock was not free in time. */
  | { readonly kind: 'held'; readonly holder: Holder | null }
);

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Maximum milliseconds to wait for a holder with a heartbeat. Default: no limit. */
  readonly wait?: number | undefined;
}

/**
 * Runs `work` while no other process, and no other caller in this process, refreshes the same index. Waits for the
 * holder of the lock unless its heartbeat stopped.
 */
export async function withLock<T>(
  directory: string,
  { signal, wait = Number.POSITIVE_INFINITY }: LockOptions,
  work: () => Promise<T>,
): Promise<LockResult<T>> {
  const lock = openFileLock(join(directory, 'lock.db'));
  const heartbeatFile = join(directory, 'holder.json');
  const started = performance.now();
  try {
    let waited = 0;
    while (!lock.tryTake()) {
      waited = performance.now() - started;
      if (waited >= wait || isHolderStuck(heartbeatFile, waited))
        return { kind: 'held', holder: readHolder(heartbeatFile), waited };
      await sleep(retryMs);
      throwIfCancelled(signal);
      waited = performance.now() - started;
    }
    return { kind: 'done', value: await withHeartbeat(heartbeatFile, work), waited };
  } finally {
    lock.release();
  }
}

/** Writes the holder of the lock to a file, and touches the file while `work` runs. */
async function withHeartbeat<T>(heartbeatFile: string, work: () => Promise<T>): Promise<T> {
  const holder: Holder = { pid: process.pid, since: new Date().toISOString() };
  ignoreErrors(() => writeFileSync(heartbeatFile, JSON.stringify(holder)));
  const timer = setInterval(
    () => ignoreErrors(() => utimesSync(heartbeatFile, new Date(), new Date())),
    heartbeatMs,
  );
  timer.unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
    ignoreErrors(() => rmSync(heartbeatFile, { force: true }));
  }
}

/** A heartbeat only helps waiting processes, so it may fail. */
function ignoreErrors(action: () => void): void {
  try {
    action();
  } catch {
    // A full disk, or an index that is being removed.
  }
}

/** Whether the heartbeat stopped. A new holder may not have written it yet, and clocks may be adjusted. */
function isHolderStuck(heartbeatFile: string, waited: number): boolean {
  const stat = statSync(heartbeatFile, { throwIfNoEntry: false });
  if (stat === undefined) return waited > maxSilenceMs;
  return waited > heartbeatMs && Math.abs(Date.now() - stat.mtimeMs) > maxSilenceMs;
}

function readHolder(heartbeatFile: string): Holder | null {
  try {
    const { pid, since } = JSON.parse(readFileSync(heartbeatFile, 'utf8')) as Holder;
    return Number.isSafeInteger(pid) && typeof since === 'string' ? { pid, since } : null;
  } catch {
    return null;
  }
}

/** For people: says that the result is from an older state, or that there is no index. */
export function lockNote(holder: Holder | null, stateTime: Date | null): string {
  const who = holder === null ? 'another process' : `process ${holder.pid} since ${holder.since}`;
  const from = stateTime === null ? 'there is none yet' : `answered from that of ${stateTime.toISOString()}`;
  return `the index is held by ${who}; ${from}`;
}
