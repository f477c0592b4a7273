/** A way in which a change can break a system: how a diff shows it, and how observations show it. */
import type { Diff } from '../edits/diff.ts';

export interface Mechanism {
  readonly name: string;
  /** A description for readers. */
  readonly description: string;
  /** From 0 to 1: how severe the damage of such a change is. */
  readonly severity: number;
  /** Words in metrics, logs and spans that indicate it. */
  readonly symptoms: RegExp;
}

export type Find = (diff: Diff) => Omit<Mechanism, 'symptoms'> | null;

export interface MechanismKind {
  readonly symptoms: RegExp;
  readonly find: Find;
}

export const anyMatches = (lines: readonly string[], shape: RegExp): boolean =>
  lines.some((line) => shape.test(line));
export const countMatches = (lines: readonly string[], shape: RegExp): number =>
  lines.reduce((sum, line) => sum + (line.match(shape)?.length ?? 0), 0);
