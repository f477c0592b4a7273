/** An answer whose lines contradict it, or do not show it, goes back to who wrote it: once, and where budget is left. */
import { backText } from '../check/back-text.ts';
import { check } from '../check/check.ts';
import { answerRequest, checkingOf } from './claims.ts';
import type { RunContext } from './run-context.ts';
import type { Answer, Pressure, ResearchState } from './state.ts';

/** What it is told; null where the answer stands, or the time for another is over. */
export async function backOnce(
  state: ResearchState,
  { answer }: Answer,
  context: RunContext,
  pressure: Pressure | null,
): Promise<string | null> {
  if (pressure !== null || state.handedBack !== null || !context.claiming.goesBack) return null;
  const { weighed } = await check(answerRequest(state, context, answer.trim()), checkingOf(state, context));
  return backText(
    weighed.claims.map(({ claim }) => claim),
    'Then finalize again.',
  );
}
