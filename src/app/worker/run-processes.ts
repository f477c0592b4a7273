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
  /** Performs a run. Resolves to null, or to the exit code or signal if the process died. Throws the run's error. */
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
  /** Called with each report about the current run. */
  onReport: (report: RunProcessReport) => void;
}

interface PerformedRun {
  /** The last report about the run; null: there was none. */
  readonly report: RunProcessReport | null;
  /** The exit code or signal of the process; null: it has not ended. */
  readonly gone: string | null;
}

/** How long a process may take to end its run or to exit after it was told to; then it is killed. Milliseconds. */
const endTimeoutMs = 10_000;
/** A process that uses more memory than this after a run is replaced by a new one. Bytes. */
const maxMemory = 768 * 1024 ** 2;
/** How long an idle process is kept. Milliseconds. */
const maxIdleMs = 5 * 60_000;

export function openRunProcesses({
  max,
  start = () => startChild({}, processEnvironment(), 'runs'),
  maxRuns = 200,
}: RunProcessesOptions): RunProcesses {
  /** Idle processes; the most recently used one is last. */
  const idleProcesses: PooledProcess[] = [];
  const endingProcesses = new Set<Promise<unknown>>();
  /** All processes except those that are ending. */
  const activeProcesses = new Set<PooledProcess>();
  let isClosed = false;

  function startProcess(team: string): PooledProcess {
    while (activeProcesses.size >= max && idleProcesses.length > 0) endProcess(idleProcesses.shift()!);
    const pooled: PooledProcess = { process: start(), team, runs: 0, onReport() {} };
    activeProcesses.add(pooled);
    pooled.process.wire.onMessage((value) => pooled.onReport(value as RunProcessReport));
    void pooled.process.gone.then(() => forgetProcess(pooled));
    return pooled;
  }

  function forgetProcess(pooled: PooledProcess): void {
    activeProcesses.delete(pooled);
    const index = idleProcesses.indexOf(pooled);
    if (index !== -1) idleProcesses.splice(index, 1);
  }

  function endProcess(pooled: PooledProcess): void {
    forgetProcess(pooled);
    const { process } = pooled;
    process.wire.send({ kind: 'end' } satisfies RunProcessRequest);
    const killTimer = setTimeout(() => process.kill('SIGKILL'), endTimeoutMs);
    const processEnd = process.gone.finally(() => {
      clearTimeout(killTimer);
      endingProcesses.delete(processEnd);
    });
    endingProcesses.add(processEnd);
  }

  function keepIdle(pooled: PooledProcess): void {
    idleProcesses.push(pooled);
    const { runs } = pooled;
    const idleTimer = setTimeout(() => {
      if (idleProcesses.includes(pooled) && pooled.runs === runs) endProcess(pooled);
    }, maxIdleMs);
    idleTimer.unref();
  }

  async function performIn(
    pooled: PooledProcess,
    setting: RunnerSetting,
    signal: AbortSignal,
  ): Promise<PerformedRun> {
    const { wire, gone, kill } = pooled.process;
    let lastReport = null as RunProcessReport | null;
    const reportReceived = new Promise<null>((done) => {
      pooled.onReport = (report) => {
        lastReport = report;
        if (report.kind !== 'taken') done(null);
      };
    });
    let killTimer: NodeJS.Timeout | undefined;
    const cancelRun = (): void => {
      wire.send({ kind: 'cancel' } satisfies RunProcessRequest);
      killTimer = setTimeout(() => kill('SIGKILL'), endTimeoutMs);
    };
    signal.addEventListener('abort', cancelRun, { once: true });
    pooled.runs += 1;
    wire.send({ kind: 'run', setting } satisfies RunProcessRequest);
    const endReason = await Promise.race([reportReceived, gone]);
    signal.removeEventListener('abort', cancelRun);
    clearTimeout(killTimer);
    return { report: lastReport, gone: endReason };
  }

  return {
    async perform(setting, { team, alone, signal }) {
      for (;;) {
        signal.throwIfAborted();
        const index = alone ? -1 : idleProcesses.findLastIndex((each) => each.team === team);
        const pooled = index === -1 ? startProcess(team) : idleProcesses.splice(index, 1)[0]!;
        const isUsed = pooled.runs > 0;
        const { report, gone } = await performIn(pooled, setting, signal);
        // The process died between two runs: this run has not started.
        if (report === null && isUsed) continue;
        const isClean = report?.kind === 'ended' && report.memory < maxMemory && pooled.runs < maxRuns;
        if (gone === null)
          if (isClean && !signal.aborted && !isClosed) keepIdle(pooled);
          // State left by a run that did not end cleanly may harm the next run.
          else endProcess(pooled);
        if (report?.kind === 'failed') throw toSondeError(report);
        return report?.kind === 'ended' ? null : (gone ?? 'no report');
      }
    },
    async close() {
      isClosed = true;
      for (const pooled of [...idleProcesses]) endProcess(pooled);
      while (endingProcesses.size > 0) await Promise.all(endingProcesses);
    },
  };
}

function toSondeError({ code, message, remedy }: RunFailure): SondeError {
  const knownCode = (Object.hasOwn(errorCodes, code) ? code : 'internal') as ErrorCode;
  return new SondeError(knownCode, { message, remedy });
}
