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
  /** For an incident: its verdict, its category, and the id of what it blames. */
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

/** Null: the expected answer does not say. */
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
 * `contradicted`: counts the claims of an answer that the gold text contradicts. An argument, since the checker belongs
 * to another room.
 */
export function scoreOf(
  gold: Gold,
  observed: ObservedResult,
  contradicted: (answer: string, gold: string) => number,
): Score {
  const seenFiles = distinct([...observed.cited, ...observed.evidence].map(({ path }) => path));
  const goldFiles = gold.files ?? (gold.lines && distinct(gold.lines.map(({ path }) => path)));
  const recall = (k: number): number | null =>
    goldFiles === undefined ? null : share(goldFiles, (file) => seenFiles.slice(0, k).includes(file));
  const goldLines = gold.lines && linesOf(gold.lines);
  const citedLines = linesOf(observed.cited);
  const read = linesOf([...observed.cited, ...observed.evidence]);
  const text = typeof gold.answer === 'string' && typeof observed.answer === 'string';
  return {
    right: isRight(gold, observed),
    recall_1: recall(1),
    recall_5: recall(5),
    recall_10: recall(10),
    recall_all: recall(Number.POSITIVE_INFINITY),
    lines_cited: goldLines === undefined ? null : share([...goldLines], (line) => citedLines.has(line)),
    lines_exact: goldLines === undefined ? null : share([...citedLines], (line) => goldLines.has(line)),
    lines_read: goldLines === undefined ? null : share([...goldLines], (line) => read.has(line)),
    contradicted_by_gold: text ? contradicted(observed.answer as string, gold.answer as string) : null,
  };
}

/**
 * Whether an answer is right; null if gold does not say. If gold has a verdict or a value: each must match. Else if gold
 * has lines: the answer cites at least half of the gold lines of one file. Else: it cites a gold file. If the model
 * failed, nothing is right, since the text is then quoted by the program.
 */
function isRight({ verdict, answer, lines, files }: Gold, observed: ObservedResult): boolean | null {
  const parts: boolean[] = [];
  if (verdict !== undefined) parts.push(hasVerdict(verdict, observed));
  if (answer !== undefined && isValue(answer)) parts.push(sameValue(answer, observed.answer));
  if (parts.length === 0 && lines !== undefined) parts.push(hasHalf(lines, observed.cited));
  if (parts.length === 0 && files !== undefined)
    parts.push(observed.cited.some(({ path }) => files.includes(path)));
  return parts.length === 0 ? null : observed.stop_reason !== 'model_failed' && parts.every(Boolean);
}

/** Minimum digits of a commit that is given by its beginning. */
const minCommitLength = 7;
function hasVerdict(wanted: string, { verdicts, status }: ObservedResult): boolean {
  const all = verdicts.length > 0 ? verdicts : status === null ? [] : [status];
  return all.some(
    (verdict) =>
      verdict === wanted ||
      (/^[0-9a-f]+$/.test(wanted) &&
        Math.min(wanted.length, verdict.length) >= minCommitLength &&
        (verdict.startsWith(wanted) || wanted.startsWith(verdict))),
  );
}

/** Longer texts are not compared as values; their claims are checked instead. */
const maxWordsOfValue = 8;
const isValue = (answer: unknown): boolean =>
  typeof answer !== 'string' || answer.trim().split(/\s+/u).length <= maxWordsOfValue;

/**
 * Compares numbers by value, texts without case and outer space, and lists in any order. In a sentence the value must
 * stand by itself.
 */
export function sameValue(wanted: unknown, given: unknown): boolean {
  if (Array.isArray(wanted)) {
    const items = Array.isArray(given) ? given : null;
    if (items === null) return typeof given === 'string' && wanted.every((item) => sameValue(item, given));
    if (items.length !== wanted.length) return false;
    const rest = [...items];
    return wanted.every((item) => {
      const at = rest.findIndex((other) => sameItem(item, other));
      if (at >= 0) rest.splice(at, 1);
      return at >= 0;
    });
  }
  if (typeof wanted === 'object' && wanted !== null) {
    if (typeof given !== 'object' || given === null) return false;
    return Object.entries(wanted).every(([key, value]) =>
      sameItem(value, (given as Record<string, unknown>)[key]),
    );
  }
  return sameItem(wanted, given) || (typeof given === 'string' && occursIn(plain(wanted), plain(given)));
}

function sameItem(wanted: unknown, given: unknown): boolean {
  if (typeof wanted === 'object' && wanted !== null) return sameValue(wanted, given);
  const [a, b] = [plain(wanted), plain(given)];
  return a === b || (a !== '' && b !== '' && Number(a) === Number(b));
}

const plain = (value: unknown): string =>
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

function hasHalf(gold: readonly GoldSpan[], seenSpans: readonly FileSpan[]): boolean {
  const seen = linesOf(seenSpans);
  return distinct(gold.map(({ path }) => path)).some((path) => {
    const lines = [...linesOf(gold.filter((span) => span.path === path))];
    return lines.filter((line) => seen.has(line)).length * 2 >= lines.length;
  });
}

/** A longer span counts as a whole file. */
const maxLines = 100_000;
const linesOf = (spans: readonly FileSpan[]): ReadonlySet<string> =>
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
const share = <Item>(items: readonly Item[], has: (item: Item) => boolean): number =>
  items.length === 0 ? 0 : items.filter(has).length / items.length;
