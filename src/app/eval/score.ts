/** What an answer is worth beside what is right. Pure: the same for every Sonde and every model. */
import type { Gold, GoldSpan } from './question-set.ts';

export interface SeenSpan {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

/** What came back for a question, as far as it is judged. */
export interface Observed {
  readonly run: string | null;
  /** How it ended; null where it gave no result. */
  readonly status: string | null;
  readonly stop_reason: string | null;
  readonly answer: unknown;
  /** Confirmed ones alone, in the order of the answer. */
  readonly cited: readonly SeenSpan[];
  /** What was read and could have been cited, in order. */
  readonly evidence: readonly SeenSpan[];
  /** Of an incident: its verdict, its category and the id of what it blames. */
  readonly verdicts: readonly string[];
  /** How many of each verdict. */
  readonly claims: Readonly<Record<string, number>>;
  readonly steps: number;
  readonly tokens: number;
  readonly cached_tokens: number;
  readonly usd: number;
  readonly ms: number;
  /** Why it gave no result. */
  readonly error?: string;
}

/** Null: what is right says nothing of it. */
export interface Score {
  readonly right: boolean | null;
  /** Gold files among the first so many that it met: those that it cites, then those that it read. */
  readonly recall_1: number | null;
  readonly recall_5: number | null;
  readonly recall_10: number | null;
  readonly recall_all: number | null;
  /** Of the gold lines, the share that is cited; of the cited lines, the share that is gold; gold lines that were read. */
  readonly lines_cited: number | null;
  readonly lines_exact: number | null;
  readonly lines_read: number | null;
  /** Claims of the answer that the gold answer says otherwise. */
  readonly contradicted_by_gold: number | null;
}

/** `contradicted`: claims of the answer against a text; injected, since the gate is another room's. */
export function scoreOf(
  gold: Gold,
  observed: Observed,
  contradicted: (answer: string, gold: string) => number,
): Score {
  const met = distinct([...observed.cited, ...observed.evidence].map(({ path }) => path));
  const goldFiles = gold.files ?? (gold.lines && distinct(gold.lines.map(({ path }) => path)));
  const recall = (k: number): number | null =>
    goldFiles === undefined ? null : share(goldFiles, (file) => met.slice(0, k).includes(file));
  const goldLines = gold.lines && linesOf(gold.lines);
  const cited = linesOf(observed.cited);
  const read = linesOf([...observed.cited, ...observed.evidence]);
  const text = typeof gold.answer === 'string' && typeof observed.answer === 'string';
  return {
    right: isRight(gold, observed),
    recall_1: recall(1),
    recall_5: recall(5),
    recall_10: recall(10),
    recall_all: recall(Number.POSITIVE_INFINITY),
    lines_cited: goldLines === undefined ? null : share([...goldLines], (line) => cited.has(line)),
    lines_exact: goldLines === undefined ? null : share([...cited], (line) => goldLines.has(line)),
    lines_read: goldLines === undefined ? null : share([...goldLines], (line) => read.has(line)),
    contradicted_by_gold: text ? contradicted(observed.answer as string, gold.answer as string) : null,
  };
}

/**
 * Where the model failed, nothing of it was right: what then stands there is quoted by the program.
 * A verdict is the same; a value is the same; else at least half of the gold lines of one file are cited; else a gold
 * file is. Where several are given, a verdict and a value both count, lines count before files.
 */
function isRight({ verdict, answer, lines, files }: Gold, observed: Observed): boolean | null {
  const parts: boolean[] = [];
  if (verdict !== undefined) parts.push(hasVerdict(verdict, observed));
  if (answer !== undefined && isValue(answer)) parts.push(sameValue(answer, observed.answer));
  if (parts.length === 0 && lines !== undefined) parts.push(hasHalf(lines, observed.cited));
  if (parts.length === 0 && files !== undefined)
    parts.push(observed.cited.some(({ path }) => files.includes(path)));
  return parts.length === 0 ? null : observed.stop_reason !== 'model_failed' && parts.every(Boolean);
}

/** A commit may be given by its first digits. */
const minCommitLength = 7;
function hasVerdict(wanted: string, { verdicts, status }: Observed): boolean {
  const all = verdicts.length > 0 ? verdicts : status === null ? [] : [status];
  return all.some(
    (verdict) =>
      verdict === wanted ||
      (/^[0-9a-f]+$/.test(wanted) &&
        Math.min(wanted.length, verdict.length) >= minCommitLength &&
        (verdict.startsWith(wanted) || wanted.startsWith(verdict))),
  );
}

/** Long texts are no values: their claims are held against each other instead. */
const maxWordsOfValue = 8;
const isValue = (answer: unknown): boolean =>
  typeof answer !== 'string' || answer.trim().split(/\s+/u).length <= maxWordsOfValue;

/** Numbers by value, texts without case and outer space, lists in any order. In a sentence, the value stands by itself. */
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
  return sameItem(wanted, given) || (typeof given === 'string' && standsIn(plain(wanted), plain(given)));
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

function standsIn(value: string, text: string): boolean {
  const escaped = value.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  return (
    value !== '' && new RegExp(`(?<![\\p{L}\\p{N}_.])${escaped}(?![\\p{L}\\p{N}_]|\\.\\d)`, 'u').test(text)
  );
}

function hasHalf(gold: readonly GoldSpan[], cited: readonly SeenSpan[]): boolean {
  const seen = linesOf(cited);
  return distinct(gold.map(({ path }) => path)).some((path) => {
    const lines = [...linesOf(gold.filter((span) => span.path === path))];
    return lines.filter((line) => seen.has(line)).length * 2 >= lines.length;
  });
}

/** A span of this many lines or more is that of a whole file: what is beyond adds nothing. */
const maxLines = 100_000;
const linesOf = (spans: readonly SeenSpan[]): ReadonlySet<string> =>
  new Set(
    spans.flatMap(({ path, start, end }) =>
      Array.from(
        { length: Math.min(maxLines, Math.max(0, end - start + 1)) },
        (_, n) => `${path}:${start + n}`,
      ),
    ),
  );

const distinct = <Item>(items: readonly Item[]): readonly Item[] => [...new Set(items)];

/** 0 of nothing: an answer that cites nothing has no share. */
const share = <Item>(items: readonly Item[], has: (item: Item) => boolean): number =>
  items.length === 0 ? 0 : items.filter(has).length / items.length;
