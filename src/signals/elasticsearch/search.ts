/**
 * Reads all documents of a time range. The next page begins with the last instant of the previous one, so that nothing
 * stays open on the server (a point in time would have to be created and deleted). If there are more documents than are
 * read, bad ones come first, and the others are sampled evenly over the range.
 */
import { z } from 'zod';
import type { SignalFailure } from '../../core/index.ts';
import type { Http } from '../http.ts';
import type { LogRecord } from '../logs/record.ts';
import { isoTime } from '../series-text.ts';
import { recordOfDocument } from './document.ts';
import type { Fields } from './fields.ts';

export type Clause = Readonly<Record<string, unknown>>;

const failureOfShard = z.object({
  index: z.string().nullish(),
  reason: z.object({ type: z.string().nullish(), reason: z.string().nullish() }).nullish(),
});
const shards = z.object({
  total: z.number(),
  failed: z.number().default(0),
  failures: z.array(failureOfShard).optional(),
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

export interface Reader {
  readonly http: Pick<Http, 'postJson'>;
  readonly path: string;
  readonly fields: Fields;
  readonly pageSize: number;
  /** Documents of one question. */
  readonly maxDocuments: number;
}

export interface Stretch {
  readonly from: number;
  readonly to: number;
}

export interface SearchRead {
  readonly kind: 'read';
  readonly whole: boolean;
  readonly notes: readonly string[];
}

/** The time limit of one page on the server, shorter than that of the question. */
const serverTimeout = '8s';
/** Parts of the stretch that are sampled where it holds too much. */
const samples = 12;

const bad = [
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
const written = bad.flatMap((word) => [
  word,
  word.toUpperCase(),
  `${word[0]!.toUpperCase()}${word.slice(1)}`,
]);

/** Matches documents whose level is bad; null if the index has no field for a level. */
export const isBadClause = ({ levels }: Fields): Clause | null =>
  levels.length === 0
    ? null
    : {
        bool: {
          should: levels.map(({ whole }) => ({ terms: { [whole]: written } })),
          minimum_should_match: 1,
        },
      };

/** Within the stretch, its end not included. */
export const within = ({ time }: Fields, { from, to }: Stretch): Clause => ({
  range: { [time]: { gte: isoTime(from), lt: isoTime(to), format: 'strict_date_optional_time' } },
});

export const sortByTime = ({ time }: Fields): readonly unknown[] => [
  // Times of nanoseconds would come back as numbers that JSON does not hold.
  { [time]: { order: 'asc', unmapped_type: 'date', numeric_type: 'date' } },
];

/** Reasons why an answer is incomplete. */
export function shortcomings({ timed_out, _shards, _clusters }: SearchReply): readonly string[] {
  const { total: all, failed, failures = [] } = _shards;
  const why = failures.map(({ index, reason }) =>
    [index, reason?.type, reason?.reason].filter((part) => part != null && part !== '').join(': '),
  );
  const skipped = _clusters?.skipped ?? 0;
  return [
    ...(timed_out ? [`The search did not end within ${serverTimeout}: not all documents were seen.`] : []),
    ...(failed > 0
      ? [
          `${failed} of ${all} shards failed${why[0] === undefined ? '' : ` (${why[0].slice(0, 200)})`}: their documents are missing.`,
        ]
      : []),
    ...(skipped > 0 ? [`${skipped} of ${_clusters!.total} clusters were not asked.`] : []),
  ];
}

export async function readDocuments(
  reader: Reader,
  stretch: Stretch,
  clauses: readonly Clause[],
  see: (record: LogRecord) => void,
  signal: AbortSignal,
): Promise<SearchRead | SignalFailure> {
  const notes = new Set<string>();
  const max = reader.maxDocuments;
  const first = await readStretch(reader, stretch, clauses, max, { see, notes, signal, onlyWhole: true });
  if (first.kind === 'failure' || first.total <= max)
    return first.kind === 'failure'
      ? first
      : { kind: 'read', whole: first.whole && notes.size === 0, notes: [...notes] };
  // Too many: what was read so far was the first page alone.
  const worst = isBadClause(reader.fields);
  let seen = first.seen;
  const part = async (
    stretch: Stretch,
    more: readonly Clause[],
    rows: number,
  ): Promise<SignalFailure | null> => {
    const found = await readStretch(reader, stretch, [...clauses, ...more], rows, { see, notes, signal });
    if (found.kind === 'failure') return found;
    seen += found.seen;
    return null;
  };
  const rest: Stretch = { from: first.next, to: stretch.to };
  const failed = worst === null ? null : await part(rest, [worst], Math.floor(max / 2));
  if (failed !== null) notes.add(`Warnings and errors could not be read: ${failed.message}`);
  const others = worst === null ? [] : [{ bool: { must_not: [worst] } }];
  const length = (rest.to - rest.from) / samples;
  for (let k = 0; k < samples; k++) {
    const own = { from: Math.floor(rest.from + k * length), to: Math.floor(rest.from + (k + 1) * length) };
    const lost = own.to <= own.from ? null : await part(own, others, Math.ceil(max / 2 / samples));
    if (lost !== null) {
      notes.add(`Not all could be read: ${lost.message}`);
      break;
    }
  }
  notes.add(
    `${seen} of ${first.total} documents were read: ${worst === null ? '' : 'warnings and errors first, the others '}evenly over the time.`,
  );
  return { kind: 'read', whole: false, notes: [...notes] };
}

interface Seeing {
  readonly see: (record: LogRecord) => void;
  readonly notes: Set<string>;
  readonly signal: AbortSignal;
  /** If there is more than may be read, read the first page only. */
  readonly onlyWhole?: boolean;
}

interface SearchPart {
  readonly kind: 'part';
  readonly whole: boolean;
  readonly total: number;
  readonly seen: number;
  /** The position of the first row that was not read. */
  readonly next: number;
}

/** Page after page, at most `max`. */
async function readStretch(
  { http, path, fields, pageSize }: Reader,
  stretch: Stretch,
  clauses: readonly Clause[],
  max: number,
  { see, notes, signal, onlyWhole = false }: Seeing,
): Promise<SearchPart | SignalFailure> {
  let { from } = stretch;
  let all = 0;
  let seen = 0;
  let atEdge = new Set<string>();
  for (let page = 0; ; page++) {
    const size = Math.min(pageSize, Math.max(1, max));
    const reply = await http.postJson(
      path,
      {
        size,
        sort: sortByTime(fields),
        track_total_hits: page === 0,
        timeout: serverTimeout,
        query: { bool: { filter: [within(fields, { ...stretch, from }), ...clauses] } },
      },
      searchReply,
      signal,
    );
    if (reply.kind === 'failure') {
      if (page === 0) return reply;
      notes.add(`The documents after ${isoTime(from)} could not be read: ${reply.message}`);
      return { kind: 'part', whole: false, total: all, seen, next: from };
    }
    const { hits } = reply.value;
    for (const note of shortcomings(reply.value)) notes.add(note);
    if (page === 0) all = totalOf(hits.total) ?? hits.hits.length;
    const last = timeOf(hits.hits.at(-1)) ?? from;
    const edge = new Set<string>();
    for (const hit of hits.hits) {
      const key = `${hit._index}/${hit._id ?? JSON.stringify(hit._source)}`;
      if (timeOf(hit) === last) edge.add(key);
      if (atEdge.has(key)) continue;
      seen++;
      see(recordOfDocument(hit._source ?? {}, timeOf(hit), fields));
    }
    if (hits.hits.length < size) return { kind: 'part', whole: true, total: all, seen, next: stretch.to };
    if ((onlyWhole && all > max) || seen >= max)
      return { kind: 'part', whole: false, total: all, seen, next: last + 1 };
    // One instant has more documents than a page holds: the rest of them is skipped.
    const stuck = last === from && edge.size === atEdge.size;
    if (stuck) notes.add(`Not all documents of ${isoTime(last)} were read.`);
    from = stuck ? last + 1 : last;
    atEdge = stuck ? new Set() : edge;
  }
}

export const totalOf = (held: SearchReply['hits']['total']): number | null =>
  held == null ? null : typeof held === 'number' ? held : held.value;

/** The time by which the server sorted the hit, which may differ from the text in the document. */
export function timeOf(hit: Pick<ElasticHit, 'sort'> | undefined): number | null {
  const at = hit?.sort?.[0];
  return typeof at === 'number' && Number.isFinite(at) ? at : null;
}
