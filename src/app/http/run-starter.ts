/** Runs that are started over HTTP. Each has its own process, their number is limited, and they end with the server. */
import { type ErrorCode, errorCodes, formatCount, SondeError } from '../../core/index.ts';
import type { Child } from '../agent/channel/child-wire.ts';
import type { RunnerSetting } from '../runs/perform-run.ts';
import type { RunnerReport, RunnerRequest } from '../runs/runner.ts';

export interface RunStarter {
  /** Throws if no run can start here, whatever its parameters are. */
  requireStart?(): void;
  /**
   * Starts a run and resolves with its id. Throws the error of a refused run, and `run_state` if too many runs are
   * running.
   */
  start(setting: RunnerSetting): Promise<string>;
  /** Asks the run to end with its results so far. Throws `run_state` if no process of this server works on it. */
  cancel(run: string): void;
  /** Ends all runs. Each can be resumed. */
  close(): Promise<void>;
}

export interface RunStarterOptions {
  readonly spawn: (setting: RunnerSetting) => Pick<Child, 'wire' | 'gone' | 'kill'>;
  readonly tell: (line: string) => void;
  /** Maximum runs at the same time. */
  readonly max?: number;
}

/** How long a process may finish its step before it is killed. Milliseconds. */
const patienceMs = 5_000;

export function runStarter({ spawn, tell, max = 4 }: RunStarterOptions): RunStarter {
  type RunProcess = ReturnType<RunStarterOptions['spawn']>;
  const runningProcesses = new Set<RunProcess>();
  const byRun = new Map<string, RunProcess>();
  let isClosed = false;

  async function start(setting: RunnerSetting): Promise<string> {
    if (isClosed || runningProcesses.size >= max)
      throw new SondeError('run_state', {
        message: isClosed
          ? 'This server ends'
          : `${formatCount(runningProcesses.size, 'run')} ${runningProcesses.size === 1 ? 'is' : 'are'} under way, and no more at once`,
        remedy: 'Wait for the end of one, or cancel it.',
        details: { runs: [...byRun.keys()] },
      });
    const resumedRun = 'resume' in setting ? setting.resume : null;
    if (resumedRun !== null && byRun.has(resumedRun))
      throw new SondeError('run_state', {
        message: `${resumedRun} is under way`,
        remedy: 'Follow its events.',
      });
    const startedRun = Promise.withResolvers<string>();
    const child = spawn(setting);
    runningProcesses.add(child);
    if (resumedRun !== null) byRun.set(resumedRun, child);
    child.wire.onMessage((value) => {
      const message = value as RunnerReport;
      if (message.kind === 'begun') {
        byRun.set(message.run, child);
        startedRun.resolve(message.run);
      } else if (message.kind === 'failed') {
        startedRun.reject(toStartError(message));
        tell(`a run failed: ${message.message}`);
      } else if (resumedRun !== null) startedRun.resolve(resumedRun);
    });
    void child.gone.then((exitReason) => {
      runningProcesses.delete(child);
      for (const [run, startedBy] of byRun) if (startedBy === child) byRun.delete(run);
      startedRun.reject(
        new SondeError('tool_failed', {
          message: `The process of the run ended: ${exitReason}`,
          remedy: 'Try again.',
        }),
      );
    });
    return startedRun.promise;
  }

  return {
    start,
    cancel(run) {
      const child = byRun.get(run);
      if (child === undefined)
        throw new SondeError('run_state', {
          message: `No process of this server works on ${run}`,
          remedy: 'GET the run says how it stands; one of another program is ended there.',
        });
      child.wire.send({ kind: 'cancel' } satisfies RunnerRequest);
    },
    async close() {
      isClosed = true;
      const processes = [...runningProcesses];
      for (const { wire } of processes) wire.send({ kind: 'cancel' } satisfies RunnerRequest);
      const killTimer = setTimeout(() => {
        for (const child of processes) child.kill('SIGKILL');
      }, patienceMs);
      await Promise.all(processes.map(({ gone }) => gone));
      clearTimeout(killTimer);
    },
  };
}

function toStartError({ code, message, remedy }: Extract<RunnerReport, { kind: 'failed' }>): SondeError {
  const knownCode = (Object.hasOwn(errorCodes, code) ? code : 'internal') as ErrorCode;
  return new SondeError(knownCode, { message, ...(remedy !== '' && { remedy }) });
}
