/**
 * Datadog. Requests for metrics have times in seconds, replies in milliseconds. Logs are searched by POST. Pages have at
 * most 1,000 items: those of logs and events are continued by a cursor, those of monitors by number. If a search reached
 * its time limit, `meta` of the reply says so.
 */
import { z } from 'zod';
import type { AlertState, Clock, LogLine, Series, Signal } from '../../core/index.ts';
import { checkHealth } from '../health.ts';
import { type Credential, openHttp } from '../http.ts';
import { filterText, linesQuestion, patternsQuestion, type Scan } from '../logs/log-questions.ts';
import { levelOf } from '../logs/record.ts';
import { parseTime } from '../logs/timestamp.ts';
import { readPages } from '../pages.ts';
import { failure, question, type SystemSource } from '../question.ts';
import { isoTime, time } from '../series-text.ts';
import {
  type EventReply,
  eventsReply,
  incompleteNotes,
  logsReply,
  type MetricsReply,
  type MonitorReply,
  metricsReply,
  monitorsReply,
} from './replies.ts';

export interface DatadogOptions {
  /** The site's address: `https://api.datadoghq.eu`. */
  readonly base?: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly apiKey: Credential;
  readonly applicationKey: Credential;
  /** Restricts the logs that are read, such as `env:prod`. */
  readonly logQuery?: string;
}

const logSearchPath = '/api/v2/logs/events/search';
const itemsPerPage = 1_000;
const maxLogPages = 50;
const maxPages = 5;

/** Throws `bad_config` if the address is not a valid URL. */
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
    postPaths: [logSearchPath],
  });
  const place: SystemSource = { system: 'datadog', source: `datadog ${http.source}`, clock };

  const scan: Scan = async (stretch, onRecord, signal) => {
    const { service, contains } = stretch;
    const query = [
      logQuery,
      ...(service === undefined ? [] : [`service:${JSON.stringify(service)}`]),
      ...(contains === undefined ? [] : [JSON.stringify(contains)]),
    ].join(' ');
    const filter = { query, from: isoTime(stretch.from), to: isoTime(stretch.to) };
    const incompleteReasons = new Set<string>();
    const pages = await readPages<never, string>(maxLogPages, async (cursor) => {
      const page = { limit: itemsPerPage, ...(cursor !== null && { cursor }) };
      const reply = await http.postJson(
        logSearchPath,
        { filter, sort: 'timestamp', page },
        logsReply,
        signal,
      );
      if (reply.kind === 'failure') return reply;
      const { data, meta } = reply.value;
      for (const { attributes } of data)
        onRecord({
          at: parseTime(attributes.timestamp, clock.now()),
          service: attributes.service ?? null,
          level: levelOf(attributes.status),
          message: attributes.message,
          fields: {},
        });
      for (const reason of incompleteNotes(meta)) incompleteReasons.add(reason);
      return { kind: 'page', items: [], next: meta?.page?.after ?? null };
    });
    if (pages.kind === 'failure') return pages;
    const limitNotes =
      pages.isComplete || pages.notes.length > 0
        ? []
        : [`Only the first ${maxLogPages * itemsPerPage} lines were read.`];
    return {
      kind: 'scanned',
      query: `${query}${filterText(stretch)}`,
      whole: pages.isComplete && incompleteReasons.size === 0,
      notes: [...incompleteReasons, ...pages.notes, ...limitNotes],
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
          const timeRange = {
            from: Math.floor(window.baseline_from / 1_000),
            to: Math.ceil(window.to / 1_000),
          };
          const reply = await http.getJson('/api/v1/query', { ...timeRange, query }, metricsReply, signal);
          if (reply.kind === 'failure') return reply;
          const { series, status, error } = reply.value;
          if (status === 'error')
            return failure(
              'bad_query',
              `${place.source} refused the query: ${error ?? 'it does not say why'}`,
            );
          return {
            kind: 'reading',
            query: `${query} from ${time(window.baseline_from)} to ${time(window.to)}`,
            rows: { kind: 'series', series: series.map(seriesOf) },
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
          query: z.string().min(1).optional().describe('Such as `service:shop source:deploy`.'),
        }),
        cost: 'one request for a thousand events',
        reach: 'baseline',
        async read({ query }, { window, signal }) {
          const filter = {
            'filter[query]': query,
            'filter[from]': isoTime(window.baseline_from),
            'filter[to]': isoTime(window.to),
          };
          const pages = await readPages<EventReply, string>(maxPages, async (cursor) => {
            const page = { 'page[limit]': itemsPerPage, 'page[cursor]': cursor ?? undefined };
            const parameters = { ...filter, sort: 'timestamp', ...page };
            const reply = await http.getJson('/api/v2/events', parameters, eventsReply, signal);
            if (reply.kind === 'failure') return reply;
            return { kind: 'page', items: reply.value.data, next: reply.value.meta?.page?.after ?? null };
          });
          if (pages.kind === 'failure') return pages;
          return {
            kind: 'reading',
            query: `events ${query ?? ''} from ${time(window.baseline_from)} to ${time(window.to)}`,
            rows: { kind: 'lines', lines: pages.items.map(eventLine) },
            ...(!pages.isComplete && { total: null }),
            notes: pages.notes,
          };
        },
      }),
      question(place, {
        name: 'datadog_monitors',
        topic: 'alerts',
        description:
          'Monitors that alert or warn now, with their queries; all of a name, whatever their state.',
        parameters: z.object({ name: z.string().min(1).optional() }),
        cost: 'one request for a thousand monitors',
        reach: 'now',
        async read({ name }, { signal }) {
          const pages = await readPages<MonitorReply, number>(maxPages, async (cursor) => {
            const page = cursor ?? 0;
            const parameters = { name, page, page_size: itemsPerPage };
            const reply = await http.getJson('/api/v1/monitor', parameters, monitorsReply, signal);
            if (reply.kind === 'failure') return reply;
            return {
              kind: 'page',
              items: reply.value,
              next: reply.value.length < itemsPerPage ? null : page + 1,
            };
          });
          if (pages.kind === 'failure') return pages;
          const alerts = pages.items
            .filter(
              ({ overall_state }) => name !== undefined || /alert|warn|no data/i.test(overall_state ?? ''),
            )
            .map((monitor) => alertOf(monitor, clock.now()));
          return {
            kind: 'reading',
            query: `monitors ${name ?? 'that alert'}`,
            rows: { kind: 'alerts', alerts },
            ...(!pages.isComplete && { total: null }),
            notes: pages.notes,
          };
        },
      }),
    ]),
    health: (signal, mask) =>
      checkHealth(
        async (healthSignal) => {
          const reply = await http.getJson(
            '/api/v1/validate',
            {},
            z.object({ valid: z.boolean() }),
            healthSignal,
          );
          if (reply.kind === 'failure') return reply;
          return reply.value.valid
            ? { kind: 'healthy', version: null }
            : { kind: 'unhealthy', reason: 'Datadog does not know the key' };
        },
        signal,
        mask,
      ),
    close: async () => {},
  } satisfies Signal);
}

/** The labels are the tags that the query groups by. Without grouping the scope is `*`, and there are no labels. */
function seriesOf({ metric, tag_set, scope, pointlist }: MetricsReply['series'][number]): Series {
  const tags = tag_set.length > 0 ? tag_set : scope.split(',');
  return {
    name: metric,
    labels: Object.fromEntries(
      tags.flatMap((tag) =>
        tag.includes(':') ? [[tag.slice(0, tag.indexOf(':')), tag.slice(tag.indexOf(':') + 1)]] : [],
      ),
    ),
    points: pointlist.flatMap(([at, value]) => (value === null ? [] : [[at, value] as const])),
  };
}

function eventLine({ attributes: { timestamp, message, tags, attributes } }: EventReply): LogLine {
  const tagValue = (name: string): string | undefined =>
    tags?.find((tagText) => tagText.startsWith(`${name}:`))?.slice(name.length + 1);
  // For an event without a service, Datadog sends the text `undefined`.
  const eventService = attributes?.service === 'undefined' ? undefined : attributes?.service;
  const at = Date.parse(timestamp);
  return {
    at: Number.isNaN(at) ? null : at,
    service: eventService ?? tagValue('service') ?? null,
    level: levelOf(attributes?.status) ?? 'INFO',
    text: [tagValue('source'), attributes?.title, message]
      .filter((part) => part != null && part !== '')
      .join(': '),
  };
}

function alertOf(monitor: MonitorReply, now: number): AlertState {
  const state = monitor.overall_state ?? '';
  return {
    name: monitor.name,
    state: /alert/i.test(state) ? 'firing' : /warn|no data/i.test(state) ? 'pending' : 'resolved',
    since: parseTime(monitor.overall_state_modified, now),
    labels: { id: String(monitor.id), type: monitor.type, tags: monitor.tags.join(',') },
    annotations: { message: monitor.message },
    query: monitor.query,
  };
}
