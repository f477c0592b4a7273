/** A cause that lies outside of what the house changed, and how its messages are quoted. */
import type { Suspect } from '../../../core/index.ts';

export interface Outside extends Suspect {
  readonly kind: 'traffic' | 'upstream' | 'capacity';
  /** Where it is met; null or absent where that is not known. */
  readonly service?: string | null;
  /** When it began, in milliseconds since the Unix epoch; absent where that is not known. */
  readonly since?: number;
  /** It answered, or its own page says, that the fault is its own. */
  readonly isOwnFault?: boolean;
  /** More people came, and not the same ones more often. */
  readonly isPeople?: boolean;
}

/** A line as it is, if it is short enough. */
export const quoteText = (text: string): string => `\`${text.split('`', 1)[0]!.trim().slice(0, 120)}\``;
