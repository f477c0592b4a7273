/** A diff as data: removed lines, added lines, and the values that changed within a line. */
import { extractCode, isCaption, isProse } from './extract-code.ts';

export interface EditedValue {
  /** The line with the value, as it is now. */
  readonly line: string;
  /** The nearest unchanged line above, which in some formats holds the name of the value. */
  readonly near: string;
  readonly was: number;
  readonly is: number;
  /** The values as written in the diff. */
  readonly wasText: string;
  readonly isText: string;
}

export interface EditedText {
  readonly line: string;
  readonly was: string;
  readonly is: string;
  /** People read it: a sentence, or the caption of something on a page. */
  readonly isForPeople: boolean;
}

/** Changed lines. */
export interface ChangedLines {
  readonly removed: readonly string[];
  readonly added: readonly string[];
  /** Removed lines, each with the added line that replaced it. */
  readonly pairs: readonly (readonly [was: string, is: string])[];
}

export interface Diff extends ChangedLines {
  /** The same lines without comments, and without texts for people: `now` in 'Order now' reads no clock. */
  readonly code: ChangedLines;
  /** Numbers that changed in an otherwise equal line. Durations are in milliseconds, sizes in bytes. */
  readonly values: readonly EditedValue[];
  /** Texts that changed in an otherwise equal line: in quotation marks, or the value of a setting. */
  readonly texts: readonly EditedText[];
  /** Added lines in which only a boolean changed (true/false, on/off, …). */
  readonly switches: readonly string[];
  /** Unchanged lines and heads of hunks: the surroundings of the change. */
  readonly around: readonly string[];
}

const isHeader = (line: string): boolean => /^(\+\+\+|---) (a\/|b\/|\/dev\/null|")/.test(line);

/** Maximum number of cached diffs; several rules judge the same change in turn. */
const maxCachedDiffs = 64;
const cachedDiffs = new Map<string, Diff>();

export function getDiff(text: string): Diff {
  const cachedDiff = cachedDiffs.get(text);
  if (cachedDiff !== undefined) return cachedDiff;
  const diff = parseDiff(text);
  const [oldest] = cachedDiffs.keys();
  if (cachedDiffs.size >= maxCachedDiffs && oldest !== undefined) cachedDiffs.delete(oldest);
  cachedDiffs.set(text, diff);
  return diff;
}

function parseDiff(text: string): Diff {
  const lines = text.split('\n').filter((line) => !isHeader(line));
  const pick = (mark: string): string[] =>
    lines
      .filter((line) => line.startsWith(mark))
      // Java flags have no space before the number: `-Xmx512m`.
      .map((line) =>
        line
          .slice(1)
          .trim()
          .replace(/(-X(?:mx|ms|ss))(?=\d)/g, '$1 '),
      )
      .filter((line) => line !== '');
  const removed = pick('-').filter((line) => !isComment(line));
  const added = pick('+').filter((line) => !isComment(line));
  const pairs = pairLines(removed, added);
  const code = {
    removed: removed.map(extractCode),
    added: added.map(extractCode),
    pairs: pairs.map(([was, is]) => [extractCode(was), extractCode(is)] as const),
  };
  return {
    removed,
    added,
    code,
    values: pairs.flatMap(([was, is]) => findEditedValues(was, is, findUnchangedAbove(lines, is))),
    texts: pairs.flatMap(([was, is]) => [...findEditedTexts(was, is), ...findEditedSetting(was, is)]),
    switches: code.pairs.flatMap(([was, is], n) => (isSwitched(was, is) ? [pairs[n]![1]] : [])),
    pairs,
    around: lines.filter((line) => !/^[-+]/.test(line)).map((line) => line.trim()),
  };
}

/** The nearest line above that was neither removed nor added. */
function findUnchangedAbove(lines: readonly string[], added: string): string {
  const at = lines.findIndex((line) => line.startsWith('+') && line.slice(1).trim() === added);
  return (
    lines
      .slice(0, Math.max(0, at))
      .findLast((line) => !/^[-+]/.test(line))
      ?.trim() ?? ''
  );
}

export const isComment = (line: string): boolean =>
  /^(\/\/|#(?!include|define|if|\[)|\/\*|\*(\s|\/|$)|--\s|<!--|;;|""")/.test(line.trim());

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  nanosecond: 1e-6,
  us: 1e-3,
  microsecond: 1e-3,
  ms: 1,
  milli: 1,
  millis: 1,
  millisecond: 1,
  s: 1_000,
  sec: 1_000,
  second: 1_000,
  m: 60_000,
  min: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
  k: 1e3,
  kb: 1024,
  ki: 1024,
  kib: 1024,
  mb: 1024 ** 2,
  mi: 1024 ** 2,
  mib: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1024 ** 3,
  gi: 1024 ** 3,
  gib: 1024 ** 3,
};

const measurePattern =
  /(?<![\w.$])(\d[\d_]*(?:\.\d+)?)(?:\s*\*\s*(?:time\.|Duration\.|TimeUnit\.)?([A-Za-z]+)|\s*\.?(ns|us|ms|milli(?:s|seconds?)?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?|[KMGg]i?B?)\b)?/g;

interface DiffFigure {
  readonly value: number;
  readonly text: string;
}

export function findUnitFactor(name: string | undefined): number {
  if (name === undefined) return 1;
  const lower = name.toLowerCase();
  return units[lower] ?? units[lower.replace(/s$/, '')] ?? 1;
}

/** `Duration.ofSeconds(5)` and `timedelta(minutes=5)`: the unit precedes the number. */
const unitBeforeNumber = /(?:of|timedelta\()(millis|seconds|minutes|hours|days)[(=]\s*(\d+)/i;

function parseValues(line: string): readonly DiffFigure[] {
  const before = unitBeforeNumber.exec(line);
  if (before) return [{ value: Number(before[2]) * findUnitFactor(before[1]), text: before[0] }];
  return [...line.matchAll(measurePattern)].map((match) => ({
    value: Number(match[1]!.replaceAll('_', '')) * findUnitFactor(match[2] ?? match[3]),
    text: match[0].trim(),
  }));
}

const splitLine = (line: string): readonly string[] =>
  line
    .replace(measurePattern, ' # ')
    .replace(booleans, ' # ')
    .split(/[^A-Za-z0-9_#]+/)
    .filter((word) => word !== '');

/** `bucket: prices-eu`, `root.level = trace`: a value without quotation marks, as in config files. */
const plainAssignment = /^-?\s*([\w.-]+)\s*[:=]\s*([^\s"'`{}()[\];,#]+)\s*(?:#.*)?$/;

/** An assignment to a quoted value: `class = "db.large"`, `"class": "db.large",`. */
const quotedAssignment = /^-?\s*["']?([\w.-]+)["']?\s*[:=]\s*(?:"[^"]*"|'[^']*')\s*[,;]?\s*(?:#.*)?$/;
const findSettingName = (line: string): string | undefined =>
  (plainAssignment.exec(line) ?? quotedAssignment.exec(line))?.[1];

/**
 * The features of a line that decide whether another line replaced it. Computed once, since each line is compared with
 * many.
 */
interface LineFeatures {
  readonly setting: string | undefined;
  readonly words: readonly string[];
  /** The same in lower case. */
  readonly lower: readonly string[];
}

function toFeatures(line: string): LineFeatures {
  const words = splitLine(line);
  return { setting: findSettingName(line), words, lower: words.map((word) => word.toLowerCase()) };
}

/** Similarity from 0 to 1. Exact only from `min` up; below it, any smaller number may be returned. */
function rateSimilarity(a: LineFeatures, b: LineFeatures, min: number): number {
  if (a.setting !== undefined && a.setting === b.setting) return 0.95;
  const wordCount = Math.max(1, a.words.length + b.words.length);
  if ((2 * Math.min(a.words.length, b.words.length)) / wordCount < min) return 0;
  const used = new Set<number>();
  let sharedCount = 0;
  for (const [n, word] of a.words.entries()) {
    const at = b.words.findIndex(
      (other, k) => !used.has(k) && (other === word || extendsName(b.lower[k]!, a.lower[n]!)),
    );
    if (at < 0) continue;
    used.add(at);
    sharedCount += 1;
  }
  return (2 * sharedCount) / wordCount;
}

/** Whether one name extends the other, like `ctx` and `callctx`, or `meta` and `metadata`. */
const extendsName = (a: string, b: string): boolean =>
  a.length < b.length ? a.length >= 3 && b.includes(a) : b.length >= 3 && a.includes(b);

const minSimilarity = 0.6;
/** Maximum number of pairs of a removed and an added line to compare. Larger changes would take minutes. */
const maxPaired = 1_500;

/** Pairs each removed line with the most similar added line. */
function pairLines(
  removed: readonly string[],
  added: readonly string[],
): readonly (readonly [string, string])[] {
  const unpairedAdded = added.slice(0, maxPaired).map((line) => ({ line, shape: toFeatures(line) }));
  return removed.slice(0, maxPaired).flatMap((was) => {
    const movedIndex = unpairedAdded.findIndex(({ line }) => line === was);
    if (movedIndex >= 0) {
      // The line was moved, not changed.
      unpairedAdded.splice(movedIndex, 1);
      return [];
    }
    const features = toFeatures(was);
    let best = -1;
    let bestSimilarity = minSimilarity;
    for (const [at, is] of unpairedAdded.entries()) {
      const similarity = rateSimilarity(features, is.shape, bestSimilarity);
      if (similarity >= bestSimilarity && (similarity > bestSimilarity || best < 0)) {
        best = at;
        bestSimilarity = similarity;
      }
    }
    if (best < 0) return [];
    const [is] = unpairedAdded.splice(best, 1);
    return [[was, is!.line] as const];
  });
}

function findEditedValues(was: string, is: string, near: string): readonly EditedValue[] {
  const [old, fresh] = [parseValues(extractCode(was)), parseValues(extractCode(is))];
  if (old.length !== fresh.length) return [];
  return old.flatMap((value, n) => {
    const now = fresh[n]!;
    return value.value === now.value || isReturnedStatus(is, now.text)
      ? []
      : [{ line: is, near, was: value.value, is: now.value, wasText: value.text, isText: now.text }];
  });
}

/**
 * Whether the value is a status that a program returns, and so not a setting: `HTTPException(409, …)`,
 * `socket.close(4401, …)`, `.status(404)`.
 */
function isReturnedStatus(line: string, value: string): boolean {
  return (
    /^\d{3,4}$/.test(value) &&
    new RegExp(
      `(?:status\\w*|http\\w*|\\w*response|\\w*error|\\w*exception|abort|close|code)\\W{0,3}\\b${value}\\b`,
      'i',
    ).test(line)
  );
}

const quotedText = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`([^`]*)`/g;
export const findTexts = (line: string): readonly string[] =>
  [...line.matchAll(quotedText)]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
    .filter((text) => text !== '');

/**
 * The line without explanatory texts such as that of `close(4401, "expired")`. A quoted text before a value stays: it
 * is the name of a setting.
 */
export const withoutTexts = (line: string): string =>
  line.replace(/(["'`])(?:(?!\1).)*\1(?!\s*(?:[:=\]]|=>))/g, (text, _, at: number) =>
    /(?:name|key|parameter)\W{0,4}$/i.test(line.slice(0, at)) ? text : ' ',
  );

function findEditedTexts(was: string, is: string): readonly EditedText[] {
  const [old, fresh] = [findTexts(was), findTexts(is)];
  if (old.length !== fresh.length) return [];
  return old.flatMap((text, n) =>
    text === fresh[n]! || parseValues(text).length > 0
      ? []
      : [
          {
            line: is,
            was: text,
            is: fresh[n]!,
            isForPeople: isProse(text) || isProse(fresh[n]!) || isCaption(is, fresh[n]!),
          },
        ],
  );
}

function findEditedSetting(was: string, is: string): readonly EditedText[] {
  const [, name, old] = plainAssignment.exec(was) ?? [];
  const [, sameName, fresh] = plainAssignment.exec(is) ?? [];
  if (name === undefined || name !== sameName || old === undefined || fresh === undefined || old === fresh)
    return [];
  return parseValues(old).length > 0 || /^(true|false|on|off|yes|no|enabled|disabled)$/i.test(old)
    ? []
    : [{ line: is, was: old, is: fresh, isForPeople: isCaption(is, fresh) }];
}

const booleans = /\b(true|false|on|off|enabled|disabled|yes|no)\b/gi;

function isSwitched(was: string, is: string): boolean {
  const [old, fresh] = [was.match(booleans) ?? [], is.match(booleans) ?? []];
  return (
    old.length > 0 &&
    old.length === fresh.length &&
    old.some((word, n) => word.toLowerCase() !== fresh[n]!.toLowerCase()) &&
    was.replace(booleans, '#').replace(/\s/g, '') === is.replace(booleans, '#').replace(/\s/g, '')
  );
}
