/**
 * Tempo. A search returns the first matching traces, unsorted and incomplete; slow ones are therefore found by a
 * minimum duration that hardly any trace reached before the incident. Times are seconds in searches, and nanoseconds as
 * text in replies.
 */
import { z } from 'zod';
import type { Clock, Signal, SignalFailure, Span } from '../../core/index.ts';
import { checkHealth } from '../health.ts';
import { type Authorization, openHttp } from '../http.ts';
import { question, type SystemSource } from '../question.ts';
import { time } from '../series-text.ts';
import {
  durationOf,
  type FoundTrace,
  listMatchedSpans,
  pickTraces,
  ratesReply,
  searchReply,
  seriesOf,
} from './search.ts';
import { chooseSpans, idOf, millis, spansOf, textOf, traceReply } from './spans.ts';

export interface TempoOptions {
  readonly base: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly authorization?: Authorization;
}

/** Maximum number of traces that a search returns. */
const maxTracesFound = 40;
/** Maximum number of traces that are read whole: failed ones, slow ones, and those before the incident. */
const maxTracesRead = { failing: 5, slow: 4, calm: 2 } as const;
/** Maximum number of spans that are shown of one trace, apart from callers of shown spans. */
const maxSpans = 150;
/** A request is slow if it takes longer than this factor times the usual duration, and longer than `minSlowMs`. */
const slowFactor = 1.5;
const minSlowMs = 100;

const shortText = z.string().min(1).max(500);
const serviceParameter = shortText.optional().describe('Only of this service.');

interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Throws `bad_config` if the address is not a valid URL. */
export function openTempo({ base, fetch, clock, authorization }: TempoOptions): Signal {
  const http = openHttp({ system: 'tempo', base, fetch, authorization });
  const place: SystemSource = { system: 'tempo', source: `tempo ${http.source}`, clock };
  const inSeconds = ({ from, to }: TimeRange) => ({
    start: Math.floor(from / 1_000),
    end: Math.ceil(to / 1_000),
  });

  const searchTraces = async (
    q: string,
    timeRange: TimeRange,
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'found'; readonly traces: readonly FoundTrace[] } | SignalFailure> => {
    const parameters = { q, limit: maxTracesFound, spss: 3, ...inSeconds(timeRange) };
    const reply = await http.getJson('/api/search', parameters, searchReply, signal);
    return reply.kind === 'failure' ? reply : { kind: 'found', traces: reply.value.traces ?? [] };
  };
  const traceById = async (
    id: string,
    timeRange: TimeRange,
    signal: AbortSignal,
  ): Promise<
    | { readonly kind: 'trace'; readonly spans: readonly Span[]; readonly notes: readonly string[] }
    | SignalFailure
  > => {
    const reply = await http.getJson(`/api/v2/traces/${id}`, inSeconds(timeRange), traceReply, signal);
    if (reply.kind === 'failure') return reply;
    const spans = spansOf(reply.value, id);
    const shownSpans = chooseSpans(spans, maxSpans);
    const { status, message } = reply.value;
    const isPartial = status === 1 || /PARTIAL/i.test(String(status ?? ''));
    return {
      kind: 'trace',
      spans: shownSpans,
      notes: [
        ...(isPartial ? [`Trace ${id} is not whole: ${message ?? 'Tempo says so'}.`] : []),
        ...(shownSpans.length < spans.length
          ? [`Of trace ${id} ${shownSpans.length} of ${spans.length} spans are shown.`]
          : []),
      ],
    };
  };
  /** Reads traces whole. A note counts those that can't be read; the result is a failure only if none can be read. */
  const readTraces = async (traces: readonly FoundTrace[], timeRange: TimeRange, signal: AbortSignal) => {
    const replies = await Promise.all(
      traces.map(({ traceID }) => traceById(padId(traceID), timeRange, signal)),
    );
    const firstFailure = replies.find((reply) => reply.kind === 'failure');
    const readReplies = replies.filter((reply) => reply.kind === 'trace');
    if (readReplies.length === 0 && firstFailure !== undefined) return firstFailure;
    return {
      kind: 'read' as const,
      spans: readReplies.flatMap(({ spans }) => spans),
      notes: [
        ...readReplies.flatMap(({ notes }) => notes),
        ...(firstFailure === undefined
          ? []
          : [
              `${replies.length - readReplies.length} of ${replies.length} traces could not be read: ${firstFailure.message}`,
            ]),
      ],
    };
  };

  return Object.freeze({
    system: place.system,
    source: place.source,
    offers: 'traces of failing and slow requests, and how many there were by service',
    questions: Object.freeze([
      question(place, {
        name: 'tempo_spans',
        topic: 'traces',
        description:
          'Whole traces of requests that failed and of those slower than before: who called whom, where it failed, with what message. Ask for it first.',
        parameters: z.object({ service: serviceParameter }),
        cost: 'three searches, and one request for each of at most 11 traces',
        reach: 'baseline',
        async read({ service: serviceName }, { window, signal }) {
          const windowRange = { from: window.from, to: window.to };
          const baselineRange = { from: window.baseline_from, to: window.from };
          const serviceClause =
            serviceName === undefined ? '' : `resource.service.name = ${JSON.stringify(serviceName)}`;
          const spanFilter = (...conditions: readonly string[]): string =>
            `{ ${[serviceClause, ...conditions].filter((condition) => condition !== '').join(' && ')} }`;
          const [failingSearch, baselineSearch] = await Promise.all([
            searchTraces(spanFilter('status = error'), windowRange, signal),
            searchTraces(spanFilter('status != error'), baselineRange, signal),
          ]);
          if (failingSearch.kind === 'failure') return failingSearch;
          if (baselineSearch.kind === 'failure') return baselineSearch;
          const usualMs = usualDuration(baselineSearch.traces);
          const slowFromMs = usualMs === null ? null : Math.ceil(Math.max(minSlowMs, usualMs * slowFactor));
          const slowSearch =
            slowFromMs === null
              ? { kind: 'found' as const, traces: [] }
              : await searchTraces(
                  spanFilter('status != error', `duration > ${slowFromMs}ms`),
                  windowRange,
                  signal,
                );
          if (slowSearch.kind === 'failure') return slowSearch;
          const candidates = [
            ...pickTraces(failingSearch.traces, maxTracesRead.failing),
            ...pickTraces(
              slowSearch.traces.toSorted((a, b) => durationOf(b) - durationOf(a)),
              maxTracesRead.slow,
            ),
          ];
          const ids = new Set(candidates.map(({ traceID }) => traceID));
          const tracesToRead = [...ids].map((id) => candidates.find(({ traceID }) => traceID === id)!);
          const readResult = await readTraces(tracesToRead, windowRange, signal);
          if (readResult.kind === 'failure') return readResult;
          const baselineResult = await readTraces(
            pickTraces(baselineSearch.traces, maxTracesRead.calm),
            baselineRange,
            signal,
          );
          const baselineSpans = baselineResult.kind === 'failure' ? [] : baselineResult.spans;
          const isIncomplete = [...failingSearch.traces, ...slowSearch.traces].length > tracesToRead.length;
          return {
            kind: 'reading',
            query: `traces${serviceName === undefined ? '' : ` of ${serviceName}`} that failed${slowFromMs === null ? '' : ` or took over ${slowFromMs} ms`}, ${time(windowRange.from)} to ${time(windowRange.to)}`,
            rows: {
              kind: 'spans',
              spans: [...readResult.spans, ...baselineSpans].sort((a, b) => a.at - b.at),
            },
            ...(isIncomplete && { total: null }),
            notes: [
              ...readResult.notes,
              countText(failingSearch.traces, 'failed'),
              ...(slowFromMs === null
                ? ['Before the incident there were no traces: which are slow is not known.']
                : [
                    `${countText(slowSearch.traces, `that did not took over ${slowFromMs} ms`)} Before it nearly all took less than ${Math.ceil(usualMs!)} ms.`,
                  ]),
            ],
          };
        },
      }),
      question(place, {
        name: 'tempo_rates',
        topic: 'metrics',
        description:
          'Of each service how many spans failed per second and how long requests took (95th percentile, in seconds), over the incident and the calm before.',
        parameters: z.object({ service: serviceParameter }),
        cost: 'two queries of metrics, which a server may not have switched on',
        reach: 'baseline',
        async read({ service: serviceName }, { window, signal }) {
          const timeRange = { from: window.baseline_from, to: window.to };
          const stepMs = stepOf(timeRange.to - timeRange.from);
          const serviceClause =
            serviceName === undefined ? '' : ` && resource.service.name = ${JSON.stringify(serviceName)}`;
          const queryMetrics = (q: string) =>
            http.getJson(
              '/api/metrics/query_range',
              { q, step: `${stepMs / 1_000}s`, ...inSeconds(timeRange) },
              ratesReply,
              signal,
            );
          const [errorRates, durations] = await Promise.all([
            queryMetrics(`{ status = error${serviceClause} } | rate() by (resource.service.name)`),
            queryMetrics(
              `{ kind = server${serviceClause} } | quantile_over_time(duration, .95) by (resource.service.name)`,
            ),
          ]);
          if (errorRates.kind === 'failure') return errorRates;
          return {
            kind: 'reading',
            query: `rates of failed spans and durations${serviceName === undefined ? '' : ` of ${serviceName}`}, ${time(timeRange.from)} to ${time(timeRange.to)} in steps of ${stepMs / 1_000} s`,
            rows: {
              kind: 'series',
              series: [
                ...seriesOf('span_errors_per_second', errorRates.value, {
                  ...timeRange,
                  // The current step is not over: its low count would look as if the errors had ended.
                  to: Math.min(timeRange.to, clock.now() - stepMs),
                  stepMs,
                }),
                ...(durations.kind === 'failure'
                  ? []
                  : seriesOf('request_duration_p95_seconds', durations.value, null)),
              ],
            },
            ...(durations.kind === 'failure' && {
              completeness: 'partial' as const,
              notes: [`Durations could not be read: ${durations.message}`],
            }),
          };
        },
      }),
      question(place, {
        name: 'tempo_search',
        topic: 'traces',
        description:
          'Spans that a TraceQL query finds in the window: `{ resource.service.name = "shop" && span.db.system = "postgresql" && duration > 1s }`.',
        parameters: z.object({ query: shortText }),
        cost: 'one search',
        reach: 'window',
        async read({ query }, { window, signal }) {
          const timeRange = { from: window.from, to: window.to };
          const searchResult = await searchTraces(query, timeRange, signal);
          if (searchResult.kind === 'failure') return searchResult;
          const spans = searchResult.traces.flatMap((trace) =>
            listMatchedSpans(trace).map((span) => spanOf(trace, span)),
          );
          return {
            kind: 'reading',
            query: `${query} from ${time(timeRange.from)} to ${time(timeRange.to)}`,
            rows: { kind: 'spans', spans },
            ...(searchResult.traces.length >= maxTracesFound && { total: null }),
            notes: ['Of each trace at most three spans are shown: tempo_trace shows all of one.'],
          };
        },
      }),
      question(place, {
        name: 'tempo_trace',
        topic: 'traces',
        description: 'All spans of one trace.',
        parameters: z.object({ trace_id: z.string().regex(/^[0-9a-fA-F]{1,32}$/) }),
        cost: 'one request',
        reach: 'baseline',
        async read({ trace_id }, { window, signal }) {
          const timeRange = { from: window.baseline_from, to: window.to };
          const trace = await traceById(padId(trace_id), timeRange, signal);
          if (trace.kind === 'failure') return trace;
          return {
            kind: 'reading',
            query: `trace ${trace_id} from ${time(timeRange.from)} to ${time(timeRange.to)}`,
            rows: { kind: 'spans', spans: trace.spans.toSorted((a, b) => a.at - b.at) },
            completeness: trace.notes.length > 0 ? 'partial' : 'complete',
            notes: trace.notes,
          };
        },
      }),
    ]),
    health: (signal, mask) =>
      checkHealth(
        async (healthSignal) => {
          const reply = await http.getJson(
            '/api/status/buildinfo',
            {},
            z.object({ version: z.string() }),
            healthSignal,
          );
          if (reply.kind === 'failure') return reply;
          // The version is readable by anyone; this request shows whether the tenant is accepted.
          const tagsReply = await http.getJson('/api/search/tags', {}, z.object({}), healthSignal);
          return tagsReply.kind === 'failure' ? tagsReply : { kind: 'healthy', version: reply.value.version };
        },
        signal,
        mask,
      ),
    close: async () => {},
  } satisfies Signal);
}

/** The full id of a trace, with 32 digits; searches omit the zeros at its beginning. */
const padId = (id: string): string => id.toLowerCase().padStart(32, '0');

/** The duration that about 95 % of the traces did not exceed, in milliseconds; null without traces. */
function usualDuration(traces: readonly FoundTrace[]): number | null {
  const durations = traces.map(durationOf).sort((a, b) => a - b);
  return durations[Math.min(durations.length - 1, Math.floor(durations.length * 0.95))] ?? null;
}

const countText = ({ length }: readonly unknown[], what: string): string =>
  `${length >= maxTracesFound ? `${length} or more` : length} traces ${what}.`;

/** Converts a span that a search found. Its service is in the reply only if the query names it; else the root's is used. */
function spanOf(trace: FoundTrace, span: ReturnType<typeof listMatchedSpans>[number]): Span {
  const attributes = (span.attributes ?? []).flatMap((attribute) => {
    const text = textOf(attribute);
    return text === null ? [] : [[attribute.key, text] as const];
  });
  const attributeTexts = Object.fromEntries(attributes);
  return {
    trace: padId(trace.traceID),
    id: idOf(span.spanID),
    parent: null,
    service:
      attributeTexts['service.name'] ??
      attributeTexts['resource.service.name'] ??
      trace.rootServiceName ??
      'unknown',
    name: span.name ?? trace.rootTraceName ?? '',
    at: millis(span.startTimeUnixNano),
    duration_ms: millis(span.durationNanos),
    failed: attributeTexts['status'] === 'error',
    attributes: attributeTexts,
  };
}

const minuteMs = 60_000;
/** The smallest step, in milliseconds, with which a time range has at most 300 points; at most one hour. */
const stepOf = (span: number): number =>
  [0.5, 1, 2, 5, 10, 30, 60].map((count) => count * minuteMs).find((step) => span / step <= 300) ??
  60 * minuteMs;
