/**
 * Checks a model's answer before the run ends. An answer whose cited lines contradict it or don't show it is returned
 * to its author once, if budget is left.
 */
import { escapePath } from '../../../core/index.ts';
import { check } from '../../check/check.ts';
import { formatRevisionRequest } from '../../check/revision-request.ts';
import { answerRequest, checkContext, listChangedPaths } from '../report/claims.ts';
import type { RunContext } from '../run-context.ts';
import type { Pressure, ResearchState, WrittenAnswer } from '../state.ts';

/** Maximum number of changed files named in the objections. */
const maxChangedPaths = 6;

/**
 * The objections for the author. Null if there are none, if an answer was returned before, or if no time is left for a
 * revision.
 */
export async function findObjections(
  state: ResearchState,
  { answer }: WrittenAnswer,
  context: RunContext,
  pressure: Pressure | null,
): Promise<string | null> {
  if (pressure !== null || state.returnedAnswer !== null || !context.claimHandling.goesBack) return null;
  const { weighed } = await check(answerRequest(state, context, answer.trim()), checkContext(state, context));
  const changed = listChangedPaths(state, weighed).slice(0, maxChangedPaths).map(escapePath);
  const rereadHint =
    changed.length === 0
      ? ''
      : `${changed.join(', ')} changed after you read it: read it again, and cite what stands there now. `;
  return formatRevisionRequest(
    weighed.claims.map(({ claim }) => claim),
    `${rereadHint}Then finalize again.`,
  );
}
