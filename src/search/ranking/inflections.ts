import { getStemmer } from '../tokens/tokens-stem.ts';

/**
 * The forms of an English word that may occur in an index without stemming. Candidates are formed from the stem, and
 * kept if Porter's algorithm maps them back to it. So identifiers match exactly, and words match in all their forms.
 * Each form takes one look-up in the index.
 */

const suffixes = (
  's es ed d ing er ers r rs or ors ion ions ation ations ment ments able ive al ly ally ity ness ful ance ence ant ' +
  'ent ic ical ize ized izing izes izer ization ate ated ates ating ator y ies ied ying ier'
).split(' ');
const porter = getStemmer('porter');
const letterBuffer = new Uint8Array(128);
const maxWordLength = 40;
const plainWord = /^[a-z]{3,40}$/;

/** The Porter stem of a lower-case word. A word with other characters than a to z is returned unchanged. */
export function stemWord(word: string): string {
  if (!plainWord.test(word)) return word;
  for (let i = 0; i < word.length; i++) letterBuffer[i] = word.charCodeAt(i);
  return String.fromCharCode(...letterBuffer.subarray(0, porter(letterBuffer, 0, word.length)));
}

/** Maximum number of words whose forms are cached. */
const maxCachedWords = 4_096;
const cachedForms = new Map<string, readonly string[]>();

/** Other forms of a lower-case word; none if it is not a plain English word. */
export function listInflections(word: string): readonly string[] {
  let forms = cachedForms.get(word);
  if (forms === undefined) {
    forms = plainWord.test(word) ? deriveForms(word) : [];
    if (cachedForms.size >= maxCachedWords) cachedForms.clear();
    cachedForms.set(word, forms);
  }
  return forms;
}

function deriveForms(word: string): readonly string[] {
  const stem = stemWord(word);
  const bases = new Set([stem, `${stem}e`, word]);
  if (stem.endsWith('i')) bases.add(stem.slice(0, -1));
  else if (/[^aeiou]$/.test(stem)) bases.add(stem + stem.at(-1));
  const forms = new Set<string>(bases);
  for (const base of bases) {
    for (const suffix of suffixes) {
      if (base.endsWith('e') && /^[eiao]/.test(suffix)) continue;
      if (base.length + suffix.length <= maxWordLength) forms.add(base + suffix);
    }
  }
  forms.delete(word);
  return [...forms].filter((form) => form.length >= 3 && stemWord(form) === stem);
}
