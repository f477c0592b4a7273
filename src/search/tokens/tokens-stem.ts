/**
 * Stemmers for lower-case ASCII words. Each takes a word at `bytes[start, start + length)`, may rewrite its end in place,
 * and returns the new length. They work on bytes since they are called for every distinct word of a tree.
 */

/**
 * `none`: words as they are. `plural`: plural to singular only. `light`: also -ing and -ed.
 * `porter`: the algorithm of M. F. Porter, "An algorithm for suffix stripping" (1980), all five steps.
 */
export const stemmings = ['none', 'plural', 'light', 'porter'] as const;
export type Stemming = (typeof stemmings)[number];

export type Stem = (bytes: Uint8Array, start: number, length: number) => number;

const charCode = (char: string): number => char.charCodeAt(0);
const [A, C, E, H] = [charCode('a'), charCode('c'), charCode('e'), charCode('h')];
const [I, L, O, S, U] = [charCode('i'), charCode('l'), charCode('o'), charCode('s'), charCode('u')];
const [W, X, Y, Z] = [charCode('w'), charCode('x'), charCode('y'), charCode('z')];

function endsWith(bytes: Uint8Array, start: number, length: number, suffix: string): boolean {
  const from = start + length - suffix.length;
  if (from <= start) return false;
  for (let i = 0; i < suffix.length; i++) if (bytes[from + i] !== suffix.charCodeAt(i)) return false;
  return true;
}

function isPlainVowel(byte: number): boolean {
  return byte === A || byte === E || byte === I || byte === O || byte === U;
}

function stemPlural(bytes: Uint8Array, start: number, length: number): number {
  const end = start + length;
  if (length < 4 || bytes[end - 1] !== S) return length;
  const before = bytes[end - 2]!;
  if (before === S || before === U || before === I) return length;
  if (before !== E) return length - 1;
  const third = bytes[end - 3]!;
  if (third === I) {
    if (length === 4) return length - 1;
    bytes[end - 3] = Y;
    return length - 2;
  }
  const fourth = bytes[end - 4]!;
  const sibilant =
    third === X ||
    third === Z ||
    (third === S && fourth === S) ||
    (third === H && (fourth === C || fourth === S));
  return sibilant ? length - 2 : length - 1;
}

/** After -ing or -ed: "stopp" to "stop", "creat" to "create". */
function repairStem(bytes: Uint8Array, start: number, length: number): number {
  const end = start + length;
  const last = bytes[end - 1]!;
  const previous = bytes[end - 2]!;
  if (last === previous && !isPlainVowel(last))
    return last === L || last === S || last === Z ? length : length - 1;
  const silent =
    endsWith(bytes, start, length, 'at') ||
    endsWith(bytes, start, length, 'iz') ||
    endsWith(bytes, start, length, 'bl');
  if (length > 3 && silent) {
    bytes[end] = E;
    return length + 1;
  }
  return length;
}

function stemLight(bytes: Uint8Array, start: number, length: number): number {
  const single = stemPlural(bytes, start, length);
  const cut = endsWith(bytes, start, single, 'ing') ? 3 : endsWith(bytes, start, single, 'ed') ? 2 : 0;
  if (cut === 0 || single - cut < 3) return single;
  for (let i = start; i < start + single - cut; i++) {
    if (isPlainVowel(bytes[i]!) || bytes[i] === Y) return repairStem(bytes, start, single - cut);
  }
  return single;
}

/** Porter's consonant test: y is a consonant at the start and after a vowel. */
function isConsonant(bytes: Uint8Array, start: number, at: number): boolean {
  const byte = bytes[at]!;
  if (byte === Y) return at === start || !isConsonant(bytes, start, at - 1);
  return !isPlainVowel(byte);
}

/** Porter's m: the number of runs of vowels that are followed by a consonant. */
function countVowelRuns(bytes: Uint8Array, start: number, length: number): number {
  let m = 0;
  let inVowels = false;
  for (let i = start; i < start + length; i++) {
    const consonant = isConsonant(bytes, start, i);
    if (consonant && inVowels) m++;
    inVowels = !consonant;
  }
  return m;
}

function hasVowel(bytes: Uint8Array, start: number, length: number): boolean {
  for (let i = start; i < start + length; i++) if (!isConsonant(bytes, start, i)) return true;
  return false;
}

function endsDouble(bytes: Uint8Array, start: number, length: number): boolean {
  const end = start + length;
  return length > 1 && bytes[end - 1] === bytes[end - 2] && isConsonant(bytes, start, end - 1);
}

/** Porter's *o: consonant, vowel, consonant, the last not w, x or y. */
function endsShort(bytes: Uint8Array, start: number, length: number): boolean {
  if (length < 3) return false;
  const end = start + length;
  const last = bytes[end - 1]!;
  return (
    isConsonant(bytes, start, end - 1) &&
    !isConsonant(bytes, start, end - 2) &&
    isConsonant(bytes, start, end - 3) &&
    last !== W &&
    last !== X &&
    last !== Y
  );
}

type Rule = readonly [suffix: string, replacement: string];

const step2: readonly Rule[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
];
const step3: readonly Rule[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];
const step4: readonly Rule[] = [
  'al',
  'ance',
  'ence',
  'er',
  'ic',
  'able',
  'ible',
  'ant',
  'ement',
  'ment',
  'ent',
  'sion',
  'tion',
  'ou',
  'ism',
  'ate',
  'iti',
  'ous',
  'ive',
  'ize',
].map((suffix) => [suffix, suffix.endsWith('ion') ? suffix.slice(0, 1) : '']);

/** Applies the first rule whose suffix matches. If its condition fails, no other rule is tried. */
function applyRules(
  bytes: Uint8Array,
  start: number,
  length: number,
  rules: readonly Rule[],
  above: number,
): number {
  for (const [suffix, replacement] of rules) {
    if (!endsWith(bytes, start, length, suffix)) continue;
    const stem = length - suffix.length;
    if (countVowelRuns(bytes, start, stem + (suffix.endsWith('ion') && above > 0 ? 1 : 0)) <= above)
      return length;
    for (let i = 0; i < replacement.length; i++) bytes[start + stem + i] = replacement.charCodeAt(i);
    return stem + replacement.length;
  }
  return length;
}

function step1(bytes: Uint8Array, start: number, length: number): number {
  let n = length;
  if (endsWith(bytes, start, n, 'sses') || endsWith(bytes, start, n, 'ies')) n -= 2;
  else if (bytes[start + n - 1] === S && bytes[start + n - 2] !== S) n -= 1;

  if (endsWith(bytes, start, n, 'eed')) {
    if (countVowelRuns(bytes, start, n - 3) > 0) n -= 1;
  } else {
    const cut = endsWith(bytes, start, n, 'ed') ? 2 : endsWith(bytes, start, n, 'ing') ? 3 : 0;
    if (cut > 0 && hasVowel(bytes, start, n - cut)) {
      n -= cut;
      const last = bytes[start + n - 1]!;
      const silent =
        endsWith(bytes, start, n, 'at') || endsWith(bytes, start, n, 'bl') || endsWith(bytes, start, n, 'iz');
      if (!silent && endsDouble(bytes, start, n) && last !== L && last !== S && last !== Z) n -= 1;
      else if (silent || (countVowelRuns(bytes, start, n) === 1 && endsShort(bytes, start, n)))
        bytes[start + n++] = E;
    }
  }
  if (bytes[start + n - 1] === Y && hasVowel(bytes, start, n - 1)) bytes[start + n - 1] = I;
  return n;
}

function stemPorter(bytes: Uint8Array, start: number, length: number): number {
  if (length < 3) return length;
  let n = step1(bytes, start, length);
  n = applyRules(bytes, start, n, step2, 0);
  n = applyRules(bytes, start, n, step3, 0);
  n = applyRules(bytes, start, n, step4, 1);
  if (bytes[start + n - 1] === E) {
    const m = countVowelRuns(bytes, start, n - 1);
    if (m > 1 || (m === 1 && !endsShort(bytes, start, n - 1))) n -= 1;
  }
  if (bytes[start + n - 1] === L && endsDouble(bytes, start, n) && countVowelRuns(bytes, start, n) > 1)
    n -= 1;
  return n;
}

const stems: Readonly<Record<Stemming, Stem>> = {
  none: (_bytes, _start, length) => length,
  plural: stemPlural,
  light: stemLight,
  porter: stemPorter,
};

export function getStemmer(stemming: Stemming): Stem {
  return stems[stemming];
}
