/**
 * Returns an answer to its author if the cited lines contradict it or don't show it: once, and only if budget is left.
 */
import { escapePath } from '../../../core/index.ts';
import { check } from '../../check/check.ts';
import { formatRevisionRequest } from '../../check/revision-request.ts';
import { answerRequest, changedPaths, checkingOf } from '../report/claims.ts';
import type { RunContext } from '../run-context.ts';
import type { Pressure, ResearchState, WrittenAnswer } from '../state.ts';

/** Maximum number of changed files to name. */
const maxChanged = 6;

/** The objections that the author gets; null if there are none, or if no time is left for a revision. */
export async function backOnce(
  state: ResearchState,
  { answer }: WrittenAnswer,
  context: RunContext,
  pressure: Pressure | null,
): Promise<string | null> {
  if (pressure !== null || state.handedBack !== null || !context.claimHandling.goesBack) return null;
  const { weighed } = await check(answerRequest(state, context, answer.trim()), checkingOf(state, context));
  const changed = changedPaths(state, weighed).slice(0, maxChanged).map(escapePath);
  const read =
    changed.length === 0
      ? ''
      : `${changed.join(', ')} changed after you read it: read it again, and cite what stands there now. `;
  return formatRevisionRequest(
    weighed.claims.map(({ claim }) => claim),
    `${read}Then finalize again.`,
  );
}
