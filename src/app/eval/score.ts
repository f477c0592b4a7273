/** Scores an answer against the expected one. Pure, and the same for every revision and model. */
import type { FileSpan } from '../../core/index.ts';
import type { Gold, GoldSpan } from './question-set.ts';

/** The parts of a result that are judged. */
export interface ObservedResult {
  readonly run: string | null;
  /** The status of the result; null if there was none. */
  readonly status: string | null;
  readonly stop_reason: string | null;
  readonly answer: unknown;
  /** Confirmed citations, in the order of the answer. */
  readonly cited: readonly FileSpan[];
  /** The spans that were read and could have been cited, in order. */
  readonly evidence: readonly FileSpan[];
  /** For an incident: its verdict, its category, and the id of the change or system that it blames. */
  readonly verdicts: readonly string[];
  /** How many claims have each verdict. */
  readonly claims: Readonly<Record<string, number>>;
  readonly steps: number;
  readonly tokens: number;
  readonly cached_tokens: number;
  readonly usd: number;
  readonly ms: number;
  /** Why there was no result. */
  readonly error?: string;
}

/** A score is null if the expected answer does not decide it. */
export interface Score {
  readonly right: boolean | null;
  /** Recall of the gold files among the first 1, 5, 10 or all files: cited ones first, then files that were read. */
  readonly recall_1: number | null;
  readonly recall_5: number | null;
  readonly recall_10: number | null;
  readonly recall_all: number | null;
  /** The share of gold lines that are cited, then of cited lines that are gold, then of gold lines that were read. */
  readonly lines_cited: number | null;
  readonly lines_exact: number | null;
  readonly lines_read: number | null;
  /** Claims of the answer that the gold answer contradicts. */
  readonly contradicted_by_gold: number | null;
}

/**
 * `countContradicted`: counts the claims of an answer that the gold text contradicts. It is an argument because the
 * claim checker is in another folder.
 */
export function scoreAnswer(
  gold: Gold,
  observed: ObservedResult,
  countContradicted: (answer: string, gold: string) => number,
): Score {
  const seenFiles = distinct([...observed.cited, ...observed.evidence].map(({ path }) => path));
  const goldFiles = gold.files ?? (gold.lines && distinct(gold.lines.map(({ path }) => path)));
  const recall = (k: number): number | null =>
    goldFiles === undefined ? null : share(goldFiles, (file) => seenFiles.slice(0, k).includes(file));
  const goldLines = gold.lines && toLineKeys(gold.lines);
  const citedLines = toLineKeys(observed.cited);
  const readLines = toLineKeys([...observed.cited, ...observed.evidence]);
  const areTexts = typeof gold.answer === 'string' && typeof observed.answer === 'string';
  return {
    right: isRight(gold, observed),
    recall_1: recall(1),
    recall_5: recall(5),
    recall_10: recall(10),
    recall_all: recall(Number.POSITIVE_INFINITY),
    lines_cited: goldLines === undefined ? null : share([...goldLines], (line) => citedLines.has(line)),
    lines_exact: goldLines === undefined ? null : share([...citedLines], (line) => goldLines.has(line)),
    lines_read: goldLines === undefined ? null : share([...goldLines], (line) => readLines.has(line)),
    contradicted_by_gold: areTexts
      ? countContradicted(observed.answer as string, gold.answer as string)
      : null,
  };
}

/**
 * Whether an answer is right; null if gold does not decide it. If gold has a verdict or a short value, each must match.
 * Otherwise, if gold has lines, the answer must cite at least half of those of one file. Otherwise it must cite a gold
 * file. If the model failed, the answer is not right, since its text is only quoted lines.
 */
function isRight({ verdict, answer, lines, files }: Gold, observed: ObservedResult): boolean | null {
  const checks: boolean[] = [];
  if (verdict !== undefined) checks.push(hasVerdict(verdict, observed));
  if (answer !== undefined && isShortValue(answer)) checks.push(isSameValue(answer, observed.answer));
  if (checks.length === 0 && lines !== undefined) checks.push(citesHalf(lines, observed.cited));
  if (checks.length === 0 && files !== undefined)
    checks.push(observed.cited.some(({ path }) => files.includes(path)));
  return checks.length === 0 ? null : observed.stop_reason !== 'model_failed' && checks.every(Boolean);
}

/** Minimum digits of an abbreviated commit hash. */
const minCommitLength = 7;
function hasVerdict(expected: string, { verdicts, status }: ObservedResult): boolean {
  const candidates = verdicts.length > 0 ? verdicts : status === null ? [] : [status];
  return candidates.some(
    (verdict) =>
      verdict === expected ||
      (/^[0-9a-f]+$/.test(expected) &&
        Math.min(expected.length, verdict.length) >= minCommitLength &&
        (verdict.startsWith(expected) || expected.startsWith(verdict))),
  );
}

/** Longer texts are not compared as values; their claims are checked instead. */
const maxWordsOfValue = 8;
const isShortValue = (answer: unknown): boolean =>
  typeof answer !== 'string' || answer.trim().split(/\s+/u).length <= maxWordsOfValue;

/**
 * Compares numbers by value, texts without case and outer space, and lists in any order. The actual value may also be a
 * sentence that contains the expected one as a whole word.
 */
export function isSameValue(expected: unknown, actual: unknown): boolean {
  if (Array.isArray(expected)) {
    const items = Array.isArray(actual) ? actual : null;
    if (items === null)
      return typeof actual === 'string' && expected.every((item) => isSameValue(item, actual));
    if (items.length !== expected.length) return false;
    const unmatched = [...items];
    return expected.every((item) => {
      const index = unmatched.findIndex((other) => isSameItem(item, other));
      if (index >= 0) unmatched.splice(index, 1);
      return index >= 0;
    });
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null) return false;
    return Object.entries(expected).every(([key, value]) =>
      isSameItem(value, (actual as Record<string, unknown>)[key]),
    );
  }
  return (
    isSameItem(expected, actual) ||
    (typeof actual === 'string' && occursIn(normalize(expected), normalize(actual)))
  );
}

function isSameItem(expected: unknown, actual: unknown): boolean {
  if (typeof expected === 'object' && expected !== null) return isSameValue(expected, actual);
  const [a, b] = [normalize(expected), normalize(actual)];
  return a === b || (a !== '' && b !== '' && Number(a) === Number(b));
}

const normalize = (value: unknown): string =>
  String(value ?? '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?<=\d),(?=\d{3}\b)/g, '')
    .trim();

function occursIn(value: string, text: string): boolean {
  const escaped = RegExp.escape(value);
  return (
    value !== '' && new RegExp(`(?<![\\p{L}\\p{N}_.])${escaped}(?![\\p{L}\\p{N}_]|\\.\\d)`, 'u').test(text)
  );
}

function citesHalf(gold: readonly GoldSpan[], seenSpans: readonly FileSpan[]): boolean {
  const seenLines = toLineKeys(seenSpans);
  return distinct(gold.map(({ path }) => path)).some((path) => {
    const lines = [...toLineKeys(gold.filter((span) => span.path === path))];
    return lines.filter((line) => seenLines.has(line)).length * 2 >= lines.length;
  });
}

/** Maximum lines of a span that are counted. */
const maxLines = 100_000;
const toLineKeys = (spans: readonly FileSpan[]): ReadonlySet<string> =>
  new Set(
    spans.flatMap(({ path, start, end }) =>
      Array.from(
        { length: Math.min(maxLines, Math.max(0, end - start + 1)) },
        (_, n) => `${path}:${start + n}`,
      ),
    ),
  );

const distinct = <Item>(items: readonly Item[]): readonly Item[] => [...new Set(items)];

/** The share of items with a property; 0 if there are no items. */
const share = <Item>(items: readonly Item[], hasProperty: (item: Item) => boolean): number =>
  items.length === 0 ? 0 : items.filter(hasProperty).length / items.length;
