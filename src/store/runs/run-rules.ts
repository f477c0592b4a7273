/** Errors about runs that all engines share. */
import { SondeError } from '../../core/index.ts';

/**
 * The only id in `found`. Throws `not_found` if there is none, or `bad_argument` if there are several. `id`: their
 * common prefix.
 */
export function requireSingleMatch(id: string, found: readonly string[], path: string): string {
  const [only, another] = found;
  if (only === undefined)
    throw new SondeError('not_found', {
      message: `There is no run ${id} in ${path}`,
      remedy: 'List the runs there are: sonde runs.',
    });
  if (another !== undefined)
    throw new SondeError('bad_argument', {
      message: `Several ids begin with ${id}, such as ${only} and ${another}`,
      remedy: 'Give more of the id.',
    });
  return only;
}

export const runExistsError = (id: string): SondeError =>
  new SondeError('run_state', {
    message: `There is a run ${id} already`,
    remedy: 'Resume it, or take another id.',
  });

export const createUnfinishedRunError = (id: string): SondeError =>
  new SondeError('run_state', {
    message: `${id} is not finished, or a process is working on it`,
    remedy: 'Resume it or wait for its end, and try again.',
  });

/** The error for a run whose budget pays for another run, to which it delegated work. */
export const payingRunError = (run: string, other: string): SondeError =>
  new SondeError('run_state', {
    message: `${other} is not finished and is paid from the budget of ${run}`,
    remedy: 'Resume it or wait for its end, and try again.',
  });

export const leaseHeldError = (run: string, pid: number): SondeError =>
  new SondeError('run_state', {
    message: `Process ${pid} is working on ${run}`,
    remedy: 'Wait for it to end, or end it, and try again.',
    details: { run, pid },
  });
