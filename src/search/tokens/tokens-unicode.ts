/** Splits text that is not ASCII. Works on strings instead of bytes, since such text is rare in code. */

const wordPattern = /[\p{L}\p{N}\p{M}_$]+/gu;
/** Scripts written without spaces, or with long agglutinated words: indexed by pairs of characters. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]+/gu;
const marks = /\p{M}+/gu;
const asciiOnly = /^[\x20-\x7e]*$/;
/** A change from lower to upper case within a Unicode identifier. */
const camelBoundary = /(?<=\p{Ll})(?=\p{Lu})/u;
const maxWordLength = 64;

/** Converts to lower case, unifies compatibility forms and drops accents: "Café" becomes "cafe". */
function fold(word: string): string {
  return word.normalize('NFKD').replace(marks, '').normalize('NFC').toLowerCase();
}

function emitBigrams(run: string, emit: (term: string) => void): void {
  const characters = [...run.normalize('NFKC').toLowerCase()];
  if (characters.length === 1) emit(characters[0]!);
  for (let i = 0; i + 1 < characters.length; i++) emit(characters[i]! + characters[i + 1]!);
}

function emitSpacedWord(word: string, emit: (term: string) => void, emitAscii: (word: string) => void): void {
  if (asciiOnly.test(word)) {
    emitAscii(word);
    return;
  }
  const whole = fold(word);
  if (whole.length > 1 && whole.length <= maxWordLength) emit(whole);
  const parts = word.split(camelBoundary);
  if (parts.length > 1) for (const part of parts) if (part.length > 1) emit(fold(part));
}

/**
 * Splits a text: `emit` gets each term that is not ASCII, `emitAscii` each ASCII word, which the caller splits like an
 * identifier.
 */
export function splitUnicode(
  text: string,
  emit: (term: string) => void,
  emitAscii: (word: string) => void,
): void {
  for (const [word] of text.matchAll(wordPattern)) {
    let from = 0;
    for (const run of word.matchAll(unspaced)) {
      if (run.index > from) emitSpacedWord(word.slice(from, run.index), emit, emitAscii);
      emitBigrams(run[0], emit);
      from = run.index + run[0].length;
    }
    if (from < word.length) emitSpacedWord(word.slice(from), emit, emitAscii);
  }
}
