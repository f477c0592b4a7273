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
  matchedSpans,
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

/**
 * Traces that a search may find; and traces that are read whole: failed ones, slow ones, and those of the baseline.
 */
const maxFound = 40;
const maxRead = { failing: 5, slow: 4, calm: 2 } as const;
/** Spans of one trace. */
const maxSpans = 150;
/** A request is slow when it takes so many times what nearly all took before, and at least this. Milliseconds. */
const slower = 1.5;
const minSlow = 100;

const word = z.string().min(1).max(500);
const service = word.optional().describe('Only of this service.');

interface Times {
  readonly from: number;
  readonly to: number;
}

/** Throws `bad_config` if the address is not a valid URL. */
export function openTempo({ base, fetch, clock, authorization }: TempoOptions): Signal {
  const http = openHttp({ system: 'tempo', base, fetch, authorization });
  const place: SystemSource = { system: 'tempo', source: `tempo ${http.source}`, clock };
  const ends = ({ from, to }: Times) => ({ start: Math.floor(from / 1_000), end: Math.ceil(to / 1_000) });

  const search = async (
    q: string,
    times: Times,
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'found'; readonly traces: readonly FoundTrace[] } | SignalFailure> => {
    const parameters = { q, limit: maxFound, spss: 3, ...ends(times) };
    const reply = await http.getJson('/api/search', parameters, searchReply, signal);
    return reply.kind === 'failure' ? reply : { kind: 'found', traces: reply.value.traces ?? [] };
  };
  const traceById = async (
    id: string,
    times: Times,
    signal: AbortSignal,
  ): Promise<
    | { readonly kind: 'trace'; readonly spans: readonly Span[]; readonly notes: readonly string[] }
    | SignalFailure
  > => {
    const reply = await http.getJson(`/api/v2/traces/${id}`, ends(times), traceReply, signal);
    if (reply.kind === 'failure') return reply;
    const spans = spansOf(reply.value, id);
    const kept = chooseSpans(spans, maxSpans);
    const { status, message } = reply.value;
    const isPartial = status === 1 || /PARTIAL/i.test(String(status ?? ''));
    return {
      kind: 'trace',
      spans: kept,
      notes: [
        ...(isPartial ? [`Trace ${id} is not whole: ${message ?? 'Tempo says so'}.`] : []),
        ...(kept.length < spans.length
          ? [`Of trace ${id} ${kept.length} of ${spans.length} spans are shown.`]
          : []),
      ],
    };
  };
  /** Traces that can't be read are noted; it fails only where none can. */
  const readTraces = async (traces: readonly FoundTrace[], times: Times, signal: AbortSignal) => {
    const replies = await Promise.all(traces.map(({ traceID }) => traceById(padId(traceID), times, signal)));
    const failed = replies.find((one) => one.kind === 'failure');
    const read = replies.filter((one) => one.kind === 'trace');
    if (read.length === 0 && failed !== undefined) return failed;
    return {
      kind: 'read' as const,
      spans: read.flatMap(({ spans }) => spans),
      notes: [
        ...read.flatMap(({ notes }) => notes),
        ...(failed === undefined
          ? []
          : [
              `${replies.length - read.length} of ${replies.length} traces could not be read: ${failed.message}`,
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
        parameters: z.object({ service }),
        cost: 'three searches, and one request for each of at most 11 traces',
        reach: 'baseline',
        async read({ service: wanted }, { window, signal }) {
          const times = { from: window.from, to: window.to };
          const before = { from: window.baseline_from, to: window.from };
          const own = wanted === undefined ? '' : `resource.service.name = ${JSON.stringify(wanted)}`;
          const where = (...parts: readonly string[]): string =>
            `{ ${[own, ...parts].filter((part) => part !== '').join(' && ')} }`;
          const [failing, calm] = await Promise.all([
            search(where('status = error'), times, signal),
            search(where('status != error'), before, signal),
          ]);
          if (failing.kind === 'failure') return failing;
          if (calm.kind === 'failure') return calm;
          const usual = usualDuration(calm.traces);
          const min = usual === null ? null : Math.ceil(Math.max(minSlow, usual * slower));
          const slow =
            min === null
              ? { kind: 'found' as const, traces: [] }
              : await search(where('status != error', `duration > ${min}ms`), times, signal);
          if (slow.kind === 'failure') return slow;
          const chosen = [
            ...pickTraces(failing.traces, maxRead.failing),
            ...pickTraces(
              slow.traces.toSorted((a, b) => durationOf(b) - durationOf(a)),
              maxRead.slow,
            ),
          ];
          const ids = new Set(chosen.map(({ traceID }) => traceID));
          const picked = [...ids].map((id) => chosen.find(({ traceID }) => traceID === id)!);
          const read = await readTraces(picked, times, signal);
          if (read.kind === 'failure') return read;
          const old = await readTraces(pickTraces(calm.traces, maxRead.calm), before, signal);
          const spans = old.kind === 'failure' ? [] : old.spans;
          const cut = [...failing.traces, ...slow.traces].length > picked.length;
          return {
            kind: 'reading',
            query: `traces${wanted === undefined ? '' : ` of ${wanted}`} that failed${min === null ? '' : ` or took over ${min} ms`}, ${time(times.from)} to ${time(times.to)}`,
            rows: { kind: 'spans', spans: [...read.spans, ...spans].sort((a, b) => a.at - b.at) },
            ...(cut && { total: null }),
            notes: [
              ...read.notes,
              countText(failing.traces, 'failed'),
              ...(min === null
                ? ['Before the incident there were no traces: which are slow is not known.']
                : [
                    `${countText(slow.traces, `that did not took over ${min} ms`)} Before it nearly all took less than ${Math.ceil(usual!)} ms.`,
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
        parameters: z.object({ service }),
        cost: 'two queries of metrics, which a server may not have switched on',
        reach: 'baseline',
        async read({ service: wanted }, { window, signal }) {
          const times = { from: window.baseline_from, to: window.to };
          const stepMs = stepOf(times.to - times.from);
          const own = wanted === undefined ? '' : ` && resource.service.name = ${JSON.stringify(wanted)}`;
          const ask = (q: string) =>
            http.getJson(
              '/api/metrics/query_range',
              { q, step: `${stepMs / 1_000}s`, ...ends(times) },
              ratesReply,
              signal,
            );
          const [failed, took] = await Promise.all([
            ask(`{ status = error${own} } | rate() by (resource.service.name)`),
            ask(`{ kind = server${own} } | quantile_over_time(duration, .95) by (resource.service.name)`),
          ]);
          if (failed.kind === 'failure') return failed;
          return {
            kind: 'reading',
            query: `rates of failed spans and durations${wanted === undefined ? '' : ` of ${wanted}`}, ${time(times.from)} to ${time(times.to)} in steps of ${stepMs / 1_000} s`,
            rows: {
              kind: 'series',
              series: [
                ...seriesOf('span_errors_per_second', failed.value, {
                  ...times,
                  // A step that is not over would look like an end.
                  to: Math.min(times.to, clock.now() - stepMs),
                  stepMs,
                }),
                ...(took.kind === 'failure'
                  ? []
                  : seriesOf('request_duration_p95_seconds', took.value, null)),
              ],
            },
            ...(took.kind === 'failure' && {
              completeness: 'partial' as const,
              notes: [`Durations could not be read: ${took.message}`],
            }),
          };
        },
      }),
      question(place, {
        name: 'tempo_search',
        topic: 'traces',
        description:
          'Spans that a TraceQL query finds in the window: `{ resource.service.name = "shop" && span.db.system = "postgresql" && duration > 1s }`.',
        parameters: z.object({ query: word }),
        cost: 'one search',
        reach: 'window',
        async read({ query }, { window, signal }) {
          const times = { from: window.from, to: window.to };
          const found = await search(query, times, signal);
          if (found.kind === 'failure') return found;
          const spans = found.traces.flatMap((one) => matchedSpans(one).map((span) => spanOf(one, span)));
          return {
            kind: 'reading',
            query: `${query} from ${time(times.from)} to ${time(times.to)}`,
            rows: { kind: 'spans', spans },
            ...(found.traces.length >= maxFound && { total: null }),
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
          const times = { from: window.baseline_from, to: window.to };
          const found = await traceById(padId(trace_id), times, signal);
          if (found.kind === 'failure') return found;
          return {
            kind: 'reading',
            query: `trace ${trace_id} from ${time(times.from)} to ${time(times.to)}`,
            rows: { kind: 'spans', spans: found.spans.toSorted((a, b) => a.at - b.at) },
            completeness: found.notes.length > 0 ? 'partial' : 'complete',
            notes: found.notes,
          };
        },
      }),
    ]),
    health: (signal, mask) =>
      checkHealth(
        async (within) => {
          const reply = await http.getJson(
            '/api/status/buildinfo',
            {},
            z.object({ version: z.string() }),
            within,
          );
          if (reply.kind === 'failure') return reply;
          // Its version is told to everybody; this only to a tenant.
          const allowed = await http.getJson('/api/search/tags', {}, z.object({}), within);
          return allowed.kind === 'failure' ? allowed : { kind: 'healthy', version: reply.value.version };
        },
        signal,
        mask,
      ),
    close: async () => {},
  } satisfies Signal);
}

/** Searches leave zeros at the beginning of an id out. */
const padId = (id: string): string => id.toLowerCase().padStart(32, '0');

/** What nearly all requests took; null without any. */
function usualDuration(traces: readonly FoundTrace[]): number | null {
  const all = traces.map(durationOf).sort((a, b) => a - b);
  return all[Math.min(all.length - 1, Math.floor(all.length * 0.95))] ?? null;
}

const countText = ({ length }: readonly unknown[], what: string): string =>
  `${length >= maxFound ? `${length} or more` : length} traces ${what}.`;

/** A search does not say of which service a span is, unless it was asked for it. */
function spanOf(found: FoundTrace, span: ReturnType<typeof matchedSpans>[number]): Span {
  const attributes = (span.attributes ?? []).flatMap((one) => {
    const text = textOf(one);
    return text === null ? [] : [[one.key, text] as const];
  });
  const held = Object.fromEntries(attributes);
  return {
    trace: padId(found.traceID),
    id: idOf(span.spanID),
    parent: null,
    service: held['service.name'] ?? held['resource.service.name'] ?? found.rootServiceName ?? 'unknown',
    name: span.name ?? found.rootTraceName ?? '',
    at: millis(span.startTimeUnixNano),
    duration_ms: millis(span.durationNanos),
    failed: held['status'] === 'error',
    attributes: held,
  };
}

const minute = 60_000;
const stepOf = (span: number): number =>
  [0.5, 1, 2, 5, 10, 30, 60].map((count) => count * minute).find((step) => span / step <= 300) ?? 60 * minute;
