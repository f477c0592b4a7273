/** What of a claim can be checked: its quotes, times, hashes, names, identifiers, numbers; and its words. */
import { anyStamp } from './held.ts';
import { type Quantity, quantitiesIn } from './quantities.ts';
import { assertingWords } from './vocabulary.ts';

export interface Atoms {
  readonly quotes: readonly string[];
  readonly times: readonly string[];
  readonly hashes: readonly string[];
  /** Names of the run: services, metrics, flags, deploys. */
  readonly names: readonly string[];
  /** What looks like a name of code: with an underscore, a dot, a slash, or capitals within. */
  readonly ids: readonly string[];
  readonly quantities: readonly Quantity[];
  readonly words: readonly string[];
  /** The clause with its quotes blanked out, of the same length: what it says in its own words. */
  readonly spoken: string;
  /** The clause with its quotes, times, hashes, names and identifiers blanked out, of the same length. */
  readonly bare: string;
}

export const quoted = /"([^"]{1,400})"|“([^”]{1,400})”|`([^`]{1,400})`|(?<![\w'’])'([^']{3,200})'(?!\w)/g;
const hash = /\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b/gi;
/** A call with what it is given. */
const call = /(?<!\w)[A-Za-z][\w.]*\((?!s\))[^()]{0,60}\)/g;
const id =
  /(?<![\w])(?:[A-Za-z][\w-]*(?:(?:::|[./:_@])[\w*{}$-]+)+(?:\(\))?|[A-Za-z]+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\w+\(\))/g;

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();
const blank = (text: string): string => ' '.repeat(text.length);
/** For a pattern that is to find it as it stands there. */
export const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** `names` in lower case. */
export function atomsOf(clause: string, names: ReadonlySet<string>): Atoms {
  let bare = clause;
  const take = (shape: RegExp): readonly string[] => {
    const found = [...bare.matchAll(shape)].map((match) =>
      flat(match.slice(1).find((group) => group !== undefined) ?? match[0]),
    );
    bare = bare.replace(shape, blank);
    return found;
  };
  const quotes = take(quoted);
  const spoken = bare;
  const times = take(anyStamp);
  const hashes = take(hash);
  const known = [...names]
    .filter((name) => name.length > 1 && bare.toLowerCase().includes(name))
    .sort((a, b) => b.length - a.length)
    .flatMap((name) =>
      take(isTelling(name) ? nameShape(name) : new RegExp(`${whose}${nameShape(name).source}`, 'gi')).map(
        (one) => one.toLowerCase(),
      ),
    );
  const calls = take(call);
  // `15 * time.Minute` is a number with its unit, and no name.
  const quantities = quantitiesIn(bare);
  for (const { at, end } of quantities) bare = bare.slice(0, at) + ' '.repeat(end - at) + bare.slice(end);
  const ids = [...calls, ...take(id)].map((one) => one.replace(/\(\)$/, ''));
  for (const { at, text } of quantities) bare = bare.slice(0, at) + text + bare.slice(at + text.length);
  return {
    quotes,
    times,
    hashes,
    names: [...new Set(known)],
    ids: [...new Set(ids)],
    quantities,
    words: assertingWords(bare),
    spoken,
    bare,
  };
}

/** A metric may be called `up`, a service `reports`: such a word is a name only where it says whose something is. */
const isTelling = (name: string): boolean => /[\d_.:-]/.test(name) || assertingWords(name).length > 0;
const whose = '(?<=\\b(?:of|to|on|by|for)\\s)';

const nameShape = (name: string): RegExp => new RegExp(`(?<![\\w-])${escaped(name)}(?![\\w-])`, 'gi');

/** Whether a text names it as a whole: `feed` does not stand in `feed-db`. */
export const namesIt = (lower: string, name: string): boolean =>
  lower.includes(name) && nameShape(name).test(lower);

/** Whether there is anything that code can look for. */
export const isEmpty = ({ quotes, times, hashes, names, ids, quantities, words }: Atoms): boolean =>
  quotes.length +
    times.length +
    hashes.length +
    names.length +
    ids.length +
    quantities.length +
    words.length ===
  0;
