/**
 * Elasticsearch and OpenSearch as a source of logs, by the searches that both have: field capabilities, `_search` with
 * a time range, histograms. Sends only `GET`, and searches by `POST`. Times are milliseconds; the end of a range is
 * exclusive.
 */
import { z } from 'zod';
import { type Clock, type Signal, type SignalFailure, SondeError } from '../../core/index.ts';
import { checkHealth } from '../health.ts';
import { type Authorization, type Credential, openHttp } from '../http.ts';
import { filterText, linesQuestion, patternsQuestion, type Scan } from '../logs/log-questions.ts';
import { recordText } from '../logs/record.ts';
import { question, type SystemSource } from '../question.ts';
import { time } from '../series-text.ts';
import { countsBody, countsReply, seriesOf } from './counts.ts';
import { recordOfDocument } from './document.ts';
import { capsReply, type Fields, fieldsOf, soughtFields } from './fields.ts';
import { inspectElasticsearch, rightsPath } from './rights.ts';
import {
  type Clause,
  readDocuments,
  searchReply,
  shortcomings,
  sortByTime,
  timeClause,
  timeOf,
  totalOf,
} from './search.ts';

export interface ElasticsearchOptions {
  readonly base: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly authorization?: Authorization;
  /** Names and patterns, separated by commas. */
  readonly index?: string;
  /** Documents of one page. Default: 2,000. */
  readonly pageSize?: number;
  /** Maximum documents that one question reads. Default: 60,000. */
  readonly maxDocuments?: number;
}

/** All indexes except those of metrics and traces. */
const defaultIndex = '*,-metrics-*,-metricbeat-*,-traces-*,-apm-*,-jaeger-*';
/** A missing index is no error: some indexes exist only for certain days. */
const missingIndexOptions = 'ignore_unavailable=true&allow_no_indices=true';

const textArgument = z.string().min(1).max(500);

export const apiKey = (token: Credential): Authorization => ({ kind: 'bearer', token, scheme: 'ApiKey' });

/** Throws `bad_config` if the address is not a valid URL, or the index is not a valid name. */
export function openElasticsearch(options: ElasticsearchOptions): Signal {
  const { base, fetch, clock, authorization, index = defaultIndex } = options;
  const { pageSize = 2_000, maxDocuments = 60_000 } = options;
  const names = indexNames(index);
  const indexPath = `/${names.map((name) => encodeURIComponent(name).replaceAll('%2A', '*')).join(',')}`;
  const searchPath = `${indexPath}/_search?${missingIndexOptions}`;
  const http = openHttp({
    system: 'elasticsearch',
    base,
    fetch,
    authorization,
    postPaths: [searchPath, rightsPath],
  });
  const place: SystemSource = {
    system: 'elasticsearch',
    source: `elasticsearch ${http.source}${index === defaultIndex ? '' : ` ${index}`}`,
    clock,
  };

  let knownFields: Fields | null = null;
  /** Asks the server for the fields, and keeps them once they were found. */
  const readFields = async (
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'fields'; readonly fields: Fields } | SignalFailure> => {
    if (knownFields !== null) return { kind: 'fields', fields: knownFields };
    const parameters = {
      fields: soughtFields.join(','),
      ignore_unavailable: 'true',
      allow_no_indices: 'true',
    };
    const reply = await http.getJson(`${indexPath}/_field_caps`, parameters, capsReply, signal);
    if (reply.kind === 'failure') return reply;
    knownFields = fieldsOf(reply.value.fields);
    return knownFields === null
      ? {
          kind: 'failure',
          reason: 'not_found',
          message: `No index of ${index} at ${http.source} has a field with a time: name those with logs by elasticsearch_index.`,
        }
      : { kind: 'fields', fields: knownFields };
  };

  const serviceClauses = ({ services }: Fields, service: string | undefined): readonly Clause[] =>
    service === undefined || services.length === 0
      ? []
      : [
          {
            bool: {
              should: services.map(({ whole }) => ({
                term: { [whole]: { value: service, case_insensitive: true } },
              })),
              minimum_should_match: 1,
            },
          },
        ];
  const textClauses = ({ messages }: Fields, text: string | undefined): readonly Clause[] =>
    text === undefined || messages.length === 0
      ? []
      : [{ multi_match: { query: text, type: 'phrase_prefix', fields: messages, lenient: true } }];

  const scan: Scan = async (request, onRecord, signal) => {
    const mapping = await readFields(signal);
    if (mapping.kind === 'failure') return mapping;
    const { fields } = mapping;
    const clauses = [...serviceClauses(fields, request.service), ...textClauses(fields, request.contains)];
    const reader = { http, path: searchPath, fields, pageSize, maxDocuments };
    const result = await readDocuments(reader, request, clauses, onRecord, signal);
    if (result.kind === 'failure') return result;
    return {
      kind: 'scanned',
      query: `${names.join(',')}${filterText(request)}`,
      whole: result.whole,
      notes: [
        ...result.notes,
        ...(request.contains === undefined ? [] : ['The text is found where words begin with it.']),
      ],
    };
  };

  return Object.freeze({
    system: place.system,
    source: place.source,
    offers: 'log lines of indices and data streams, their patterns, and how many there were',
    questions: Object.freeze([
      linesQuestion(place, scan),
      patternsQuestion(place, scan),
      question(place, {
        name: 'elasticsearch_counts',
        topic: 'metrics',
        description:
          'How many warnings and errors each service logged per step of time (all lines, where they have no level): counted by the server, so exact however many there are.',
        parameters: z.object({ service: textArgument.optional().describe('Only of this service.') }),
        cost: 'one request, and nothing is read',
        reach: 'baseline',
        async read({ service }, { window, signal }) {
          const mapping = await readFields(signal);
          if (mapping.kind === 'failure') return mapping;
          const timeRange = { from: window.baseline_from, to: window.to };
          const stepMs = stepOf(timeRange.to - timeRange.from);
          const body = countsBody(mapping.fields, timeRange, stepMs, serviceClauses(mapping.fields, service));
          const reply = await http.postJson(searchPath, body, countsReply, signal);
          if (reply.kind === 'failure') return reply;
          const notes = shortcomings(reply.value);
          const hiddenLines = reply.value.aggregations.by?.sum_other_doc_count ?? 0;
          return {
            kind: 'reading',
            query: `counts of ${names.join(',')}${service === undefined ? '' : `, service ${service}`} in steps of ${stepMs / 1_000} s from ${time(timeRange.from)} to ${time(timeRange.to)}`,
            rows: {
              kind: 'series',
              series: seriesOf(reply.value, { ...timeRange, stepMs, until: clock.now() }),
            },
            completeness: notes.length > 0 ? 'partial' : 'complete',
            notes: [
              ...notes,
              ...(hiddenLines > 0 ? [`${hiddenLines} lines are of services that are not shown.`] : []),
            ],
          };
        },
      }),
      question(place, {
        name: 'elasticsearch_search',
        topic: 'logs',
        description:
          'Log lines that a query in the syntax of Lucene finds in the window: `service.name:shop AND message:"pool exhausted"`.',
        parameters: z.object({ query: textArgument }),
        cost: 'one request',
        reach: 'baseline',
        async read({ query }, { window, limits, signal }) {
          const mapping = await readFields(signal);
          if (mapping.kind === 'failure') return mapping;
          const { fields } = mapping;
          const timeRange = { from: window.baseline_from, to: window.to };
          const body = {
            size: Math.min(limits.rows, pageSize),
            sort: sortByTime(fields),
            track_total_hits: true,
            timeout: '8s',
            query: {
              bool: {
                filter: [
                  timeClause(fields, timeRange),
                  { query_string: { query, allow_leading_wildcard: false, lenient: true } },
                ],
              },
            },
          };
          const reply = await http.postJson(searchPath, body, searchReply, signal);
          if (reply.kind === 'failure') return reply;
          const { hits } = reply.value;
          const notes = shortcomings(reply.value);
          const lines = hits.hits.map((hit) => {
            const record = recordOfDocument(hit._source ?? {}, timeOf(hit), fields);
            return { at: record.at, service: record.service, level: record.level, text: recordText(record) };
          });
          return {
            kind: 'reading',
            query: `${query} in ${names.join(',')} from ${time(timeRange.from)} to ${time(timeRange.to)}`,
            rows: { kind: 'lines', lines },
            total: totalOf(hits.total),
            completeness: notes.length > 0 ? 'partial' : 'complete',
            notes,
          };
        },
      }),
      question(place, {
        name: 'elasticsearch_fields',
        topic: 'logs',
        description: 'Fields of the documents with their types, for queries of elasticsearch_search.',
        parameters: z.object({
          contains: z
            .string()
            .regex(/^[\w.@-]{1,100}$/)
            .describe('What the names of the fields hold.'),
        }),
        cost: 'one request',
        reach: 'now',
        async read({ contains }, { limits, signal }) {
          const fields = `*${contains}*`;
          const parameters = { fields, ignore_unavailable: 'true', allow_no_indices: 'true' };
          const reply = await http.getJson(`${indexPath}/_field_caps`, parameters, capsReply, signal);
          if (reply.kind === 'failure') return reply;
          const rows = Object.entries(reply.value.fields)
            .filter(([name]) => !name.startsWith('_'))
            .map(([field, types]) => ({ field, type: Object.keys(types).join(' or ') }))
            .sort((a, b) => (a.field < b.field ? -1 : 1));
          return {
            kind: 'reading',
            query: `fields ${fields} of ${names.join(',')}`,
            rows: { kind: 'table', rows: rows.slice(0, limits.rows) },
            total: rows.length,
          };
        },
      }),
    ]),
    health: (signal, mask) =>
      checkHealth(
        async (checkSignal) => {
          const mapping = await readFields(checkSignal);
          if (mapping.kind === 'failure') return mapping;
          // An account that may only read indices is not told the version.
          const reply = await http.getJson('/', {}, versionReply, checkSignal);
          if (reply.kind === 'failure') return { kind: 'healthy', version: null };
          const { distribution, number } = reply.value.version;
          return { kind: 'healthy', version: distribution == null ? number : `${distribution} ${number}` };
        },
        signal,
        mask,
      ),
    inspect: (signal) =>
      inspectElasticsearch(
        http,
        names.filter((name) => !name.startsWith('-')),
        signal,
      ),
    close: async () => {},
  } satisfies Signal);
}

/** OpenSearch names itself as the distribution; Elasticsearch gives only its version number. */
const versionReply = z.object({
  version: z.object({ number: z.string(), distribution: z.string().nullish() }),
});

function indexNames(index: string): readonly string[] {
  const names = index
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const invalidName = names.find((name) => !/^-?[\p{L}\p{N}*._:@+-]+$/u.test(name) || /^\.+$/.test(name));
  if (names.length > 0 && invalidName === undefined) return names;
  throw new SondeError('bad_config', {
    message: `elasticsearch_index names no index: ${JSON.stringify(invalidName ?? index)}.`,
    remedy: 'Write names with commas between them, such as logs-*,app-*.',
  });
}

const minute = 60_000;
/** The step that divides a time span into at most 300 parts, but no more than an hour. Milliseconds. */
const stepOf = (span: number): number =>
  [0.5, 1, 2, 5, 10, 30, 60].map((count) => count * minute).find((step) => span / step <= 300) ?? 60 * minute;
