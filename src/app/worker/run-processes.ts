/**
 * The processes in which a worker performs runs, so that a crash does not kill the worker. A process is used for several
 * runs of the same team, since loading the code takes several times as long as a short run.
 */
import { type ErrorCode, errorCodes, SondeError } from '../../core/index.ts';
import { type Child, startChild } from '../agent/channel/child-wire.ts';
import { processEnvironment } from '../config/index.ts';
import type { RunFailure, RunnerSetting } from '../runs/perform-run.ts';
import type { RunProcessReport, RunProcessRequest } from './run-process.ts';

export interface RunPlacement {
  readonly team: string;
  /** True: use a new process, so that only this run can be the cause if the process dies. */
  readonly alone: boolean;
  readonly signal: AbortSignal;
}

export interface RunProcesses {
  /** Resolves to null when the run has ended, or to the exit code or signal if the process died. Throws the run's error. */
  perform(setting: RunnerSetting, placing: RunPlacement): Promise<string | null>;
  /** Ends idle processes. Call it after all runs have ended. */
  close(): Promise<void>;
}

type RunProcess = Pick<Child, 'wire' | 'gone' | 'kill'>;

export interface RunProcessesOptions {
  /** Maximum number of processes, with and without a run. */
  readonly max: number;
  readonly start?: () => RunProcess;
  /** After this many runs a process is replaced by a new one. */
  readonly maxRuns?: number;
}

interface PooledProcess {
  readonly process: RunProcess;
  readonly team: string;
  runs: number;
  /** Of the current run. */
  onReport: (report: RunProcessReport) => void;
}

interface PerformedRun {
  /** The last report about the run; null: there was none. */
  readonly report: RunProcessReport | null;
  /** How the process ended; null: it lives. */
  readonly gone: string | null;
}

/** How long a process may take to end its run, or itself, after it was told to. Milliseconds. */
const endTimeoutMs = 10_000;
/** A process that uses more memory than this after a run is replaced by a new one. Bytes. */
const maxMemory = 768 * 1024 ** 2;
/** How long a process is kept that has nothing to do. Milliseconds. */
const maxIdleMs = 5 * 60_000;

export function openRunProcesses({
  max,
  start = () => startChild({}, processEnvironment(), 'runs'),
  maxRuns = 200,
}: RunProcessesOptions): RunProcesses {
  /** Idle processes; the most recently used one is last. */
  const idle: PooledProcess[] = [];
  const ending = new Set<Promise<unknown>>();
  /** All processes except those that are ending. */
  const active = new Set<PooledProcess>();
  let closed = false;

  function startProcess(team: string): PooledProcess {
    while (active.size >= max && idle.length > 0) end(idle.shift()!);
    const pooled: PooledProcess = { process: start(), team, runs: 0, onReport() {} };
    active.add(pooled);
    pooled.process.wire.onMessage((value) => pooled.onReport(value as RunProcessReport));
    void pooled.process.gone.then(() => remove(pooled));
    return pooled;
  }

  function remove(pooled: PooledProcess): void {
    active.delete(pooled);
    const index = idle.indexOf(pooled);
    if (index !== -1) idle.splice(index, 1);
  }

  function end(pooled: PooledProcess): void {
    remove(pooled);
    const { process } = pooled;
    process.wire.send({ kind: 'end' } satisfies RunProcessRequest);
    const killTimer = setTimeout(() => process.kill('SIGKILL'), endTimeoutMs);
    const ended = process.gone.finally(() => {
      clearTimeout(killTimer);
      ending.delete(ended);
    });
    ending.add(ended);
  }

  function keepIdle(pooled: PooledProcess): void {
    idle.push(pooled);
    const { runs } = pooled;
    const idleTimer = setTimeout(() => {
      if (idle.includes(pooled) && pooled.runs === runs) end(pooled);
    }, maxIdleMs);
    idleTimer.unref();
  }

  async function performIn(
    pooled: PooledProcess,
    setting: RunnerSetting,
    signal: AbortSignal,
  ): Promise<PerformedRun> {
    const { wire, gone, kill } = pooled.process;
    let last = null as RunProcessReport | null;
    const reportReceived = new Promise<null>((done) => {
      pooled.onReport = (report) => {
        last = report;
        if (report.kind !== 'taken') done(null);
      };
    });
    let killTimer: NodeJS.Timeout | undefined;
    const stop = (): void => {
      wire.send({ kind: 'cancel' } satisfies RunProcessRequest);
      killTimer = setTimeout(() => kill('SIGKILL'), endTimeoutMs);
    };
    signal.addEventListener('abort', stop, { once: true });
    pooled.runs += 1;
    wire.send({ kind: 'run', setting } satisfies RunProcessRequest);
    const endReason = await Promise.race([reportReceived, gone]);
    signal.removeEventListener('abort', stop);
    clearTimeout(killTimer);
    return { report: last, gone: endReason };
  }

  return {
    async perform(setting, { team, alone, signal }) {
      for (;;) {
        signal.throwIfAborted();
        const index = alone ? -1 : idle.findLastIndex((each) => each.team === team);
        const pooled = index === -1 ? startProcess(team) : idle.splice(index, 1)[0]!;
        const isUsed = pooled.runs > 0;
        const { report, gone } = await performIn(pooled, setting, signal);
        // The process died between two runs: this run has not started.
        if (report === null && isUsed) continue;
        const isClean = report?.kind === 'ended' && report.memory < maxMemory && pooled.runs < maxRuns;
        if (gone === null)
          if (isClean && !signal.aborted && !closed) keepIdle(pooled);
          // Leftovers of a run that did not end cleanly may harm the next run.
          else end(pooled);
        if (report?.kind === 'failed') throw toSondeError(report);
        return report?.kind === 'ended' ? null : (gone ?? 'no report');
      }
    },
    async close() {
      closed = true;
      for (const pooled of [...idle]) end(pooled);
      while (ending.size > 0) await Promise.all(ending);
    },
  };
}

function toSondeError({ code, message, remedy }: RunFailure): SondeError {
  const knownCode = (Object.hasOwn(errorCodes, code) ? code : 'internal') as ErrorCode;
  return new SondeError(knownCode, { message, remedy });
}
