/** Runs of version 0.1, which had no dialogue: each turn was one prompt, and the diagnosis a separate call. */
import { type Journal, SondeError } from '../../core/index.ts';

/** Whether version 0.1 recorded the run: only its plans of turns have `exhausted`. */
export function isVersion01({ recall }: Pick<Journal, 'recall'>): boolean {
  const plan = recall('turn-1/plan');
  return typeof plan === 'object' && plan !== null && 'exhausted' in plan;
}

/** An unfinished run of that version can't be resumed. */
export function createVersion01Error(run: string): SondeError {
  return new SondeError('run_state', {
    message: `${run} was begun by version 0.1, whose turns were recorded in another way`,
    remedy: 'Send the alert again.',
  });
}
