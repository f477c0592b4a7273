/**
 * Datadog. Metrics take seconds and give milliseconds; logs are searched by a posted query and read by pages of
 * at most a thousand; the limit of requests is told by status 429.
 */
import { z } from 'zod';
import type { AlertState, Clock, LogLine, Series, Signal } from '../../core/index.ts';
import { examine } from '../health.ts';
import { type Credential, openHttp } from '../http.ts';
import { filterText, linesQuestion, patternsQuestion, type Scan } from '../logs/log-questions.ts';
import { levelOf } from '../logs/record.ts';
import { parseTime } from '../logs/timestamp.ts';
import { type Place, question } from '../question.ts';
import { time } from '../series-text.ts';

export interface DatadogOptions {
  /** Of the site: `https://api.datadoghq.eu`. */
  readonly base?: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly apiKey: Credential;
  readonly applicationKey: Credential;
  /** What of the logs is looked at, `env:prod`. */
  readonly logQuery?: string;
}

const search = '/api/v2/logs/events/search';
const pageItems = 1_000;
const mostPages = 50;

const metricsReply = z.object({
  status: z.string().default('ok'),
  error: z.string().nullish(),
  series: z
    .array(
      z.object({
        metric: z.string(),
        scope: z.string().default(''),
        tag_set: z.array(z.string()).default([]),
        pointlist: z.array(z.tuple([z.number(), z.number().nullable()])),
      }),
    )
    .default([]),
});
const logsReply = z.object({
  data: z
    .array(
      z.object({
        attributes: z.object({
          timestamp: z.union([z.string(), z.number()]),
          service: z.string().nullish(),
          status: z.string().nullish(),
          message: z.string().default(''),
          host: z.string().nullish(),
        }),
      }),
    )
    .nullish(),
  meta: z.object({ page: z.object({ after: z.string().nullish() }).nullish() }).nullish(),
});
const eventsReply = z.object({
  events: z.array(
    z.object({
      title: z.string().default(''),
      text: z.string().nullish(),
      date_happened: z.number(),
      alert_type: z.string().nullish(),
      source: z.string().nullish(),
      tags: z.array(z.string()).nullish(),
    }),
  ),
});
const monitorsReply = z.array(
  z.object({
    id: z.number(),
    name: z.string(),
    query: z.string(),
    type: z.string(),
    overall_state: z.string().nullish(),
    overall_state_modified: z.string().nullish(),
    message: z.string().default(''),
    tags: z.array(z.string()).default([]),
  }),
);

/** Throws `bad_config` for an address that is none. */
export function openDatadog(options: DatadogOptions): Signal {
  const {
    base = 'https://api.datadoghq.com',
    fetch,
    clock,
    apiKey,
    applicationKey,
    logQuery = '*',
  } = options;
  const headers = { 'dd-api-key': apiKey, 'dd-application-key': applicationKey };
  const http = openHttp({
    system: 'datadog',
    base,
    fetch,
    authorization: { kind: 'headers', headers },
    posts: [search],
  });
  const place: Place = { system: 'datadog', source: `datadog ${http.source}`, clock };

  const scan: Scan = async (stretch, see, signal) => {
    const { service, contains } = stretch;
    const query = [
      logQuery,
      ...(service === undefined ? [] : [`service:${JSON.stringify(service)}`]),
      ...(contains === undefined ? [] : [JSON.stringify(contains)]),
    ].join(' ');
    let cursor: string | undefined;
    for (let page = 0; page < mostPages; page++) {
      const body = {
        filter: { query, from: new Date(stretch.from).toISOString(), to: new Date(stretch.to).toISOString() },
        sort: 'timestamp',
        page: { limit: pageItems, ...(cursor !== undefined && { cursor }) },
      };
      const reply = await http.postJson(search, body, logsReply, signal);
      if (reply.kind === 'failure') return reply;
      for (const { attributes } of reply.value.data ?? [])
        see({
          at: parseTime(attributes.timestamp, clock.now()),
          service: attributes.service ?? null,
          level: levelOf(attributes.status),
          message: attributes.message,
          fields: {},
        });
      cursor = reply.value.meta?.page?.after ?? undefined;
      if (cursor === undefined)
        return { kind: 'scanned', query: `${query}${filterText(stretch)}`, whole: true, notes: [] };
    }
    return {
      kind: 'scanned',
      query,
      whole: false,
      notes: [`Only the first ${mostPages * pageItems} lines were read.`],
    };
  };

  return Object.freeze({
    system: place.system,
    source: place.source,
    offers: 'metrics, logs, events and monitors',
    questions: Object.freeze([
      question(place, {
        name: 'datadog_metrics',
        topic: 'metrics',
        description:
          'A metric query over the incident and the calm before it, `avg:trace.http.request.duration{service:shop} by {host}`.',
        parameters: z.object({ query: z.string().min(1) }),
        cost: 'one request; requests of metrics are limited',
        reach: 'baseline',
        async read({ query }, { window, signal }) {
          const span = { from: Math.floor(window.baseline_from / 1_000), to: Math.ceil(window.to / 1_000) };
          const reply = await http.getJson('/api/v1/query', { ...span, query }, metricsReply, signal);
          if (reply.kind === 'failure') return reply;
          const { series, status, error } = reply.value;
          return {
            kind: 'reading',
            query: `${query} from ${time(window.baseline_from)} to ${time(window.to)}`,
            rows: {
              kind: 'series',
              series: series.map(
                (one): Series => ({
                  name: one.metric,
                  labels: Object.fromEntries(
                    (one.tag_set.length > 0 ? one.tag_set : one.scope.split(',')).flatMap((tag) =>
                      tag.includes(':')
                        ? [[tag.slice(0, tag.indexOf(':')), tag.slice(tag.indexOf(':') + 1)]]
                        : [],
                    ),
                  ),
                  points: one.pointlist.flatMap(([at, value]) =>
                    value === null ? [] : [[at, value] as const],
                  ),
                }),
              ),
            },
            notes: status === 'error' ? [`Datadog: ${error ?? 'the query failed'}`] : [],
          };
        },
      }),
      linesQuestion(place, scan),
      patternsQuestion(place, scan),
      question(place, {
        name: 'datadog_events',
        topic: 'changes',
        description:
          'Events of the stream: deployments, restarts, changes of configuration, alerts of others.',
        parameters: z.object({
          tags: z.string().min(1).optional().describe('Such as `service:shop,env:prod`.'),
        }),
        cost: 'one request',
        reach: 'baseline',
        async read({ tags }, { window, signal }) {
          const span = { start: Math.floor(window.baseline_from / 1_000), end: Math.ceil(window.to / 1_000) };
          const reply = await http.getJson('/api/v1/events', { ...span, tags }, eventsReply, signal);
          if (reply.kind === 'failure') return reply;
          const lines = reply.value.events
            .map(
              (event): LogLine => ({
                at: event.date_happened * 1_000,
                service: event.tags?.find((tag) => tag.startsWith('service:'))?.slice(8) ?? null,
                level: levelOf(event.alert_type) ?? 'INFO',
                text: [event.source, event.title, event.text]
                  .filter((part) => part != null && part !== '')
                  .join(': '),
              }),
            )
            .sort((a, b) => a.at! - b.at!);
          return {
            kind: 'reading',
            query: `events ${tags ?? ''} from ${time(window.baseline_from)} to ${time(window.to)}`,
            rows: { kind: 'lines', lines },
          };
        },
      }),
      question(place, {
        name: 'datadog_monitors',
        topic: 'alerts',
        description:
          'Monitors that alert or warn now, with their queries; all of a name, whatever their state.',
        parameters: z.object({ name: z.string().min(1).optional() }),
        cost: 'one request',
        reach: 'now',
        async read({ name }, { signal }) {
          const reply = await http.getJson(
            '/api/v1/monitor',
            { name, page: 0, page_size: 1_000 },
            monitorsReply,
            signal,
          );
          if (reply.kind === 'failure') return reply;
          const alerts = reply.value
            .filter(
              ({ overall_state }) => name !== undefined || /alert|warn|no data/i.test(overall_state ?? ''),
            )
            .map(
              (one): AlertState => ({
                name: one.name,
                state: /alert/i.test(one.overall_state ?? '')
                  ? 'firing'
                  : /warn|no data/i.test(one.overall_state ?? '')
                    ? 'pending'
                    : 'resolved',
                since: parseTime(one.overall_state_modified, clock.now()),
                labels: { id: String(one.id), type: one.type, tags: one.tags.join(',') },
                annotations: { message: one.message },
                query: one.query,
              }),
            );
          return {
            kind: 'reading',
            query: `monitors ${name ?? 'that alert'}`,
            rows: { kind: 'alerts', alerts },
          };
        },
      }),
    ]),
    health: (signal) =>
      examine(async (within) => {
        const reply = await http.getJson('/api/v1/validate', {}, z.object({ valid: z.boolean() }), within);
        if (reply.kind === 'failure') return reply;
        return reply.value.valid
          ? { kind: 'healthy', version: null }
          : { kind: 'unhealthy', reason: 'Datadog does not know the key' };
      }, signal),
    close: async () => {},
  } satisfies Signal);
}
