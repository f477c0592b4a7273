/** Grafana: alerts, annotations (which often record deployments), dashboards, and queries to its data sources. */
import { z } from 'zod';
import type { Change, Clock, Signal } from '../../core/index.ts';
import { alertOf, alertReply } from '../alertmanager/alertmanager.ts';
import { checkHealth } from '../health.ts';
import { type Authorization, openHttp } from '../http.ts';
import { failure, question, type SystemSource } from '../question.ts';
import { time } from '../series-text.ts';
import { frameSchema, rowsOfFrames } from './frames.ts';

export interface GrafanaOptions {
  readonly base: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly authorization?: Authorization;
}

const queryPath = '/api/ds/query';
const maxPoints = 600;

const annotationsReply = z.array(
  z.object({
    id: z.number().default(0),
    time: z.number(),
    text: z.string().default(''),
    tags: z.array(z.string()).nullish(),
    login: z.string().nullish(),
  }),
);
const sourcesReply = z.array(
  z.object({ uid: z.string(), name: z.string(), type: z.string(), isDefault: z.boolean().default(false) }),
);
const dashboardsReply = z.array(
  z.object({
    uid: z.string(),
    title: z.string(),
    folderTitle: z.string().optional(),
    tags: z.array(z.string()).default([]),
  }),
);
const queryReply = z.object({
  results: z.record(
    z.string(),
    z.object({ error: z.string().optional(), frames: z.array(frameSchema).nullish() }),
  ),
});

/** Throws `bad_config` if the address is not a valid URL. */
export function openGrafana({ base, fetch, clock, authorization }: GrafanaOptions): Signal {
  const http = openHttp({ system: 'grafana', base, fetch, authorization, postPaths: [queryPath] });
  const place: SystemSource = { system: 'grafana', source: `grafana ${http.source}`, clock };
  return Object.freeze({
    system: place.system,
    source: place.source,
    offers: 'alerts, annotations, dashboards, and queries to its data sources',
    questions: Object.freeze([
      question(place, {
        name: 'grafana_alerts',
        topic: 'alerts',
        description: 'Alerts of Grafana that are there now.',
        parameters: z.object({}),
        cost: 'one request',
        reach: 'now',
        async read(_, { signal }) {
          const reply = await http.getJson(
            '/api/alertmanager/grafana/api/v2/alerts',
            {},
            z.array(alertReply),
            signal,
          );
          if (reply.kind === 'failure') return reply;
          const alerts = reply.value.map((alert) => alertOf(alert, clock.now()));
          return { kind: 'reading', query: 'alerts', rows: { kind: 'alerts', alerts } };
        },
      }),
      question(place, {
        name: 'grafana_annotations',
        topic: 'changes',
        description:
          'Annotations of the incident and of the calm before it: deployments and other notes by people and pipelines.',
        parameters: z.object({ tags: z.array(z.string().min(1)).optional() }),
        cost: 'one request',
        reach: 'baseline',
        async read({ tags = [] }, { window, limits, signal }) {
          const timeRange = { from: window.baseline_from, to: window.to };
          // Annotations of other types record states of alerts, which are no changes.
          const parameters = { ...timeRange, type: 'annotation', limit: limits.rows + 1, tags };
          const reply = await http.getJson('/api/annotations', parameters, annotationsReply, signal);
          if (reply.kind === 'failure') return reply;
          const changes = reply.value
            .map(
              (annotation): Change => ({
                kind: annotation.tags?.some((tag) => /deploy|release/i.test(tag)) ? 'deploy' : 'config',
                id: String(annotation.id),
                at: annotation.time,
                service: annotation.tags?.find((tag) => tag.startsWith('service:'))?.slice(8) ?? null,
                author: annotation.login || null,
                title: `${annotation.text}${annotation.tags?.length ? ` [${annotation.tags.join(', ')}]` : ''}`,
                commits: annotation.text.match(/\b[0-9a-f]{7,40}\b/g) ?? [],
                paths: [],
                diff: null,
              }),
            )
            .sort((a, b) => b.at - a.at);
          return {
            kind: 'reading',
            query: `annotations ${tags.join(' ')} from ${time(window.baseline_from)} to ${time(window.to)}`,
            rows: { kind: 'changes', changes },
            ...(changes.length > limits.rows && { total: null }),
          };
        },
      }),
      question(place, {
        name: 'grafana_query',
        topic: 'metrics',
        description:
          'A query in the language of a data source (PromQL, LogQL, ...) over the incident and the calm before it. `grafana_sources` lists them.',
        parameters: z.object({ source_uid: z.string().min(1), query: z.string().min(1) }),
        cost: 'one request, as dear as the query',
        reach: 'baseline',
        async read({ source_uid, query: queryText }, { window, signal }) {
          const interval = Math.max(1_000, Math.ceil((window.to - window.baseline_from) / maxPoints));
          const body = {
            from: String(window.baseline_from),
            to: String(window.to),
            queries: [
              {
                refId: 'A',
                datasource: { uid: source_uid },
                expr: queryText,
                query: queryText,
                range: true,
                instant: false,
                intervalMs: interval,
                maxDataPoints: maxPoints,
              },
            ],
          };
          const reply = await http.postJson(queryPath, body, queryReply, signal);
          if (reply.kind === 'failure') return reply;
          const result = reply.value.results['A'];
          if (result?.error !== undefined)
            return failure(
              'bad_query',
              `${place.source} refused the query of ${source_uid}: ${result.error}`,
            );
          return {
            kind: 'reading',
            query: `${queryText} of ${source_uid} from ${time(window.baseline_from)} to ${time(window.to)}`,
            rows: rowsOfFrames(result?.frames ?? [], queryText),
          };
        },
      }),
      question(place, {
        name: 'grafana_sources',
        topic: 'metrics',
        description: 'The data sources, with the ids that a query names.',
        parameters: z.object({}),
        cost: 'one request',
        reach: 'now',
        async read(_, { signal }) {
          const reply = await http.getJson('/api/datasources', {}, sourcesReply, signal);
          if (reply.kind === 'failure') return reply;
          return { kind: 'reading', query: 'data sources', rows: { kind: 'table', rows: reply.value } };
        },
      }),
      question(place, {
        name: 'grafana_dashboards',
        topic: 'metrics',
        description: 'Dashboards whose title holds a text.',
        parameters: z.object({ contains: z.string().min(1).optional() }),
        cost: 'one request',
        reach: 'now',
        async read({ contains }, { limits, signal }) {
          const parameters = { type: 'dash-db', query: contains, limit: Math.min(5_000, limits.rows + 1) };
          const reply = await http.getJson('/api/search', parameters, dashboardsReply, signal);
          if (reply.kind === 'failure') return reply;
          return {
            kind: 'reading',
            query: `dashboards ${contains ?? ''}`.trim(),
            rows: { kind: 'table', rows: reply.value },
            ...(reply.value.length > limits.rows && { total: null }),
          };
        },
      }),
    ]),
    health: (signal, mask) =>
      checkHealth(
        async (healthSignal) => {
          const reply = await http.getJson(
            '/api/health',
            {},
            z.object({ database: z.string(), version: z.string().nullish() }),
            healthSignal,
          );
          if (reply.kind === 'failure') return reply;
          // The health is readable without a token; this request shows whether the token is accepted.
          const searchReply = await http.getJson('/api/search', { limit: 1 }, dashboardsReply, healthSignal);
          return searchReply.kind === 'failure'
            ? searchReply
            : { kind: 'healthy', version: reply.value.version ?? null };
        },
        signal,
        mask,
      ),
    close: async () => {},
  } satisfies Signal);
}
