/** A slow system is not waited for again and again: it is left out for the run, and named. */
import type { Signal } from '../../../core/index.ts';
import type { CallMade } from '../state.ts';

/** So many questions in a row that it was slow with, or did not answer. */
const maxLateCalls = 2;
/** An answer that took longer is a slow one: a few of them are all the time that a run has. Milliseconds. */
const slowMs = 5_000;

export const isSlow = (tookMs: number | undefined): boolean => tookMs !== undefined && tookMs > slowMs;

/** The name of the system in reports; a run may query several systems of one kind. */
export const systemName = ({ system, source }: Pick<Signal, 'system' | 'source'>): string =>
  source.startsWith(system) ? source : `${system} (${source})`;

/**
 * The systems that are no longer asked after their failures. Decided from the records alone, so that a resumed run
 * decides the same.
 */
export function listLeftOut(calls: readonly CallMade[]): readonly string[] {
  const late = new Map<string, number>();
  for (const { system, outcome, late: isLate } of calls)
    if (system !== undefined && outcome !== 'duplicate' && outcome !== 'refused')
      late.set(system, isLate === true ? (late.get(system) ?? 0) + 1 : 0);
  return [...late].flatMap(([system, count]) => (count >= maxLateCalls ? [system] : []));
}
