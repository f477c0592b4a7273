/** A claim in its parts: what is said of one thing, and what is said to come before or after what. */

import { quoted } from './atoms.ts';
import { anyStamp } from './held.ts';

export interface Clause {
  readonly text: string;
  /** What this is said to come before or after; null where nothing is. */
  readonly order: {
    readonly kind: 'before' | 'after';
    readonly other: string;
    readonly by: string | null;
  } | null;
}

const parting =
  /;\s+|,?\s+(?:while|whereas|but|although|though|because|so that|and then)\s+|,\s+(?:so|and|which|who)\s+|\.\s+(?=[A-Z\uE000])|:\s+/;
const order = /[\s,]+(before|after|prior to|ahead of|following)\s+(.+)$/i;
/** How much earlier or later, at the end of what stands before the word. */
const by =
  /(?:about |around |roughly |some )?([\d.]+|one|two|three|four|five|ten)[\s-](seconds?|minutes?|min|hours?|h|s)\s*(?:earlier|later)?$/i;
/** `failed after 3000 ms` tells no order. */
const lasting = /^[\d.,]+\s?(?:ms|s|sec\w*|min\w*|h\w*|milli\w*|%)|^(?:attempts?|retries|tries)\b/i;

/** Text in quotation marks is not taken apart. */
export function clausesOf(claim: string): readonly Clause[] {
  const kept: string[] = [];
  const keep = (text: string): string => `\uE000${kept.push(text) - 1}\uE000`;
  const back = (text: string): string =>
    text.replace(/\uE000(\d+)\uE000/g, (_, n: string) => kept[Number(n)] ?? '');
  const masked = claim.replaceAll('\uE000', '').replace(quoted, keep).replace(anyStamp, keep);
  return masked
    .replace(/[.\s]+$/, '')
    .split(parting)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part): Clause => {
      const match = order.exec(part);
      const right = match?.[2] ?? '';
      if (match === null || lasting.test(right)) return { text: back(part), order: null };
      const left = part.slice(0, match.index);
      const span = by.exec(left);
      return {
        text: back(span === null ? left : left.slice(0, span.index)),
        order: {
          kind: /before|prior|ahead/i.test(match[1]!) ? 'before' : 'after',
          other: back(right),
          by: span?.[0] ?? null,
        },
      };
    });
}
