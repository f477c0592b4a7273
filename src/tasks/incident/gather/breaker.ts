/** A system that does not answer in time is not waited for again and again: it is left out for the run, and named. */
import type { Signal } from '../../../core/index.ts';
import type { CallMade } from '../state.ts';

/** So many questions in a row that it did not answer in time. */
const maxLateCalls = 2;

/** As reports name it; a run may look at several of one kind. */
export const systemName = ({ system, source }: Pick<Signal, 'system' | 'source'>): string =>
  source.startsWith(system) ? source : `${system} (${source})`;

/** Systems that are no longer asked, by the calls so far: from the records alone, so that a resumed run agrees. */
export function listLeftOut(calls: readonly CallMade[]): readonly string[] {
  const late = new Map<string, number>();
  for (const { system, outcome, late: isLate } of calls)
    if (system !== undefined && outcome !== 'duplicate' && outcome !== 'refused')
      late.set(system, isLate === true ? (late.get(system) ?? 0) + 1 : 0);
  return [...late].flatMap(([system, count]) => (count >= maxLateCalls ? [system] : []));
}
