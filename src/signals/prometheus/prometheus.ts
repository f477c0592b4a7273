/**
 * Prometheus and systems with the same API (Thanos, Mimir, VictoriaMetrics). Times are seconds with a fraction, and values
 * are text. A range includes its end. A query for more than 11,000 points per series is refused.
 */
import { z } from 'zod';
import type { AlertState, Clock, Series, Signal, SignalFailure } from '../../core/index.ts';
import { checkHealth } from '../health.ts';
import { type Authorization, type Http, openHttp } from '../http.ts';
import { question, type SystemSource } from '../question.ts';
import { time } from '../series-text.ts';
import { overviewQuestion } from './overview.ts';
import {
  alertsReply,
  buildReply,
  dataReply,
  type QueryData,
  queryReply,
  rateOf,
  rulesReply,
  seriesOf,
} from './reply.ts';

export interface PrometheusOptions {
  readonly base: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly authorization?: Authorization;
}

/** Points per series over the window and its baseline, unless the question sets a step. */
const defaultPoints = 240;
const maxPoints = 10_000;
/**
 * A common interval of scrapes, in seconds. A peak that is shorter than the distance between two points may not be seen.
 * If there are at most `maxFineSeries` series, they are therefore read again with this distance.
 */
const fineStepSeconds = 15;
const maxFineSeries = 8;
/** A selector without functions. If a query has functions, its counters are not converted into rates. */
const bareSelector = /^\s*(?:[a-zA-Z_:][\w:]*)?\s*(?:\{[^{}]*\})?\s*$/;
const selectorParameter = z.string().min(1).describe('A selector such as `http_requests_total{job="shop"}`.');
const promqlParameter = z
  .string()
  .min(1)
  .describe('PromQL. Use the expression of the alert rule first, then its parts.');

/**
 * Shows counters as their increase per second: a counter only rises, or restarts at 0, so an incident shows in how fast
 * it rises. Of several series, those about Prometheus' own scrapes (`scrape_…`) are left out.
 */
function countersAsRates(allSeries: readonly Series[], notes: readonly string[]) {
  const rates = new Map(allSeries.map((counter) => [counter, rateOf(counter)]));
  const series = allSeries
    .filter(({ name }) => allSeries.length === 1 || !/^scrape_/.test(name))
    .map((original) => rates.get(original) ?? original);
  const hasRates = series.some((shown) => !allSeries.includes(shown));
  const ratesNote = 'Counters (NAME_total) are shown as their increase per second (NAME_per_second).';
  return { rows: { kind: 'series' as const, series }, notes: hasRates ? [...notes, ratesNote] : notes };
}

/** Throws `bad_config` if the address is not a valid URL. */
export function openPrometheus({ base, fetch, clock, authorization }: PrometheusOptions): Signal {
  const http = openHttp({ system: 'prometheus', base, fetch, authorization });
  const place: SystemSource = { system: 'prometheus', source: `prometheus ${http.source}`, clock };
  return Object.freeze({
    system: place.system,
    source: place.source,
    offers: 'metrics by PromQL, alert rules and firing alerts',
    questions: Object.freeze([
      question(place, {
        name: 'prometheus_range',
        topic: 'metrics',
        description:
          'A query over the incident and the calm before it; each series comes with the time at which it changed.',
        parameters: z.object({
          query: promqlParameter,
          step_seconds: z
            .number()
            .positive()
            .optional()
            .describe('Distance of points; chosen to fit where absent.'),
        }),
        cost: 'one query over the window; many series are thinned',
        reach: 'baseline',
        async read({ query, step_seconds }, { window, signal }) {
          const from = window.baseline_from / 1_000;
          const to = (window.to - 1) / 1_000;
          const minStep = Math.max(1, (to - from) / maxPoints);
          const step = Math.max(step_seconds ?? Math.ceil((to - from) / defaultPoints), minStep);
          const readRange = (stepSeconds: number) =>
            runQuery(http, '/api/v1/query_range', { query, start: from, end: to, step: stepSeconds }, signal);
          const reply = await readRange(step);
          if (reply.kind === 'failure') return reply;
          const fineStep = Math.max(fineStepSeconds, minStep);
          const hasFewSeries = reply.series.length > 0 && reply.series.length <= maxFineSeries;
          const fineReply =
            step_seconds === undefined && hasFewSeries && fineStep < step ? await readRange(fineStep) : reply;
          // If the finer query failed, the first reply is shown.
          const [shownReply, usedStep] =
            fineReply.kind === 'failure' ? [reply, step] : [fineReply, fineReply === reply ? step : fineStep];
          return {
            kind: 'reading',
            query: `${query} from ${time(window.baseline_from)} to ${time(window.to)} step ${usedStep}s`,
            ...(bareSelector.test(query)
              ? countersAsRates(shownReply.series, shownReply.notes)
              : { rows: { kind: 'series', series: shownReply.series }, notes: shownReply.notes }),
          };
        },
      }),
      question(place, {
        name: 'prometheus_instant',
        topic: 'metrics',
        description:
          'The value of a query at the end of the incident window. For one number or a ranking (`topk`).',
        parameters: z.object({ query: promqlParameter }),
        cost: 'one query',
        reach: 'baseline',
        async read({ query }, { window, signal }) {
          const parameters = { query, time: (window.to - 1) / 1_000 };
          const reply = await runQuery(http, '/api/v1/query', parameters, signal);
          if (reply.kind === 'failure') return reply;
          return {
            kind: 'reading',
            query: `${query} at ${time(window.to)}`,
            rows: { kind: 'series', series: reply.series },
            notes: reply.notes,
          };
        },
      }),
      question(place, {
        name: 'prometheus_series',
        topic: 'metrics',
        description: 'Which series there were in the window, by their labels. To find the names to query.',
        parameters: z.object({ match: selectorParameter }),
        cost: 'one request',
        reach: 'now',
        async read({ match }, { window, limits, signal }) {
          const parameters = { 'match[]': match, ...windowSeconds(window) };
          const reply = await http.getJson(
            '/api/v1/series',
            parameters,
            dataReply(z.record(z.string(), z.string())),
            signal,
          );
          if (reply.kind === 'failure') return reply;
          const rows = reply.value.data;
          return {
            kind: 'reading',
            query: `series of ${match} from ${time(window.baseline_from)} to ${time(window.to)}`,
            rows: { kind: 'table', rows: rows.slice(0, limits.rows) },
            total: rows.length,
          };
        },
      }),
      question(place, {
        name: 'prometheus_labels',
        topic: 'metrics',
        description:
          'Names of labels, or the values of one: `__name__` lists the metrics, `job` what is watched. A text narrows it.',
        parameters: z.object({
          label: z
            .string()
            .regex(/^[a-zA-Z_]\w*$/)
            .optional(),
          match: selectorParameter.optional(),
          contains: z.string().min(1).optional(),
        }),
        cost: 'one request',
        reach: 'now',
        async read({ label, match, contains }, { window, limits, signal }) {
          const path = label === undefined ? '/api/v1/labels' : `/api/v1/label/${label}/values`;
          const parameters = { 'match[]': match, ...windowSeconds(window) };
          const reply = await http.getJson(path, parameters, dataReply(z.string()), signal);
          if (reply.kind === 'failure') return reply;
          const matchingNames = reply.value.data.filter(
            (name) => contains === undefined || name.includes(contains),
          );
          return {
            kind: 'reading',
            query: `${path}${match === undefined ? '' : ` of ${match}`}${contains === undefined ? '' : ` with ${contains}`}`,
            rows: {
              kind: 'table',
              rows: matchingNames.slice(0, limits.rows).map((name) => ({ [label ?? 'label']: name })),
            },
            total: matchingNames.length,
          };
        },
      }),
      question(place, {
        name: 'prometheus_rules',
        topic: 'alerts',
        description: 'Alert and recording rules with their expressions and states, as they are now.',
        parameters: z.object({
          contains: z.string().min(1).optional().describe('Only rules whose name or query holds this.'),
        }),
        cost: 'one request',
        reach: 'now',
        async read({ contains }, { limits, signal }) {
          const reply = await http.getJson('/api/v1/rules', {}, rulesReply, signal);
          if (reply.kind === 'failure') return reply;
          const rules = reply.value.data.groups
            .flatMap(({ name, rules }) =>
              rules.map(({ alerts, ...rule }) => ({ group: name, ...rule, active: alerts?.length ?? 0 })),
            )
            .filter((rule) => contains === undefined || `${rule.name} ${rule.query}`.includes(contains));
          return {
            kind: 'reading',
            query: `rules${contains === undefined ? '' : ` with ${contains}`}`,
            rows: { kind: 'table', rows: rules.slice(0, limits.rows) },
            total: rules.length,
          };
        },
      }),
      question(place, {
        name: 'prometheus_alerts',
        topic: 'alerts',
        description: 'Alerts that are pending or firing now, each with the expression of its rule.',
        parameters: z.object({}),
        cost: 'two requests',
        reach: 'now',
        async read(_, { signal }) {
          const alerts = await http.getJson('/api/v1/alerts', {}, alertsReply, signal);
          if (alerts.kind === 'failure') return alerts;
          const rules = await http.getJson('/api/v1/rules', { type: 'alert' }, rulesReply, signal);
          const queries = new Map(
            rules.kind === 'failure'
              ? []
              : rules.value.data.groups.flatMap((group) =>
                  group.rules.map(({ name, query }) => [name, query] as const),
                ),
          );
          return {
            kind: 'reading',
            query: 'alerts that are pending or firing',
            rows: {
              kind: 'alerts',
              alerts: alerts.value.data.alerts.map(
                ({ labels, annotations, state, activeAt }): AlertState => ({
                  name: labels['alertname'] ?? 'alert',
                  state: state === 'firing' ? 'firing' : state === 'pending' ? 'pending' : 'resolved',
                  since: Number.isNaN(Date.parse(activeAt)) ? null : Date.parse(activeAt),
                  labels,
                  annotations,
                  query: queries.get(labels['alertname'] ?? '') ?? null,
                }),
              ),
            },
            notes: rules.kind === 'failure' ? ['The rules could not be read.'] : [],
          };
        },
      }),
    ]),
    overview: overviewQuestion(place, http),
    health: (signal, mask) =>
      checkHealth(
        async (healthSignal) => {
          const build = await http.getJson('/api/v1/status/buildinfo', {}, buildReply, healthSignal);
          if (build.kind === 'json') return { kind: 'healthy', version: build.value.data.version };
          if (build.reason !== 'not_found') return build;
          // Some systems with this API don't offer their version.
          const probe = await runQuery(http, '/api/v1/query', { query: '1' }, healthSignal);
          return probe.kind === 'failure' ? probe : { kind: 'healthy', version: null };
        },
        signal,
        mask,
      ),
    close: async () => {},
  } satisfies Signal);
}

interface QueryReply {
  readonly kind: 'answered';
  readonly series: readonly Series[];
  readonly notes: readonly string[];
}

async function runQuery(
  http: Http,
  path: string,
  parameters: Readonly<Record<string, string | number>>,
  signal: AbortSignal,
): Promise<QueryReply | SignalFailure> {
  const reply = await http.getJson(path, parameters, queryReply, signal);
  if (reply.kind === 'failure') return reply;
  const data: QueryData = reply.value.data;
  const { series, dropped } = seriesOf(data, String(parameters['query']));
  return {
    kind: 'answered',
    series,
    notes: [
      ...(reply.value.warnings ?? []),
      ...(dropped > 0 ? [`${dropped} values were no finite numbers and are left out.`] : []),
    ],
  };
}

function windowSeconds(window: { readonly baseline_from: number; readonly to: number }): {
  start: number;
  end: number;
} {
  return { start: window.baseline_from / 1_000, end: (window.to - 1) / 1_000 };
}
