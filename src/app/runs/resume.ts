/** Resumes and replays runs of any kind. */

import { requireKind } from '../kinds/find-kind.ts';
import { findRun } from './kept-run.ts';
import type { FinishedRun, RunRequest } from './run-kind.ts';

const findKindOfRun = async ({ run, callerParts }: RunRequest) =>
  requireKind((await findRun(run, callerParts?.store)).row);

/** Throws `not_found` and `run_state`. */
export const resume = async (request: RunRequest): Promise<FinishedRun> =>
  (await findKindOfRun(request)).resume(request);

/** Throws `not_found` and `run_state`. */
export const replay = async (request: RunRequest): Promise<FinishedRun> =>
  (await findKindOfRun(request)).replay(request);
