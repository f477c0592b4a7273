/**
 * The processes in which a worker's runs are performed, so that what kills one does not kill the worker. A process
 * performs one run after another, all of the same team: loading the code takes several times as long as a short run.
 */
import { type ErrorCode, errorCodes, SondeError } from '../../core/index.ts';
import { type Child, startChild } from '../agent/channel/child-wire.ts';
import { processEnvironment } from '../config/index.ts';
import type { RunFailure, RunnerSetting } from '../runs/perform-run.ts';
import type { RunProcessReport, RunProcessRequest } from './run-process.ts';

export interface RunPlacing {
  readonly team: string;
  /** In a process that has performed no other run, so that nothing but this run can be what kills it. */
  readonly alone: boolean;
  readonly signal: AbortSignal;
}

export interface RunProcesses {
  /** Gives how the process ended if the run had not ended before; otherwise null. Throws what the run threw. */
  perform(setting: RunnerSetting, placing: RunPlacing): Promise<string | null>;
  /** Ends the processes that perform nothing. Runs should have ended before. */
  close(): Promise<void>;
}

type RunProcess = Pick<Child, 'wire' | 'gone' | 'kill'>;

export interface RunProcessesOptions {
  /** Maximum of processes, with and without a run. */
  readonly max: number;
  readonly start?: () => RunProcess;
  /** After so many runs a process is replaced by a new one. */
  readonly maxRuns?: number;
}

interface Kept {
  readonly process: RunProcess;
  readonly team: string;
  runs: number;
  /** Of the current run. */
  onReport: (report: RunProcessReport) => void;
}

interface Performed {
  /** The last report about the run; null: there was none. */
  readonly report: RunProcessReport | null;
  /** How the process ended; null: it lives. */
  readonly gone: string | null;
}

/** How long a process may take to end its run, or itself, after it was told to. Milliseconds. */
const patienceMs = 10_000;
/** A process that occupies more than this after a run is replaced by a new one. Bytes. */
const maxMemory = 768 * 1024 ** 2;
/** How long a process is kept that has nothing to do. Milliseconds. */
const maxIdleMs = 5 * 60_000;

export function openRunProcesses({
  max,
  start = () => startChild({}, processEnvironment(), 'runs'),
  maxRuns = 200,
}: RunProcessesOptions): RunProcesses {
  /** Those without a run; the last one had one last. */
  const idle: Kept[] = [];
  const ending = new Set<Promise<unknown>>();
  /** All but those that were told to end. */
  const staying = new Set<Kept>();
  let closed = false;

  function begin(team: string): Kept {
    while (staying.size >= max && idle.length > 0) end(idle.shift()!);
    const kept: Kept = { process: start(), team, runs: 0, onReport() {} };
    staying.add(kept);
    kept.process.wire.onMessage((value) => kept.onReport(value as RunProcessReport));
    void kept.process.gone.then(() => leave(kept));
    return kept;
  }

  function leave(kept: Kept): void {
    staying.delete(kept);
    const at = idle.indexOf(kept);
    if (at !== -1) idle.splice(at, 1);
  }

  function end(kept: Kept): void {
    leave(kept);
    const { process } = kept;
    process.wire.send({ kind: 'end' } satisfies RunProcessRequest);
    const late = setTimeout(() => process.kill('SIGKILL'), patienceMs);
    const ended = process.gone.finally(() => {
      clearTimeout(late);
      ending.delete(ended);
    });
    ending.add(ended);
  }

  function keepIdle(kept: Kept): void {
    idle.push(kept);
    const { runs } = kept;
    const late = setTimeout(() => {
      if (idle.includes(kept) && kept.runs === runs) end(kept);
    }, maxIdleMs);
    late.unref();
  }

  async function performIn(kept: Kept, setting: RunnerSetting, signal: AbortSignal): Promise<Performed> {
    const { wire, gone, kill } = kept.process;
    let last = null as RunProcessReport | null;
    const reported = new Promise<null>((done) => {
      kept.onReport = (report) => {
        last = report;
        if (report.kind !== 'taken') done(null);
      };
    });
    let late: NodeJS.Timeout | undefined;
    const stop = (): void => {
      wire.send({ kind: 'cancel' } satisfies RunProcessRequest);
      late = setTimeout(() => kill('SIGKILL'), patienceMs);
    };
    signal.addEventListener('abort', stop, { once: true });
    kept.runs += 1;
    wire.send({ kind: 'run', setting } satisfies RunProcessRequest);
    const how = await Promise.race([reported, gone]);
    signal.removeEventListener('abort', stop);
    clearTimeout(late);
    return { report: last, gone: how };
  }

  return {
    async perform(setting, { team, alone, signal }) {
      for (;;) {
        signal.throwIfAborted();
        const at = alone ? -1 : idle.findLastIndex((each) => each.team === team);
        const kept = at === -1 ? begin(team) : idle.splice(at, 1)[0]!;
        const isUsed = kept.runs > 0;
        const { report, gone } = await performIn(kept, setting, signal);
        // It died between two runs: this one has not begun.
        if (report === null && isUsed) continue;
        const isClean = report?.kind === 'ended' && report.memory < maxMemory && kept.runs < maxRuns;
        if (gone === null)
          if (isClean && !signal.aborted && !closed) keepIdle(kept);
          // What a run has left behind that did not end by itself may harm the next one.
          else end(kept);
        if (report?.kind === 'failed') throw errorOf(report);
        return report?.kind === 'ended' ? null : (gone ?? 'no report');
      }
    },
    async close() {
      closed = true;
      for (const kept of [...idle]) end(kept);
      while (ending.size > 0) await Promise.all(ending);
    },
  };
}

function errorOf({ code, message, remedy }: RunFailure): SondeError {
  const known = (Object.hasOwn(errorCodes, code) ? code : 'internal') as ErrorCode;
  return new SondeError(known, { message, remedy });
}
