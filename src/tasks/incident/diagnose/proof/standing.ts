/** What every record is asked first, and last: do the names stand there, and the words. */
import { type Atoms, namesIt } from './atoms.ts';
import { type Missing, missing } from './shown.ts';
import { eventOf, isAmong } from './vocabulary.ts';

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase();

/** Names, identifiers, hashes and quotes: all must stand in it. */
export function standing(
  { names, ids, hashes, quotes }: Atoms,
  { lower }: { readonly lower: string },
  inherited: readonly string[],
): Missing | null {
  const line = flat(lower);
  const gone =
    [...names, ...inherited].find((name) => !namesIt(lower, name)) ??
    [...ids, ...hashes].find((one) => !lower.includes(one.toLowerCase())) ??
    quotes.find((one) => !line.includes(flat(one)));
  return gone === undefined
    ? null
    : missing(0, `"${gone.slice(0, 80)}" does not stand there together with the rest`);
}

/** Events must be told there; of the other words that assert something, half. */
export function wordsShown({ words }: Atoms, lower: string, held: ReadonlySet<string>): Missing | null {
  const untold = words.find((word) => {
    const shows = eventOf(word);
    return shows !== null && !shows.test(lower);
  });
  if (untold !== undefined) return missing(7, `that something "${untold}" does not stand there`);
  const gone = words.filter((word) => eventOf(word) === null && !isAmong(word, held));
  return gone.length * 2 > words.length
    ? missing(
        7,
        `${gone
          .slice(0, 3)
          .map((word) => `"${word}"`)
          .join(', ')} ${gone.length === 1 ? 'does' : 'do'} not stand there`,
      )
    : null;
}
