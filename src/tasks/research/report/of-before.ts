/**
 * Handles runs of version 0.1, in which research was not a dialogue yet: each step was one choice of an action, and its
 * result.
 */
import { fitResult } from '../../../core/answers.ts';
import { type Journal, type RunResult, SondeError } from '../../../core/index.ts';
import { isExtractive } from '../../../model/extractive.ts';
import type { GatedAnswer } from './report.ts';

/** Whether version 0.1 made the run, which only its records show. Runs without a model have not changed since. */
export function isOlderRun(journal: Pick<Journal, 'recall'>, model: string): boolean {
  if (isExtractive({ name: model })) return false;
  return journal.recall('step-1/choice') !== undefined || journal.recall('step-1/result') !== undefined;
}

/** The error for an unfinished run of that version, which can't be resumed. */
export function refuseOlderRun(run: string): SondeError {
  return new SondeError('run_state', {
    message: `${run} was begun by version 0.1, whose steps were recorded in another way`,
    remedy: 'Ask the question again.',
  });
}

/** The result as the gate recorded it. The steps are in the log, which `show` prints. */
export function readOlderResult(runResult: RunResult, journal: Pick<Journal, 'recall'>): RunResult {
  const final = journal.recall('final') as { readonly gated: GatedAnswer } | undefined;
  if (final === undefined) return runResult;
  const { answer, citations, unsupported, confidence } = final.gated;
  return fitResult({ ...runResult, answer, citations, unsupported, confidence });
}
