/** Resumes and replays runs of any kind. */

import { kindOf } from '../kinds/kind-of.ts';
import { findRun } from './kept-run.ts';
import type { FinishedRun, RunRequest } from './run-kind.ts';

const kindFor = async ({ run, callerParts }: RunRequest) =>
  kindOf((await findRun(run, callerParts?.store)).row);

/** Throws `not_found` and `run_state`. */
export const resume = async (request: RunRequest): Promise<FinishedRun> =>
  (await kindFor(request)).resume(request);

/** Throws `not_found` and `run_state`. */
export const replay = async (request: RunRequest): Promise<FinishedRun> =>
  (await kindFor(request)).replay(request);
