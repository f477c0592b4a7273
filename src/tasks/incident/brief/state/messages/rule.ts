/** A pattern for a message, and the state that the message reports. */
import type { Condition } from '../condition.ts';

export interface MessageRule {
  /** The system in that state; null if it is the sender of the message. */
  readonly system: string | null;
  readonly shape: RegExp;
  readonly condition: Condition;
}

export const createRules = (
  system: string | null,
  rules: readonly (readonly [shape: RegExp, condition: Condition])[],
): readonly MessageRule[] => rules.map(([shape, condition]) => ({ system, shape, condition }));
