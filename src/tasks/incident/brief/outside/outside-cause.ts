/** A cause other than a change of our own, and how its messages are quoted. */
import type { Suspect } from '../../../../core/index.ts';

export interface Outside extends Suspect {
  readonly kind: 'traffic' | 'upstream' | 'capacity';
  /** The service in which it was noticed; null or absent if that is not known. */
  readonly service?: string | null;
  /** When it began, in milliseconds since the Unix epoch; absent if that is not known. */
  readonly since?: number;
  /** Whether its own replies or its status page say that the fault is its own. */
  readonly isOwnFault?: boolean;
  /** True: there are more users. False: the same users sent more requests. */
  readonly isPeople?: boolean;
}

/** A line in backticks, unchanged if it is short enough. */
export const quoteText = (text: string): string => `\`${text.split('`', 1)[0]!.trim().slice(0, 120)}\``;
