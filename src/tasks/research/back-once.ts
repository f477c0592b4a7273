/** An answer whose lines contradict it, or do not show it, goes back to who wrote it: once, and where budget is left. */
import { backText } from '../check/back-text.ts';
import { check } from '../check/check.ts';
import { answerRequest, checkingOf } from './claims.ts';
import type { Crew } from './crew.ts';
import type { Answer, Pressure, ResearchState } from './state.ts';

/** What it is told; null where the answer stands, or the time for another is over. */
export async function backOnce(
  state: ResearchState,
  { answer }: Answer,
  crew: Crew,
  pressure: Pressure | null,
): Promise<string | null> {
  if (pressure !== null || state.handedBack !== null || !crew.claiming.goesBack) return null;
  const { weighed } = await check(answerRequest(state, crew, answer.trim()), checkingOf(state, crew));
  return backText(
    weighed.claims.map(({ claim }) => claim),
    'Then finalize again.',
  );
}
