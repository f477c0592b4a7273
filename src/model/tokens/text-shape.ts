/**
 * Counts the bytes of a text by kind. With the same tokenizer, texts with the same shares of each kind take about the
 * same number of tokens per byte.
 */

/** Bytes of each kind. Kinds from `firstScriptKind` on are characters beyond ASCII, by their script. */
export type ByteCounts = ReadonlyMap<number, number>;

const kinds = {
  /** The first letter of a word, or of a capitalised part of a name. */
  firstLetter: 0,
  letter: 1,
  /** A letter after the seventh of a word: long words and other languages have many. */
  lateLetter: 2,
  /** Characters outside of words: hexadecimal, base64, generated identifiers. */
  oddLetter: 3,
  firstDigit: 4,
  digit: 5,
  oddDigit: 6,
  mark: 7,
  /** The same mark once more, as in a ruled line. */
  markAgain: 8,
  space: 9,
  spaceAgain: 10,
  newline: 11,
  control: 12,
} as const;
const firstScriptKind = 32;

/** Which letters commonly follow which in English and in code, one word for each letter from a to z. */
const followersByLetter = (
  'bcdfgiklmnprstuvwxy aeijloruy acehiklortuy abdegiorsuy acdefgilmnopqrstvwxy aefilortu aehinorstu aeiorstu ' +
  'abcdefglmnoprstvz eos einps adeilostuy abdeimops acdefgiklnopstuvy abcdefgiklmnoprstuvwx aehiloprstuy u ' +
  'acdefgiklmnorstuvy acehiklopstuwy acdehiloprstuwy abcdeilmnprst aeio aehinors ept npst e'
).split(' ');
const commonPairs = new Uint8Array(26 * 26);
for (const [first, followers] of followersByLetter.entries())
  for (const follower of followers) commonPairs[first * 26 + follower.charCodeAt(0) - 97] = 1;

export function shapeOf(text: string): ByteCounts {
  const shape = new Map<number, number>();
  let previousCode = -1;
  for (let index = 0; index < text.length; ) {
    const code = text.charCodeAt(index);
    if (isLetter(code) || isDigit(code)) {
      const end = findRunEnd(text, index);
      addRun(shape, text, index, end);
      index = end;
    } else if (code < 128) {
      add(shape, markKind(code, previousCode), 1);
      index += 1;
    } else {
      const codePoint = text.codePointAt(index) ?? code;
      add(shape, scriptOf(codePoint), codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4);
      index += codePoint > 0xffff ? 2 : 1;
    }
    previousCode = code;
  }
  return shape;
}

function add(shape: Map<number, number>, kind: number, bytes: number): void {
  shape.set(kind, (shape.get(kind) ?? 0) + bytes);
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isUpper = (code: number): boolean => code >= 65 && code <= 90;
const isLetter = (code: number): boolean => isUpper(code) || (code >= 97 && code <= 122);

function findRunEnd(text: string, start: number): number {
  let end = start + 1;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (!isLetter(code) && !isDigit(code)) break;
  }
  return end;
}

/** Letters and digits without a break between them. */
function addRun(shape: Map<number, number>, text: string, start: number, end: number): void {
  const isOddRun = isOdd(text, start, end);
  let wordLength = 0;
  for (let index = start; index < end; index += 1) {
    const code = text.charCodeAt(index);
    const before = index > start ? text.charCodeAt(index - 1) : 0;
    if (isDigit(code))
      add(shape, isOddRun ? kinds.oddDigit : isDigit(before) ? kinds.digit : kinds.firstDigit, 1);
    else {
      const isFirst = !isLetter(before) || (isUpper(code) && !isUpper(before));
      wordLength = isFirst ? 1 : wordLength + 1;
      const kind = isFirst ? kinds.firstLetter : wordLength > 7 ? kinds.lateLetter : kinds.letter;
      add(shape, isOddRun ? kinds.oddLetter : kind, 1);
    }
  }
}

/**
 * Whether a run is neither a word nor a name: digits and letters alternate, letter pairs are uncommon, or capitals are
 * frequent.
 */
function isOdd(text: string, start: number, end: number): boolean {
  let alternations = 0;
  let letterPairs = 0;
  let rarePairs = 0;
  let capitalParts = 1;
  for (let index = start + 1; index < end; index += 1) {
    const a = text.charCodeAt(index - 1);
    const b = text.charCodeAt(index);
    if (isDigit(a) !== isDigit(b)) alternations += 1;
    if (isDigit(a) || isDigit(b)) continue;
    if (isUpper(b) && !isUpper(a)) capitalParts += 1;
    letterPairs += 1;
    if (commonPairs[((a | 32) - 97) * 26 + (b | 32) - 97] === 0) rarePairs += 1;
  }
  return (
    alternations >= 2 ||
    (letterPairs >= 3 && rarePairs * 4 > letterPairs) ||
    (end - start >= 12 && capitalParts * 3 > end - start)
  );
}

function markKind(code: number, previousCode: number): number {
  if (code === 10 || code === 13) return kinds.newline;
  if (code === 32 || code === 9)
    return previousCode === 32 || previousCode === 9 ? kinds.spaceAgain : kinds.space;
  if (code < 32 || code === 127) return kinds.control;
  return code === previousCode ? kinds.markAgain : kinds.mark;
}

/** Groups characters by Unicode ranges that mostly hold one script, so that each script is counted by itself. */
function scriptOf(codePoint: number): number {
  if (codePoint < 0x1000) return firstScriptKind + (codePoint >> 7);
  if (codePoint < 0x2000) return firstScriptKind + 0x40 + (codePoint >> 9);
  if (codePoint < 0x3000) return firstScriptKind + 0x80;
  if (codePoint < 0xac00) return firstScriptKind + 0x81;
  if (codePoint < 0xd800) return firstScriptKind + 0x82;
  if (codePoint < 0x10000) return firstScriptKind + 0x83;
  return codePoint >= 0x1f000 && codePoint < 0x20000 ? firstScriptKind + 0x84 : firstScriptKind + 0x85;
}
