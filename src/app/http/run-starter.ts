/** Runs that were begun over HTTP: each in a process of its own, a few at the same time, ended with the server. */
import { type ErrorCode, errorCodes, SondeError } from '../../core/index.ts';
import type { Child } from '../agent/channel/child-wire.ts';
import type { RunnerSetting } from '../runs/perform-run.ts';
import type { RunnerRequest, RunnerSays } from '../runs/runner.ts';

export interface RunStarter {
  /** Throws if no run can start here, whatever its parameters are. */
  requireStart?(): void;
  /**
   * Gives the id of the run as soon as it has one. Throws the error of a refused run, and `run_state` if too many are
   * running.
   */
  start(setting: RunnerSetting): Promise<string>;
  /** Asks the run to end soon, with its results so far. Throws `run_state` if no process of this server works on it. */
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
  type Working = ReturnType<RunStarterOptions['spawn']>;
  const working = new Set<Working>();
  const byRun = new Map<string, Working>();
  let closed = false;

  async function start(setting: RunnerSetting): Promise<string> {
    if (closed || working.size >= max)
      throw new SondeError('run_state', {
        message: closed ? 'This server ends' : `${working.size} runs are under way, and no more at once`,
        remedy: 'Wait for the end of one, or cancel it.',
        details: { runs: [...byRun.keys()] },
      });
    const resumed = 'resume' in setting ? setting.resume : null;
    if (resumed !== null && byRun.has(resumed))
      throw new SondeError('run_state', { message: `${resumed} is under way`, remedy: 'Follow its events.' });
    const begun = Promise.withResolvers<string>();
    const child = spawn(setting);
    working.add(child);
    if (resumed !== null) byRun.set(resumed, child);
    child.wire.onMessage((value) => {
      const runnerSays = value as RunnerSays;
      if (runnerSays.kind === 'begun') {
        byRun.set(runnerSays.run, child);
        begun.resolve(runnerSays.run);
      } else if (runnerSays.kind === 'failed') {
        begun.reject(refusal(runnerSays));
        tell(`a run failed: ${runnerSays.message}`);
      } else if (resumed !== null) begun.resolve(resumed);
    });
    void child.gone.then((how) => {
      working.delete(child);
      for (const [run, of] of byRun) if (of === child) byRun.delete(run);
      begun.reject(
        new SondeError('tool_failed', {
          message: `The process of the run ended: ${how}`,
          remedy: 'Try again.',
        }),
      );
    });
    return begun.promise;
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
      closed = true;
      const all = [...working];
      for (const { wire } of all) wire.send({ kind: 'cancel' } satisfies RunnerRequest);
      const late = setTimeout(() => {
        for (const child of all) child.kill('SIGKILL');
      }, patienceMs);
      await Promise.all(all.map(({ gone }) => gone));
      clearTimeout(late);
    },
  };
}

function refusal({ code, message, remedy }: Extract<RunnerSays, { kind: 'failed' }>): SondeError {
  const known = (Object.hasOwn(errorCodes, code) ? code : 'internal') as ErrorCode;
  return new SondeError(known, { message, ...(remedy !== '' && { remedy }) });
}
