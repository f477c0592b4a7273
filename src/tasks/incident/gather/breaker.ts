/** A slow system is left out for the rest of the run, and named in the report. */
import type { Signal } from '../../../core/index.ts';
import type { CallMade } from '../state.ts';

/** Maximum questions in a row that a system answered late or not at all. */
const maxLateCalls = 2;
/** An answer that took longer counts as slow: a few of them would use up the run's time. Milliseconds. */
const slowMs = 5_000;

export const isSlow = (tookMs: number | undefined): boolean => tookMs !== undefined && tookMs > slowMs;

/** The name of the system in reports; a run may query several systems of one kind. */
export const systemName = ({ system, source }: Pick<Signal, 'system' | 'source'>): string =>
  source.startsWith(system) ? source : `${system} (${source})`;

/**
 * The systems that are no longer asked after their failures. Decided from the records alone, so that a resumed run
 * decides the same.
 */
export function listLeftOutSystems(calls: readonly CallMade[]): readonly string[] {
  const late = new Map<string, number>();
  for (const { system, outcome, late: isLate } of calls)
    if (system !== undefined && outcome !== 'duplicate' && outcome !== 'refused')
      late.set(system, isLate === true ? (late.get(system) ?? 0) + 1 : 0);
  return [...late].flatMap(([system, count]) => (count >= maxLateCalls ? [system] : []));
}
