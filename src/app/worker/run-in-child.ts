/** Works on a run in a process of its own, so that what kills that process does not kill the worker. */
import { type ErrorCode, errorCodes, SondeError } from '../../core/index.ts';
import { type Child, startChild } from '../agent/child-wire.ts';
import { processEnvironment } from '../config/index.ts';
import type { RunnerRequest, RunnerSays, RunnerSetting } from '../runs/runner.ts';

/** How long the process may take to stop after it was told to. Milliseconds. */
const patienceMs = 10_000;

export type SpawnRun = (setting: RunnerSetting) => Pick<Child, 'wire' | 'gone' | 'kill'>;

const spawnRun: SpawnRun = (setting) => startChild(setting, processEnvironment(), 'runner');

/** Gives how the process ended if the run had not ended before; otherwise null. Throws what the run threw. */
export async function runInChild(
  setting: RunnerSetting,
  signal: AbortSignal,
  spawn: SpawnRun = spawnRun,
): Promise<string | null> {
  signal.throwIfAborted();
  const child = spawn(setting);
  let runnerSays: RunnerSays | null = null;
  child.wire.onMessage((value) => {
    const says = value as RunnerSays;
    if (says.kind !== 'begun') runnerSays = says;
  });
  let late: NodeJS.Timeout | undefined;
  const stop = (): void => {
    child.wire.send({ kind: 'cancel' } satisfies RunnerRequest);
    late = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  };
  signal.addEventListener('abort', stop, { once: true });
  const how = await child.gone;
  signal.removeEventListener('abort', stop);
  clearTimeout(late);
  return endOf(runnerSays, how);
}

function endOf(runnerSays: RunnerSays | null, how: string): string | null {
  if (runnerSays === null) return how;
  if (runnerSays.kind !== 'failed') return null;
  const { code, message, remedy } = runnerSays;
  const known = (Object.hasOwn(errorCodes, code) ? code : 'internal') as ErrorCode;
  throw new SondeError(known, { message, remedy });
}
