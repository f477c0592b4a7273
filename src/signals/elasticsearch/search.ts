/**
 * Reads all documents of a time range. The next page begins with the last instant of the previous one, so that nothing
 * stays open on the server (a point in time would have to be created and deleted). If there are more documents than may
 * be read, warnings and errors are read first, and the others are sampled evenly over the range.
 */
import { z } from 'zod';
import type { SignalFailure } from '../../core/index.ts';
import type { Http } from '../http.ts';
import type { LogRecord } from '../logs/record.ts';
import { isoTime } from '../series-text.ts';
import { recordOfDocument } from './document.ts';
import type { Fields } from './fields.ts';

export type Clause = Readonly<Record<string, unknown>>;

const shardFailure = z.object({
  index: z.string().nullish(),
  reason: z.object({ type: z.string().nullish(), reason: z.string().nullish() }).nullish(),
});
const shards = z.object({
  total: z.number(),
  failed: z.number().default(0),
  failures: z.array(shardFailure).optional(),
});
const total = z.union([z.number(), z.object({ value: z.number(), relation: z.string().optional() })]);

export const searchReply = z.object({
  timed_out: z.boolean().default(false),
  _shards: shards,
  _clusters: z
    .object({ total: z.number(), successful: z.number(), skipped: z.number().default(0) })
    .optional(),
  hits: z.object({
    total: total.nullish(),
    hits: z.array(
      z.object({
        _index: z.string(),
        _id: z.string().nullish(),
        _source: z.record(z.string(), z.unknown()).nullish(),
        sort: z.array(z.unknown()).optional(),
      }),
    ),
  }),
});
export type SearchReply = z.infer<typeof searchReply>;
type ElasticHit = SearchReply['hits']['hits'][number];

export interface DocumentReader {
  readonly http: Pick<Http, 'postJson'>;
  readonly path: string;
  readonly fields: Fields;
  readonly pageSize: number;
  /** Maximum documents that one call of `readDocuments` reads. */
  readonly maxDocuments: number;
}

export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

export interface ReadResult {
  readonly kind: 'read';
  readonly whole: boolean;
  readonly notes: readonly string[];
}

/** The time limit of one page on the server, shorter than that of the question. */
const serverTimeout = '8s';
/** The number of equal parts of a time range from which documents are sampled if there are too many. */
const sampleIntervals = 12;

const badLevels = [
  'error',
  'err',
  'fatal',
  'critical',
  'crit',
  'panic',
  'emerg',
  'emergency',
  'alert',
  'severe',
  'warn',
  'warning',
];
const levelSpellings = badLevels.flatMap((word) => [
  word,
  word.toUpperCase(),
  `${word[0]!.toUpperCase()}${word.slice(1)}`,
]);

/** Matches documents whose level is bad; null if the index has no field for a level. */
export const badLevelClause = ({ levels }: Fields): Clause | null =>
  levels.length === 0
    ? null
    : {
        bool: {
          should: levels.map(({ whole }) => ({ terms: { [whole]: levelSpellings } })),
          minimum_should_match: 1,
        },
      };

/** Matches documents of the time range, whose end is exclusive. */
export const timeClause = ({ time }: Fields, { from, to }: TimeRange): Clause => ({
  range: { [time]: { gte: isoTime(from), lt: isoTime(to), format: 'strict_date_optional_time' } },
});

export const sortByTime = ({ time }: Fields): readonly unknown[] => [
  // Nanoseconds exceed the precision of numbers in JavaScript, so milliseconds are asked for.
  { [time]: { order: 'asc', unmapped_type: 'date', numeric_type: 'date' } },
];

/** Reasons why an answer is incomplete. */
export function shortcomings({ timed_out, _shards, _clusters }: SearchReply): readonly string[] {
  const { total: shardCount, failed, failures = [] } = _shards;
  const reasons = failures.map(({ index, reason }) =>
    [index, reason?.type, reason?.reason].filter((part) => part != null && part !== '').join(': '),
  );
  const skipped = _clusters?.skipped ?? 0;
  return [
    ...(timed_out ? [`The search did not end within ${serverTimeout}: not all documents were seen.`] : []),
    ...(failed > 0
      ? [
          `${failed} of ${shardCount} shards failed${reasons[0] === undefined ? '' : ` (${reasons[0].slice(0, 200)})`}: their documents are missing.`,
        ]
      : []),
    ...(skipped > 0 ? [`${skipped} of ${_clusters!.total} clusters were not asked.`] : []),
  ];
}

export async function readDocuments(
  reader: DocumentReader,
  timeRange: TimeRange,
  clauses: readonly Clause[],
  onRecord: (record: LogRecord) => void,
  signal: AbortSignal,
): Promise<ReadResult | SignalFailure> {
  const notes = new Set<string>();
  const max = reader.maxDocuments;
  const firstRead = await readRange(reader, timeRange, clauses, max, {
    see: onRecord,
    notes,
    signal,
    onlyWhole: true,
  });
  if (firstRead.kind === 'failure' || firstRead.total <= max)
    return firstRead.kind === 'failure'
      ? firstRead
      : { kind: 'read', whole: firstRead.whole && notes.size === 0, notes: [...notes] };
  // There are too many documents, so only the first page was read.
  const badClause = badLevelClause(reader.fields);
  let seen = firstRead.seen;
  const readPart = async (
    partRange: TimeRange,
    extraClauses: readonly Clause[],
    maxRows: number,
  ): Promise<SignalFailure | null> => {
    const result = await readRange(reader, partRange, [...clauses, ...extraClauses], maxRows, {
      see: onRecord,
      notes,
      signal,
    });
    if (result.kind === 'failure') return result;
    seen += result.seen;
    return null;
  };
  const unreadRange: TimeRange = { from: firstRead.next, to: timeRange.to };
  const badLevelFailure =
    badClause === null ? null : await readPart(unreadRange, [badClause], Math.floor(max / 2));
  if (badLevelFailure !== null)
    notes.add(`Warnings and errors could not be read: ${badLevelFailure.message}`);
  const otherClauses = badClause === null ? [] : [{ bool: { must_not: [badClause] } }];
  const intervalMs = (unreadRange.to - unreadRange.from) / sampleIntervals;
  for (let k = 0; k < sampleIntervals; k++) {
    const interval = {
      from: Math.floor(unreadRange.from + k * intervalMs),
      to: Math.floor(unreadRange.from + (k + 1) * intervalMs),
    };
    const intervalFailure =
      interval.to <= interval.from
        ? null
        : await readPart(interval, otherClauses, Math.ceil(max / 2 / sampleIntervals));
    if (intervalFailure !== null) {
      notes.add(`Not all could be read: ${intervalFailure.message}`);
      break;
    }
  }
  notes.add(
    `${seen} of ${firstRead.total} documents were read: ${badClause === null ? '' : 'warnings and errors first, the others '}evenly over the time.`,
  );
  return { kind: 'read', whole: false, notes: [...notes] };
}

interface ReadOptions {
  readonly see: (record: LogRecord) => void;
  readonly notes: Set<string>;
  readonly signal: AbortSignal;
  /** Stop after the first page if there are more documents than may be read. */
  readonly onlyWhole?: boolean;
}

interface RangeRead {
  readonly kind: 'part';
  readonly whole: boolean;
  readonly total: number;
  readonly seen: number;
  /** The time from which nothing has been read. Milliseconds since the Unix epoch. */
  readonly next: number;
}

/** Reads the documents of a time range page by page, until there are `max` or none is left. */
async function readRange(
  { http, path, fields, pageSize }: DocumentReader,
  timeRange: TimeRange,
  clauses: readonly Clause[],
  max: number,
  { see: onRecord, notes, signal, onlyWhole = false }: ReadOptions,
): Promise<RangeRead | SignalFailure> {
  let { from } = timeRange;
  let totalDocuments = 0;
  let seen = 0;
  let seenAtLastInstant = new Set<string>();
  for (let page = 0; ; page++) {
    const size = Math.min(pageSize, Math.max(1, max));
    const reply = await http.postJson(
      path,
      {
        size,
        sort: sortByTime(fields),
        track_total_hits: page === 0,
        timeout: serverTimeout,
        query: { bool: { filter: [timeClause(fields, { ...timeRange, from }), ...clauses] } },
      },
      searchReply,
      signal,
    );
    if (reply.kind === 'failure') {
      if (page === 0) return reply;
      notes.add(`The documents after ${isoTime(from)} could not be read: ${reply.message}`);
      return { kind: 'part', whole: false, total: totalDocuments, seen, next: from };
    }
    const { hits } = reply.value;
    for (const note of shortcomings(reply.value)) notes.add(note);
    if (page === 0) totalDocuments = totalOf(hits.total) ?? hits.hits.length;
    const last = timeOf(hits.hits.at(-1)) ?? from;
    const atLastInstant = new Set<string>();
    for (const hit of hits.hits) {
      const key = `${hit._index}/${hit._id ?? JSON.stringify(hit._source)}`;
      if (timeOf(hit) === last) atLastInstant.add(key);
      if (seenAtLastInstant.has(key)) continue;
      seen++;
      onRecord(recordOfDocument(hit._source ?? {}, timeOf(hit), fields));
    }
    if (hits.hits.length < size)
      return { kind: 'part', whole: true, total: totalDocuments, seen, next: timeRange.to };
    if ((onlyWhole && totalDocuments > max) || seen >= max)
      return { kind: 'part', whole: false, total: totalDocuments, seen, next: last + 1 };
    // One instant has more documents than a page holds: the rest of them is skipped.
    const isStuck = last === from && atLastInstant.size === seenAtLastInstant.size;
    if (isStuck) notes.add(`Not all documents of ${isoTime(last)} were read.`);
    from = isStuck ? last + 1 : last;
    seenAtLastInstant = isStuck ? new Set() : atLastInstant;
  }
}

export const totalOf = (hitTotal: SearchReply['hits']['total']): number | null =>
  hitTotal == null ? null : typeof hitTotal === 'number' ? hitTotal : hitTotal.value;

/** The time by which the server sorted the hit, which may differ from the text in the document. */
export function timeOf(hit: Pick<ElasticHit, 'sort'> | undefined): number | null {
  const at = hit?.sort?.[0];
  return typeof at === 'number' && Number.isFinite(at) ? at : null;
}
