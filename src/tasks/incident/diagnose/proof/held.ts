/** What every record of evidence has, whatever it is a record of. */
import { wordsOf } from '../../brief/words.ts';
import { type Quantity, quantitiesIn } from './quantities.ts';

export interface Held {
  readonly text: string;
  readonly lower: string;
  readonly words: ReadonlySet<string>;
  readonly quantities: readonly Quantity[];
  /** ISO 8601, or a time of day. */
  readonly times: readonly string[];
}

export const anyStamp =
  /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?Z?)?|(?<![\d:])\d{1,2}:\d{2}(?::\d{2})?(?![\d:])/g;
const longHash = /\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{10,64}\b/gi;

export function heldOf(text: string): Held {
  const bare = text.replace(anyStamp, ' ').replace(longHash, ' ');
  return {
    text,
    lower: text.toLowerCase(),
    words: new Set(wordsOf(text)),
    quantities: quantitiesIn(bare),
    times: text.match(anyStamp) ?? [],
  };
}
