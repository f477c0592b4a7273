/** A way in which a change can break a system: how a diff shows it, and how observations show it. */
import type { Diff } from '../edits/diff.ts';

export interface Mechanism {
  readonly name: string;
  /** A description for readers. */
  readonly says: string;
  /** How severe the damage of such a change is, from 0 to 1. */
  readonly force: number;
  /** Words in metrics, logs and spans that indicate it. */
  readonly shows: RegExp;
}

export type Find = (diff: Diff) => Omit<Mechanism, 'shows'> | null;

export interface MechanismKind {
  readonly shows: RegExp;
  readonly find: Find;
}

export const anyMatches = (lines: readonly string[], shape: RegExp): boolean =>
  lines.some((line) => shape.test(line));
export const countMatches = (lines: readonly string[], shape: RegExp): number =>
  lines.reduce((sum, line) => sum + (line.match(shape)?.length ?? 0), 0);
