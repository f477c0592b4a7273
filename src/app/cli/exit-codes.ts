import type { ErrorCode, IncidentResult, RunResult } from '../../core/index.ts';

/** Documented in docs/cli.md. The meaning of a number never changes. */
export const exitCodes = {
  0: 'Done. For an answer: at least one of its claims is supported. For lines that a search found: at least one was confirmed.',
  1: 'Something failed that is not your input: a program, a file system, a bug.',
  2: 'Wrong input: a flag, a path, a run, a setting. Nothing was done.',
  3: 'The answer, which is printed, has no supported claim; or the incident is inconclusive or unrelated to the alert; or a sync left conflicts for you to decide.',
  4: 'The model failed. What was found until then is printed.',
  5: 'For an answer: nothing relevant to the question was found. For `refs`, `impact`, `path`, `hover` and `expand`: the name occurs nowhere. `search` and `world search` end with 0, whatever they find.',
  130: 'Ended by Ctrl-C. What was found until then is printed; `sonde resume` continues the run.',
} as const;

export type ExitCode = keyof typeof exitCodes;

const inputErrorCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'bad_argument',
  'bad_config',
  'bad_pattern',
  'not_found',
  'unauthenticated',
  'forbidden',
  'gone',
  'too_large',
  'ambiguous',
  'not_text',
  'outside_root',
  'span_out_of_range',
  'run_state',
  'stale',
  'conflict',
  'model_config',
]);

export function exitCodeOfError(code: ErrorCode): ExitCode {
  if (code === 'cancelled') return 130;
  return inputErrorCodes.has(code) ? 2 : 1;
}

export function exitCodeOfResult(result: Pick<RunResult, 'status' | 'stop_reason'>): ExitCode {
  if (result.stop_reason === 'cancelled') return 130;
  if (result.stop_reason === 'model_failed') return 4;
  if (result.status === 'not_found') return 5;
  return result.status === 'unverified' ? 3 : 0;
}

/** 3 for the verdicts `inconclusive` and `unrelated`, 0 for any other, whether or not its claims were confirmed. */
export function exitCodeOfIncident({
  verdict,
  stop_reason,
}: Pick<IncidentResult, 'verdict' | 'stop_reason'>): ExitCode {
  if (stop_reason === 'cancelled') return 130;
  if (stop_reason === 'model_failed') return 4;
  return verdict === 'inconclusive' || verdict === 'unrelated' ? 3 : 0;
}
