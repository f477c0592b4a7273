/**
 * Shows a claim that a value was changed, by a diff: `Bump the pier from 4 to 5` for a line that was removed and one
 * that was added in its place, which differ in that value alone.
 */
import type { Source } from './source.ts';
import { isIdle, type Word, wordsIn } from './words.ts';

const value = '["\'`]?(?<VALUE>v?\\d[\\p{L}\\p{N}._-]*%?)["\'`]?';
const valueForm = (name: string): string => value.replace('VALUE', name);
const placeForm = (name: string): string =>
  `(?:\\s+in\\s+[\`"]?(?<${name}>[\\p{L}\\p{N}_./-]*\\.\\p{L}+)[\`"]?)?`;
const forms: readonly RegExp[] = [
  new RegExp(
    `^(?<verb>bump|update|upgrade|set|raise|lower|increase|decrease|reduce|change|switch|pin)(?:p?e?[sd]|ped)?\\s+(?<what>[^,;:]+?)\\s+(?:from\\s+${valueForm('from')}\\s+)?to\\s+(?:version\\s+)?${valueForm('to')}${placeForm('path')}[.\\s]*$`,
    'iu',
  ),
  new RegExp(
    `^(?<what>[^,;:]+?)${placeForm('path2')}\\s+(?:(?:is|was|has been|now)\\s+)*(?<verb>goes|went|moves|moved|bumped|updated|upgraded|set|raised|lowered|increased|decreased|reduced|changes|changed|switched|pinned)\\s+(?:from\\s+${valueForm('from')}\\s+)?to\\s+(?:version\\s+)?${valueForm('to')}${placeForm('path')}[.\\s]*$`,
    'iu',
  ),
];
const rising = /^(?:bump|upgrade|raise|increase)/i;
const falling = /^(?:lower|decrease|reduce)/i;

/** Words that a changed line need not contain. */
const unsaid = new Set(['version', 'requirement', 'value', 'now', 'to', 'number']);
/** Signs for a bound: the words that say which. */
const bounds: readonly (readonly [sign: RegExp, words: readonly string[]])[] = [
  [/>=?/, ['min', 'minimum', 'least']],
  [/(?<![-=])<=?/, ['max', 'maximum', 'most']],
];

interface Change {
  readonly from: string;
  readonly to: string;
  readonly line: string;
  readonly path: string;
}

export function isShownChange(text: string, source: Source): boolean {
  const said = forms.map((form) => form.exec(text.trim())?.groups).find((groups) => groups !== undefined);
  if (said === undefined) return false;
  const { verb = '', what = '', from, to = '', path = said['path2'] } = said;
  const words = wordsIn(what).filter((word) => !isIdle(word.text) && !unsaid.has(word.text.toLowerCase()));
  const about = changesIn(source).filter(({ line }) => isOf(line, words, what));
  const [one] = about;
  if (one === undefined || about.some((other) => other.to !== one.to || other.from !== one.from))
    return false;
  // A line of that name with another value: the claim may be about that.
  const lines = source.segments.filter((segment) => !/^-|^\+\+\+ |^diff |^@@/.test(segment.text));
  const isOther = (line: string): boolean => /\d/.test(line) && !line.includes(one.to);
  if (lines.some((segment) => isOther(segment.text) && isOf(segment.text, words, what))) return false;
  if (path !== undefined && one.path !== path && !one.path.endsWith(`/${path}`)) return false;
  if (bare(one.to) !== bare(to) || (from !== undefined && bare(one.from) !== bare(from))) return false;
  const order = compare(one.from, one.to);
  return rising.test(verb) ? order < 0 : falling.test(verb) ? order > 0 : true;
}

const bare = (text: string): string => text.replace(/^v(?=\d)|[.%]+$/gi, '').toLowerCase();

const numbersIn = (text: string): readonly number[] => (text.match(/\d+/g) ?? []).map(Number);

/** Below 0 if the first is the lower number or release. */
function compare(a: string, b: string): number {
  const [own, other] = [numbersIn(a), numbersIn(b)];
  for (let at = 0; at < Math.max(own.length, other.length); at += 1) {
    const less = (own[at] ?? 0) - (other[at] ?? 0);
    if (less !== 0) return less;
  }
  return 0;
}

/** Whether the changed line itself has the words, or a sign for them. */
function isOf(line: string, words: readonly Word[], what: string): boolean {
  const bases = new Set(wordsIn(line).map(({ base }) => base));
  const signed = bounds.flatMap(([sign, said]) => (sign.test(line) ? said : []));
  const isHeld = ({ base, text }: Word): boolean => bases.has(base) || signed.includes(text.toLowerCase());
  // `the version` is about a line that is named so.
  return words.length > 0 ? words.every(isHeld) : wordsIn(what).some(({ base }) => bases.has(base));
}

/** The values that a diff changes: a removed line and the added one in its place that differ in one value alone. */
function changesIn({ segments, paths }: Source): readonly Change[] {
  const found: Change[] = [];
  let removed: string[] = [];
  let added = 0;
  let file = '';
  let of = -1;
  for (const { text, source } of segments) {
    if (source !== of) [removed, added, file, of] = [[], 0, paths[source] ?? '', source];
    const named = /^\+\+\+ (?:b\/)?(\S+)/.exec(text)?.[1];
    if (named !== undefined) file = named;
    if (named !== undefined || /^---\s/.test(text)) [removed, added] = [[], 0];
    else if (text.startsWith('-')) {
      if (added > 0) [removed, added] = [[], 0];
      removed.push(text.slice(1));
    } else if (text.startsWith('+')) {
      const before = removed[added];
      added += 1;
      const change = before === undefined ? null : differenceOf(before, text.slice(1));
      if (change !== null) found.push({ ...change, line: text.slice(1), path: file });
    } else [removed, added] = [[], 0];
  }
  return found;
}

function differenceOf(before: string, after: string): Pick<Change, 'from' | 'to'> | null {
  const tokens = (line: string): readonly string[] => line.match(/[\p{L}\p{N}_.]+|[^\s]/gu) ?? [];
  const [a, b] = [tokens(before), tokens(after)];
  if (a.length !== b.length) return null;
  const other = [...a.keys()].filter((at) => a[at] !== b[at]);
  const [at] = other;
  return other.length === 1 && /\d/.test(a[at!]!) && /\d/.test(b[at!]!)
    ? { from: a[at!]!, to: b[at!]! }
    : null;
}
