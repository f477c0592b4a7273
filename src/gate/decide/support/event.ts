/**
 * Whether lines of code do what a part of a claim says is done. A line that has the words around a verb, but not the
 * verb, may do anything with them: `readCache(dir)` does not say that the directory is deleted.
 */

import type { Reading } from '../../claim/reading.ts';
import { getLastPart } from '../../claim/terms.ts';
import type { Source } from '../../lines/source.ts';
import { isLight, splitWords, toComparable } from '../../words/words.ts';
import { actingVerb, containsClaimWord, doesVerb, parseAction } from './action.ts';

/** `all`: one line contains every word. `verb`: it has the verb, and at least half of the other known words. */
export type EventSupport = 'all' | 'verb' | null;

export function findEventSupport(event: string, lines: readonly number[], source: Source): EventSupport {
  const action = parseAction(event);
  const { verb, words } = action;
  const contentWords = words.filter(
    ({ text }) =>
      text.length > 1 && /\p{L}/u.test(text) && (text === verb || actingVerb.test(text) || !isLight(text)),
  );
  if (contentWords.length === 0) return null;
  const others = contentWords.filter(({ text }) => text !== verb);
  // A word that no line contains may be a synonym.
  const knownWords = others.filter(({ base }) => source.segments.some(({ bases }) => bases.has(base)));
  let support: EventSupport = null;
  for (const at of lines) {
    const segment = source.segments[at]!;
    if (verb !== null && !doesVerb(action, segment)) continue;
    const heldWords = others.filter((word) => containsClaimWord(word, segment, words));
    if (heldWords.length === others.length) return 'all';
    if (
      verb !== null &&
      knownWords.filter((word) => heldWords.includes(word)).length * 2 >= knownWords.length
    )
      support = 'verb';
  }
  return support;
}

/**
 * Whether a line does what the claim says. The name of a function does not show what its lines do: `// Keep two rows`
 * in `flushRows`.
 */
export function doesAction(text: string, at: number, { segments }: Source): boolean {
  const action = parseAction(text);
  return action.verb === null || action.subject === '' || doesVerb(action, segments[at]!);
}

/**
 * Whether the lines have the verb of the claim only as a part of a name that the claim names: `flushRows flushes two
 * rows`.
 */
export function isVerbOnlyInName(
  { text, terms, figures }: Reading,
  lines: readonly number[],
  { segments }: Source,
): boolean {
  const { verb } = parseAction(text);
  const base = toComparable(verb ?? '');
  const names = terms.filter(
    ({ kind, text: name }) => kind === 'name' && splitWords(name).some((part) => part.base === base),
  );
  if (verb === null || figures.length === 0 || names.length === 0) return false;
  return !lines.some((at) => {
    const bare = names.reduce(
      (line, { text: name }) => line.replaceAll(getLastPart(name), ' '),
      segments[at]!.text,
    );
    return splitWords(bare).some((word) => word.base === base);
  });
}

/**
 * Whether a sentence of the lines says that the subject of the claim does something else, and has the verb of the claim
 * in another form: that `addCrate` hauls the crates is not said by `addCrate adds a crate to be hauled`.
 */
export function doesSomethingElse(
  { text }: Reading,
  lines: readonly number[],
  { segments }: Source,
): boolean {
  const { verb: said, subject } = parseAction(text);
  const name = /^\s*`?(?<name>[\p{L}_$][\p{L}\p{N}_$.#]*)/u.exec(subject)?.groups?.['name'];
  if (name === undefined || said?.endsWith('s') !== true) return false;
  const verb = new RegExp(`^\\W*${RegExp.escape(getLastPart(name))}\\W{1,3}(?<verb>\\p{Ll}+s)\\b`, 'u');
  const base = toComparable(said);
  return lines.some((at) => {
    const { isCode, text: line, words } = segments[at]!;
    const subjectVerb = isCode ? undefined : verb.exec(line)?.groups?.['verb'];
    return (
      subjectVerb !== undefined &&
      toComparable(subjectVerb) !== base &&
      words.some((word) => word.base === base) &&
      !words.some((word) => word.base === base && word.text.endsWith('s'))
    );
  });
}
