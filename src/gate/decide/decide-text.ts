/** Decides whether the cited lines contain a block of code or a block quote. */

import type { ClaimVerdict } from '../gate.ts';
import { findTerm } from '../lines/find-term.ts';
import type { Source } from '../lines/source.ts';

export interface Decision {
  readonly verdict: Extract<ClaimVerdict, 'shown' | 'unclear' | 'contradicted' | 'not shown'>;
  readonly why?: string;
}

/**
 * The lines must contain the whole block in order, except where it marks an omission with an ellipsis.
 */
export function decideText(text: string, kind: 'code' | 'quote', source: Source): Decision {
  const lines = text.split('\n');
  const body =
    kind === 'code'
      ? lines.filter((line) => !/^\s*(?:`{3,}|~{3,})/.test(line))
      : lines.map((line) => line.replace(/^\s*>\s?/, '')).filter((line) => !/^\s*[\u2014\u2013]/.test(line));
  const whole = body
    .map((line) => (/^\s*(?:#|\/\/|--|;|\*)?\s*(?:\.{3}|\u2026)\s*$/.test(line) ? '\u2026' : line))
    .join('\n')
    .trim();
  if (whole === '') return { verdict: 'unclear', why: 'It is empty.' };
  const found = findTerm(
    { kind: kind === 'code' ? 'code' : 'quote', text: whole, start: 0, end: whole.length, mustMatch: true },
    source,
  );
  if (found?.how === 'exact' || (found?.how === 'loose' && /\u2026|\.{3}/.test(whole)))
    return { verdict: 'shown' };
  return found === null
    ? { verdict: 'not shown', why: 'The cited lines do not hold this text.' }
    : { verdict: 'unclear', why: 'The cited lines hold its words, and not this text.' };
}
