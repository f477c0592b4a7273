/**
 * Counts the bytes of a text by kind. With the same tokenizer, texts with the same shares of each kind take about the
 * same number of tokens per byte.
 */

/** Bytes of each kind. Numbers from `scripts` on are those of characters beyond ASCII, by their script. */
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
const scripts = 32;

/** Which letters commonly follow which in English and in code, one word for each letter from a to z. */
const pairs = (
  'bcdfgiklmnprstuvwxy aeijloruy acehiklortuy abdegiorsuy acdefgilmnopqrstvwxy aefilortu aehinorstu aeiorstu ' +
  'abcdefglmnoprstvz eos einps adeilostuy abdeimops acdefgiklnopstuvy abcdefgiklmnoprstuvwx aehiloprstuy u ' +
  'acdefgiklmnorstuvy acehiklopstuwy acdehiloprstuwy abcdeilmnprst aeio aehinors ept npst e'
).split(' ');
const common = new Uint8Array(26 * 26);
for (const [first, followers] of pairs.entries())
  for (const follower of followers) common[first * 26 + follower.charCodeAt(0) - 97] = 1;

export function shapeOf(text: string): ByteCounts {
  const shape = new Map<number, number>();
  let last = -1;
  for (let index = 0; index < text.length; ) {
    const code = text.charCodeAt(index);
    if (isLetter(code) || isDigit(code)) {
      const end = findRunEnd(text, index);
      addRun(shape, text, index, end);
      index = end;
    } else if (code < 128) {
      add(shape, markKind(code, last), 1);
      index += 1;
    } else {
      const point = text.codePointAt(index) ?? code;
      add(shape, scriptOf(point), point < 0x800 ? 2 : point < 0x10000 ? 3 : 4);
      index += point > 0xffff ? 2 : 1;
    }
    last = code;
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
  const odd = isOdd(text, start, end);
  let wordLength = 0;
  for (let index = start; index < end; index += 1) {
    const code = text.charCodeAt(index);
    const before = index > start ? text.charCodeAt(index - 1) : 0;
    if (isDigit(code)) add(shape, odd ? kinds.oddDigit : isDigit(before) ? kinds.digit : kinds.firstDigit, 1);
    else {
      const begins = !isLetter(before) || (isUpper(code) && !isUpper(before));
      wordLength = begins ? 1 : wordLength + 1;
      const kind = begins ? kinds.firstLetter : wordLength > 7 ? kinds.lateLetter : kinds.letter;
      add(shape, odd ? kinds.oddLetter : kind, 1);
    }
  }
}

/**
 * Whether a run is neither a word nor a name: digits and letters alternate, letter pairs are uncommon, or capitals are
 * frequent.
 */
function isOdd(text: string, start: number, end: number): boolean {
  let turns = 0;
  let followed = 0;
  let rare = 0;
  let parts = 1;
  for (let index = start + 1; index < end; index += 1) {
    const a = text.charCodeAt(index - 1);
    const b = text.charCodeAt(index);
    if (isDigit(a) !== isDigit(b)) turns += 1;
    if (isDigit(a) || isDigit(b)) continue;
    if (isUpper(b) && !isUpper(a)) parts += 1;
    followed += 1;
    if (common[((a | 32) - 97) * 26 + (b | 32) - 97] === 0) rare += 1;
  }
  return (
    turns >= 2 || (followed >= 3 && rare * 4 > followed) || (end - start >= 12 && parts * 3 > end - start)
  );
}

function markKind(code: number, last: number): number {
  if (code === 10 || code === 13) return kinds.newline;
  if (code === 32 || code === 9) return last === 32 || last === 9 ? kinds.spaceAgain : kinds.space;
  if (code < 32 || code === 127) return kinds.control;
  return code === last ? kinds.markAgain : kinds.mark;
}

/** Groups characters by Unicode ranges that mostly hold one script, so that each script is counted by itself. */
function scriptOf(point: number): number {
  if (point < 0x1000) return scripts + (point >> 7);
  if (point < 0x2000) return scripts + 0x40 + (point >> 9);
  if (point < 0x3000) return scripts + 0x80;
  if (point < 0xac00) return scripts + 0x81;
  if (point < 0xd800) return scripts + 0x82;
  if (point < 0x10000) return scripts + 0x83;
  return point >= 0x1f000 && point < 0x20000 ? scripts + 0x84 : scripts + 0x85;
}
