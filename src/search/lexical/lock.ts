import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFileLock } from '../../store/lock.ts';
import { throwIfCancelled } from './pausing.ts';

/** Between two attempts, in milliseconds. */
const retryMs = 20;
/** Between two signs of life of whoever holds the lock. */
const heartbeatMs = 500;
/** Without a sign of life for so long the holder is stopped or hangs: nobody waits for it. Milliseconds. */
const maxSilenceMs = 3_000;

/** The holder of the lock, as far as it says who it is. */
export interface Holder {
  readonly pid: number;
  /** ISO 8601, UTC. */
  readonly since: string;
}

export type LockResult<T> = {
  /** Milliseconds for which another one had it. */
  readonly waited: number;
} & (
  | { readonly kind: 'done'; readonly value: T }
  /** The lock was not free in time. */
  | { readonly kind: 'held'; readonly holder: Holder | null }
);

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that a holder which shows signs of life is waited for at most; without end where absent. */
  readonly wait?: number | undefined;
}

/**
 * Runs `work` while no other process, and no other caller in this one, refreshes the same index. A holder that works is
 * waited for; one that is stopped is not.
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

/** Writes down the holder of the lock, and renews its sign of life while `work` runs. */
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

/** Signs only help those who wait. */
function ignoreErrors(action: () => void): void {
  try {
    action();
  } catch {
    // A full disk, or an index that is being removed.
  }
}

/** A process that has just taken the lock may have written no sign of life yet, and a clock may have been set. */
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

/** For people: why the result is of an older state, or of none. */
export function lockNote(holder: Holder | null, stateTime: Date | null): string {
  const who = holder === null ? 'another process' : `process ${holder.pid} since ${holder.since}`;
  const from = stateTime === null ? 'there is none yet' : `answered from that of ${stateTime.toISOString()}`;
  return `the index is held by ${who}; ${from}`;
}
