/** A diff as data: removed lines, added lines, and the values that changed within a line. */
import { setImmediate } from 'node:timers/promises';
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

/**
 * Parses the diffs of these changes ahead of their use, one at a time, so that signals and time limits are heeded between
 * two large ones.
 */
export async function parseDiffsAhead(changes: readonly { readonly diff: string | null }[]): Promise<void> {
  for (const { diff } of changes.slice(-maxCachedDiffs)) {
    if (diff === null || cachedDiffs.has(diff)) continue;
    getDiff(diff);
    await setImmediate();
  }
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
  const unchangedAbove = findUnchangedAbove(lines);
  const code = {
    removed: removed.map(extractCode),
    added: added.map(extractCode),
    pairs: pairs.map(([was, is]) => [extractCode(was), extractCode(is)] as const),
  };
  return {
    removed,
    added,
    code,
    values: pairs.flatMap(([was, is]) => findEditedValues(was, is, unchangedAbove.get(is) ?? '')),
    texts: pairs.flatMap(([was, is]) => [...findEditedTexts(was, is), ...findEditedSetting(was, is)]),
    switches: code.pairs.flatMap(([was, is], n) => (isSwitched(was, is) ? [pairs[n]![1]] : [])),
    pairs,
    around: lines.filter((line) => !/^[-+]/.test(line)).map((line) => line.trim()),
  };
}

/** By added line, the nearest line above its first occurrence that was neither removed nor added. */
function findUnchangedAbove(lines: readonly string[]): ReadonlyMap<string, string> {
  const unchangedAbove = new Map<string, string>();
  let unchanged = '';
  for (const line of lines) {
    if (!/^[-+]/.test(line)) unchanged = line.trim();
    else if (line.startsWith('+')) {
      const added = line.slice(1).trim();
      if (!unchangedAbove.has(added)) unchangedAbove.set(added, unchanged);
    }
  }
  return unchangedAbove;
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
  /** The same words in lower case. */
  readonly lowerWords: readonly string[];
}

function toFeatures(line: string): LineFeatures {
  const words = splitLine(line);
  return {
    setting: findSettingName(line),
    words,
    lowerWords: words.map((word) => word.toLowerCase()),
  };
}

/** Similarity of two lines that set the same setting. */
const sameSettingSimilarity = 0.95;

/** Similarity from 0 to 1 of two lines by the words that they share. */
function rateSimilarity(removed: LineFeatures, added: LineFeatures): number {
  const wordCount = Math.max(1, removed.words.length + added.words.length);
  const usedIndexes = new Set<number>();
  for (const [removedIndex, word] of removed.words.entries()) {
    const addedIndex = added.words.findIndex(
      (addedWord, index) =>
        !usedIndexes.has(index) &&
        (addedWord === word || extendsName(added.lowerWords[index]!, removed.lowerWords[removedIndex]!)),
    );
    if (addedIndex >= 0) usedIndexes.add(addedIndex);
  }
  return (2 * usedIndexes.size) / wordCount;
}

/** Whether one name extends the other, like `ctx` and `callctx`, or `meta` and `metadata`. */
const extendsName = (a: string, b: string): boolean =>
  a.length < b.length
    ? a.length >= minNameLength && b.includes(a)
    : b.length >= minNameLength && a.includes(b);

/** Shorter words, such as `id`, occur within many unrelated names. */
const minNameLength = 3;

const minSimilarity = 0.6;
/** Maximum number of removed lines, and of added lines, to compare. */
const maxPaired = 1_500;

/** Words that are longer are compared with each word, since they have too many parts to look up each of them. */
const maxLookedUpLength = 64;

/**
 * The added lines by their words. A removed line is compared only with lines that share enough words with it: comparing
 * it with every line took seconds for each large commit.
 */
class WordIndex {
  readonly #lineCount: number;
  /** The distinct words of all lines, in lower case, and the lines that hold each of them. */
  readonly #words: { readonly lowerWord: string; readonly lineIndexes: number[] }[] = [];
  readonly #numberByWord = new Map<string, number>();
  readonly #numbersByLowerWord = new Map<string, number[]>();
  /** All words in lower case, one on each line, and where each begins. */
  readonly #text: string;
  readonly #starts: number[] = [];
  readonly #matchingLines = new Map<string, readonly number[]>();

  constructor(lines: readonly LineFeatures[]) {
    this.#lineCount = lines.length;
    for (const [lineIndex, { words, lowerWords }] of lines.entries())
      for (const [index, word] of words.entries()) this.#add(word, lowerWords[index]!, lineIndex);
    let text = '';
    for (const { lowerWord } of this.#words) {
      this.#starts.push(text.length);
      text += `${lowerWord}\n`;
    }
    this.#text = text;
  }

  /** For each line, the number of these words that have a match in it: no smaller than the number that both share. */
  countMatches(features: LineFeatures): Uint16Array {
    const counts = new Uint16Array(this.#lineCount);
    for (const word of features.words)
      for (const lineIndex of this.#findMatchingLines(word)) counts[lineIndex]! += 1;
    return counts;
  }

  #add(word: string, lowerWord: string, lineIndex: number): void {
    let number = this.#numberByWord.get(word);
    if (number === undefined) {
      number = this.#words.push({ lowerWord, lineIndexes: [] }) - 1;
      this.#numberByWord.set(word, number);
      const sameInLowerCase = this.#numbersByLowerWord.get(lowerWord);
      if (sameInLowerCase === undefined) this.#numbersByLowerWord.set(lowerWord, [number]);
      else sameInLowerCase.push(number);
    }
    const { lineIndexes } = this.#words[number]!;
    if (lineIndexes.at(-1) !== lineIndex) lineIndexes.push(lineIndex);
  }

  /** Lines with an equal word, or with a name that extends the word or is extended by it. */
  #findMatchingLines(word: string): readonly number[] {
    const known = this.#matchingLines.get(word);
    if (known !== undefined) return known;
    const numbers = this.#findExtendingWords(word.toLowerCase());
    const same = this.#numberByWord.get(word);
    if (same !== undefined) numbers.add(same);
    const lineIndexes = new Set<number>();
    for (const number of numbers)
      for (const lineIndex of this.#words[number]!.lineIndexes) lineIndexes.add(lineIndex);
    const matchingLines = [...lineIndexes];
    this.#matchingLines.set(word, matchingLines);
    return matchingLines;
  }

  /** The numbers of the words for which `extendsName` holds. */
  #findExtendingWords(lowerWord: string): Set<number> {
    const numbers = new Set<number>();
    if (lowerWord.length < minNameLength) return numbers;
    if (lowerWord.length > maxLookedUpLength) {
      for (const [number, known] of this.#words.entries())
        if (extendsName(known.lowerWord, lowerWord)) numbers.add(number);
      return numbers;
    }
    for (let start = 0; start + minNameLength <= lowerWord.length; start += 1)
      for (let end = start + minNameLength; end <= lowerWord.length; end += 1)
        for (const number of this.#numbersByLowerWord.get(lowerWord.slice(start, end)) ?? [])
          numbers.add(number);
    for (
      let position = this.#text.indexOf(lowerWord);
      position >= 0;
      position = this.#text.indexOf(lowerWord, position + 1)
    )
      numbers.add(this.#findNumberAt(position));
    return numbers;
  }

  /** The number of the word that holds this position of the text. */
  #findNumberAt(position: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#starts[middle]! <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Pairs each removed line with the most similar added line. */
function pairLines(
  removed: readonly string[],
  added: readonly string[],
): readonly (readonly [string, string])[] {
  const addedLines = added.slice(0, maxPaired);
  const addedFeatures = addedLines.map(toFeatures);
  const wordIndex = new WordIndex(addedFeatures);
  const isPaired = new Uint8Array(addedLines.length);
  return removed.slice(0, maxPaired).flatMap((removedLine) => {
    const movedIndex = addedLines.findIndex((line, index) => line === removedLine && isPaired[index] === 0);
    if (movedIndex >= 0) {
      // The line was moved, not changed.
      isPaired[movedIndex] = 1;
      return [];
    }
    const features = toFeatures(removedLine);
    const matchCounts = wordIndex.countMatches(features);
    let bestIndex = -1;
    let bestSimilarity = minSimilarity;
    for (const [index, candidate] of addedFeatures.entries()) {
      if (isPaired[index] === 1) continue;
      let similarity = sameSettingSimilarity;
      if (features.setting === undefined || features.setting !== candidate.setting) {
        const wordCount = Math.max(1, features.words.length + candidate.words.length);
        const maxShared = Math.min(matchCounts[index]!, candidate.words.length);
        if ((2 * maxShared) / wordCount < bestSimilarity) continue;
        similarity = rateSimilarity(features, candidate);
      }
      if (similarity >= bestSimilarity && (similarity > bestSimilarity || bestIndex < 0)) {
        bestIndex = index;
        bestSimilarity = similarity;
      }
    }
    if (bestIndex < 0) return [];
    isPaired[bestIndex] = 1;
    return [[removedLine, addedLines[bestIndex]!] as const];
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
