/** Checks changes that a claim states: from one value to another, up or down, more or less than before. */
import { type Figure, findFigures } from '../../claim/figures.ts';
import { matchFigure } from '../../claim/match-figure.ts';
import type { Reading } from '../../claim/reading.ts';
import type { Segment, Source } from '../../lines/source.ts';
import { isIdle, splitWords, type Word } from '../../words/words.ts';

const upWord =
  /\b(?:up|rose|rises?|risen|rising|grew|grows?|grown|increase[sd]?|increasing|climb\w*|jump\w*|raised?|raises|aged|gain\w*|bumped|upgraded?)\b/i;
const downWord =
  /\b(?:down|fell|falls?|fallen|falling|drop\w*|decrease[sd]?|decreasing|decline[sd]?|shrank|shrunk|lowered|lowers|reduced?|reduces|cut|downgraded?)\b/i;

/** A change from one figure or version to another. */
interface Change {
  readonly from: string;
  readonly to: string;
  readonly before: string;
  readonly between: string;
  /** Both values with units, since 300 ms is less than 1 s. */
  readonly values: readonly [Figure | undefined, Figure | undefined];
}

const changeForm =
  /\bfrom\s+(?:about\s+|around\s+|roughly\s+|some\s+)?["'`]?(?<from>v?\d[\d.,_]*\d|\d)["'`]?(?:\s?(?<unit>[\p{L}µ%]+))?(?<between>(?:\s+(?:over|via|through)\s+[\d.,]+)?\s+(?:back\s+|down\s+|up\s+)?(?:and\s+)?to)\s+(?:about\s+|around\s+|roughly\s+)?["'`]?(?<to>v?\d[\d.,_]*\d|\d)["'`]?(?:\s?(?<unit2>[\p{L}µ%]+))?/giu;

function findChanges(text: string): readonly Change[] {
  return [...text.matchAll(changeForm)].map((match) => ({
    from: match.groups!['from']!,
    to: match.groups!['to']!,
    before: text
      .slice(Math.max(0, match.index - 60), match.index)
      .split(/[.;]\s/)
      .at(-1)!,
    between: match.groups!['between']!,
    values: [
      findFigures(`${match.groups!['from']!} ${match.groups!['unit'] ?? ''}`)[0],
      findFigures(`${match.groups!['to']!} ${match.groups!['unit2'] ?? ''}`)[0],
    ],
  }));
}

export function findReversedChange(reading: Reading, source: Source): string | null {
  for (const change of findChanges(reading.text)) {
    const { from, to } = change;
    const why =
      findWrongDirection(change) ??
      (isReversed(change, source) ? `the lines have it from ${to} to ${from}` : null);
    if (why !== null) return why;
  }
  return findWrongSign(reading, source);
}

/** The reason why a change goes the wrong way, as in `rose from 9 to 4`. */
function findWrongDirection({ from, to, before, between, values: [one, other] }: Change): string | null {
  if (one === undefined || other === undefined) return null;
  // `from 3 to 9 ms`: the first has the unit too.
  const isSameUnit = one.dimension === other.dimension || one.dimension === null;
  const [first, last] = one.dimension === null ? [one.number, other.number] : [one.value, other.value];
  if (!isSameUnit || first === last) return null;
  const said = `${before} ${between}`;
  const [isUp, isDown] = [upWord.test(said), downWord.test(said)];
  if (isUp && !isDown && first > last) return `from ${from} to ${to} is no rise`;
  if (isDown && !isUp && first < last) return `from ${from} to ${to} is no fall`;
  return null;
}

const createWordForm = (text: string): RegExp =>
  new RegExp(`(?<![\\d.])${RegExp.escape(text)}(?!\\d|\\.\\d)`);

/**
 * Whether the lines have the two values in the opposite order: in removed and added lines, around an arrow, or in time.
 */
function isReversed({ from, to }: Change, source: Source): boolean {
  const [one, other] = [createWordForm(from), createWordForm(to)];
  const lines = source.segments.flatMap(({ text }) => text.split(/\\n|\n/));
  const has = (sign: RegExp, value: RegExp): boolean =>
    lines.some((line) => sign.test(line) && value.test(line));
  const [removedLine, addedLine] = [/^[\s"']*-(?!-)/, /^[\s"']*\+(?!\+)/];
  if (has(removedLine, other) && has(addedLine, one) && !(has(removedLine, one) && has(addedLine, other)))
    return true;
  const arrow = (a: string, b: string): RegExp =>
    new RegExp(`${createWordForm(a).source}[\\p{L}%]*\\s*(?:->|=>|to)\\s*${createWordForm(b).source}`, 'u');
  if (lines.some((line) => arrow(to, from).test(line)))
    return !lines.some((line) => arrow(from, to).test(line));
  const [first, last] = [findTimes(one, source), findTimes(other, source)];
  return (
    first.length > 0 &&
    last.length > 0 &&
    Math.min(...first) > Math.max(...last) &&
    !areInOneRecord(one, other, source)
  );
}

const areInOneRecord = (one: RegExp, other: RegExp, { segments }: Source): boolean =>
  segments.some(({ text }) => one.test(text) && other.test(text));

function findTimes(value: RegExp, { segments }: Source): readonly number[] {
  return segments.flatMap(({ text, moments }) => {
    const moment = moments.find(({ second }) => second !== null);
    if (moment?.second == null) return [];
    const bare = text.slice(0, moment.start) + text.slice(moment.end);
    const day =
      moment.day === null || moment.day.startsWith('-') ? 0 : Date.parse(`${moment.day}T00:00:00Z`) / 1_000;
    return value.test(bare) ? [day + moment.second] : [];
  });
}

const lessBehind = /^\s*(?:\p{L}+\s){0,2}?(?:below|under|fewer|less)\b/iu;
const moreBehind = /^\s*(?:\p{L}+\s){0,2}?(?:above|over|more)\b/iu;

/** The reason against a claim such as `5 fewer than usual` if the lines have `+5`. */
function findWrongSign({ text, figures }: Reading, { segments }: Source): string | null {
  for (const figure of figures) {
    const behind = text.slice(figure.end);
    const isLess = lessBehind.test(behind);
    if (isLess === moreBehind.test(behind)) continue;
    const signs = segments.flatMap((segment) => findSigns(figure, segment));
    const wrong = isLess ? '+' : '-';
    if (signs.length > 0 && signs.every((sign) => sign === wrong))
      return `the lines have ${wrong}${figure.text}`;
  }
  return null;
}

/** The sign of the figure at each place; empty if it has none. */
function findSigns(figure: Figure, { text, figures }: Segment): readonly string[] {
  return figures.flatMap((given) => {
    if (matchFigure(figure, given, text.slice(0, given.start)) === null) return [];
    return [/(?<![\p{L}\p{N})\]]\s?)([+-])$/u.exec(text.slice(0, given.start))?.[1] ?? ''];
  });
}

const valuePart = '["\'`]?(?<VALUE>v?\\d[\\p{L}\\p{N}._-]*%?)["\'`]?';
const valueForm = (name: string): string => valuePart.replace('VALUE', name);
const placeForm = (name: string): string =>
  `(?:\\s+in\\s+[\`"]?(?<${name}>[\\p{L}\\p{N}_./-]*\\.\\p{L}+)[\`"]?)?`;
const changeForms: readonly RegExp[] = [
  new RegExp(
    `^(?<verb>bump|update|upgrade|set|raise|lower|increase|decrease|reduce|change|switch|pin)(?:p?e?[sd]|ped)?\\s+(?<what>[^,;:]+?)\\s+(?:from\\s+${valueForm('from')}\\s+)?to\\s+(?:version\\s+)?${valueForm('to')}${placeForm('path')}[.\\s]*$`,
    'iu',
  ),
  new RegExp(
    `^(?<what>[^,;:]+?)${placeForm('path2')}\\s+(?:(?:is|was|has been|now)\\s+)*(?<verb>goes|went|moves|moved|bumped|updated|upgraded|set|raised|lowered|increased|decreased|reduced|changes|changed|switched|pinned)\\s+(?:from\\s+${valueForm('from')}\\s+)?to\\s+(?:version\\s+)?${valueForm('to')}${placeForm('path')}[.\\s]*$`,
    'iu',
  ),
];
const raisingVerb = /^(?:bump|upgrade|raise|increase)/i;
const loweringVerb = /^(?:lower|decrease|reduce)/i;

/** Words that a changed line need not contain. */
const unsaidWords = new Set(['version', 'requirement', 'value', 'now', 'to', 'number']);
/** Signs for a bound: the words that say which. */
const boundSigns: readonly (readonly [sign: RegExp, words: readonly string[]])[] = [
  [/>=?/, ['min', 'minimum', 'least']],
  [/(?<![-=])<=?/, ['max', 'maximum', 'most']],
];

/** A value that a diff changes. */
interface DiffChange {
  readonly from: string;
  readonly to: string;
  readonly line: string;
  readonly path: string;
}

/**
 * Whether a diff shows a claim such as `Bump the pier from 4 to 5`: it has a line that was removed and one that was
 * added in its place, which differ in that value alone.
 */
export function isShownChange(text: string, source: Source): boolean {
  const said = changeForms
    .map((form) => form.exec(text.trim())?.groups)
    .find((groups) => groups !== undefined);
  if (said === undefined) return false;
  const { verb = '', what = '', from, to = '', path = said['path2'] } = said;
  const words = splitWords(what).filter(
    (word) => !isIdle(word.text) && !unsaidWords.has(word.text.toLowerCase()),
  );
  const relatedChanges = findDiffChanges(source).filter(({ line }) => isAboutLine(line, words, what));
  const [one] = relatedChanges;
  if (one === undefined || relatedChanges.some((other) => other.to !== one.to || other.from !== one.from))
    return false;
  // If another line with that name has another value, the claim may be about it.
  const lines = source.segments.filter((segment) => !/^-|^\+\+\+ |^diff |^@@/.test(segment.text));
  const isOther = (line: string): boolean => /\d/.test(line) && !line.includes(one.to);
  if (lines.some((segment) => isOther(segment.text) && isAboutLine(segment.text, words, what))) return false;
  if (path !== undefined && one.path !== path && !one.path.endsWith(`/${path}`)) return false;
  if (
    toBareValue(one.to) !== toBareValue(to) ||
    (from !== undefined && toBareValue(one.from) !== toBareValue(from))
  )
    return false;
  const order = compareReleases(one.from, one.to);
  return raisingVerb.test(verb) ? order < 0 : loweringVerb.test(verb) ? order > 0 : true;
}

const toBareValue = (text: string): string => text.replace(/^v(?=\d)|[.%]+$/gi, '').toLowerCase();

const findNumbers = (text: string): readonly number[] => (text.match(/\d+/g) ?? []).map(Number);

/** Below 0 if the first is the lower number or release. */
function compareReleases(a: string, b: string): number {
  const [own, other] = [findNumbers(a), findNumbers(b)];
  for (let at = 0; at < Math.max(own.length, other.length); at += 1) {
    const difference = (own[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Whether the changed line itself has the words, or a sign for them. */
function isAboutLine(line: string, words: readonly Word[], what: string): boolean {
  const bases = new Set(splitWords(line).map(({ base }) => base));
  const signWords = boundSigns.flatMap(([sign, said]) => (sign.test(line) ? said : []));
  const isHeld = ({ base, text }: Word): boolean => bases.has(base) || signWords.includes(text.toLowerCase());
  // `the version` is about a line that is named so.
  return words.length > 0 ? words.every(isHeld) : splitWords(what).some(({ base }) => bases.has(base));
}

/** The values that a diff changes: a removed line and the added one in its place that differ in one value alone. */
function findDiffChanges({ segments, paths }: Source): readonly DiffChange[] {
  const found: DiffChange[] = [];
  let removed: string[] = [];
  let added = 0;
  let file = '';
  let currentSource = -1;
  for (const { text, source } of segments) {
    if (source !== currentSource)
      [removed, added, file, currentSource] = [[], 0, paths[source] ?? '', source];
    const named = /^\+\+\+ (?:b\/)?(\S+)/.exec(text)?.[1];
    if (named !== undefined) file = named;
    if (named !== undefined || /^---\s/.test(text)) [removed, added] = [[], 0];
    else if (text.startsWith('-')) {
      if (added > 0) [removed, added] = [[], 0];
      removed.push(text.slice(1));
    } else if (text.startsWith('+')) {
      const before = removed[added];
      added += 1;
      const change = before === undefined ? null : findDifference(before, text.slice(1));
      if (change !== null) found.push({ ...change, line: text.slice(1), path: file });
    } else [removed, added] = [[], 0];
  }
  return found;
}

function findDifference(before: string, after: string): Pick<DiffChange, 'from' | 'to'> | null {
  const tokens = (line: string): readonly string[] => line.match(/[\p{L}\p{N}_.]+|[^\s]/gu) ?? [];
  const [a, b] = [tokens(before), tokens(after)];
  if (a.length !== b.length) return null;
  const changedPlaces = [...a.keys()].filter((at) => a[at] !== b[at]);
  const [at] = changedPlaces;
  return changedPlaces.length === 1 && /\d/.test(a[at!]!) && /\d/.test(b[at!]!)
    ? { from: a[at!]!, to: b[at!]! }
    : null;
}
