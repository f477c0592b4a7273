/** Asks the model once to revise an answer that its cited lines contradict or don't show, if a turn is left. */
import { isExtractive } from '../../../model/index.ts';
import { check } from '../../check/check.ts';
import { formatRevisionRequest } from '../../check/revision-request.ts';
import { searchAbsent } from '../report/absent.ts';
import { answerRequest, checkContext } from '../report/claims.ts';
import type { RunContext, TreeNode } from '../run-context.ts';
import type { NodeState } from '../state.ts';

/**
 * Returns the state in which the model is asked to revise its answer; null if the answer needs no revision. Claims
 * that may have been computed are not returned: only running the cells again could check them, and that must wait until
 * this session is closed.
 */
export async function requestRevisionOnce(
  state: NodeState,
  place: TreeNode,
  context: RunContext,
): Promise<NodeState | null> {
  const { final } = state.gains;
  const mayRevise =
    place.depth === 0 && !state.last && state.handedBack !== true && context.claimHandling.goesBack;
  if (!mayRevise || typeof final?.answer !== 'string' || isExtractive(context.models[context.outer]))
    return null;
  const request = answerRequest(state, context, final.answer);
  const { answer } = final;
  const { weighed } = await check(request, checkContext(state, context), {
    draft: true,
    search: (key) => searchAbsent(answer, key, state, place, context),
  });
  const claims = weighed.claims.map(({ claim }) => claim);
  const revisionRequest = formatRevisionRequest(
    claims.filter(({ verdict, text }) => verdict === 'contradicted' || !/\d/.test(text)),
    'Then call FINAL again.',
  );
  if (revisionRequest === null) return null;
  const gains = { ...state.gains, final: null, offered: final };
  return { ...state, gains, told: revisionRequest, handedBack: true, pending: { kind: 'plan' } };
}
