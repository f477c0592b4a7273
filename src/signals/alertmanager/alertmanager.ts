/** Alertmanager: its current alerts, with receivers and what mutes them, and its silences, which are never created here. */
import { z } from 'zod';
import type { AlertState, Clock, Signal } from '../../core/index.ts';
import { checkHealth } from '../health.ts';
import { type Authorization, openHttp } from '../http.ts';
import { question } from '../question.ts';

export interface AlertmanagerOptions {
  readonly base: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly authorization?: Authorization;
}

const labels = z.record(z.string(), z.string());

/** An alert in version 2 of the API, which Grafana's Alertmanager uses as well. */
export const alertReply = z.object({
  labels,
  annotations: labels.default({}),
  startsAt: z.string(),
  endsAt: z.string(),
  generatorURL: z.string().default(''),
  receivers: z.array(z.object({ name: z.string() })).default([]),
  status: z.object({
    state: z.string(),
    silencedBy: z.array(z.string()).default([]),
    inhibitedBy: z.array(z.string()).default([]),
  }),
});

const silencesReply = z.array(
  z.object({
    id: z.string(),
    startsAt: z.string(),
    endsAt: z.string(),
    createdBy: z.string(),
    comment: z.string(),
    status: z.object({ state: z.string() }),
    matchers: z.array(
      z.object({
        name: z.string(),
        value: z.string(),
        isRegex: z.boolean(),
        isEqual: z.boolean().default(true),
      }),
    ),
  }),
);

const matchersParameter = z
  .array(z.string().min(1))
  .optional()
  .describe('Matchers such as `service="shop"` or `severity=~"critical|page"`.');

/** Throws `bad_config` if the address is not a valid URL. */
export function openAlertmanager({ base, fetch, clock, authorization }: AlertmanagerOptions): Signal {
  const http = openHttp({ system: 'alertmanager', base, fetch, authorization });
  const place = { system: 'alertmanager', source: `alertmanager ${http.source}`, clock };
  return Object.freeze({
    system: place.system,
    source: place.source,
    offers: 'alerts as they are grouped, muted and sent, and silences',
    questions: Object.freeze([
      question(place, {
        name: 'alertmanager_alerts',
        topic: 'alerts',
        description:
          'All alerts that are there now, muted ones too, with the query of their rule. What else is wrong?',
        parameters: z.object({ matchers: matchersParameter }),
        cost: 'one request',
        reach: 'now',
        async read({ matchers = [] }, { signal }) {
          const reply = await http.getJson(
            '/api/v2/alerts',
            { filter: matchers },
            z.array(alertReply),
            signal,
          );
          if (reply.kind === 'failure') return reply;
          const now = clock.now();
          return {
            kind: 'reading',
            query: `alerts ${matchers.join(' ')}`.trim(),
            rows: {
              kind: 'alerts',
              alerts: reply.value.map((alert) => alertOf(alert, now)),
            },
          };
        },
      }),
      question(place, {
        name: 'alertmanager_silences',
        topic: 'alerts',
        description: 'Silences that were in force in the window, who made them and why.',
        parameters: z.object({ matchers: matchersParameter }),
        cost: 'one request',
        reach: 'now',
        async read({ matchers = [] }, { window, signal }) {
          const reply = await http.getJson('/api/v2/silences', { filter: matchers }, silencesReply, signal);
          if (reply.kind === 'failure') return reply;
          const rows = reply.value
            .filter(
              ({ startsAt, endsAt }) =>
                Date.parse(startsAt) < window.to && Date.parse(endsAt) > window.baseline_from,
            )
            .map(({ id, startsAt, endsAt, createdBy, comment, status, matchers }) => ({
              id,
              state: status.state,
              matchers: matchers
                .map(
                  ({ name, value, isRegex, isEqual }) =>
                    `${name}${isEqual ? '=' : '!'}${isRegex ? '~' : isEqual ? '' : '='}"${value}"`,
                )
                .join(', '),
              starts: startsAt,
              ends: endsAt,
              by: createdBy,
              comment,
            }));
          return {
            kind: 'reading',
            query: `silences ${matchers.join(' ')}`.trim(),
            rows: { kind: 'table', rows },
          };
        },
      }),
    ]),
    health: (signal, mask) =>
      checkHealth(
        async (healthSignal) => {
          const statusReply = z.object({ versionInfo: z.object({ version: z.string() }) });
          const reply = await http.getJson('/api/v2/status', {}, statusReply, healthSignal);
          return reply.kind === 'failure'
            ? reply
            : { kind: 'healthy', version: reply.value.versionInfo.version };
        },
        signal,
        mask,
      ),
    close: async () => {},
  } satisfies Signal);
}

export function alertOf(
  { labels, annotations, startsAt, endsAt, generatorURL, receivers, status }: z.infer<typeof alertReply>,
  now: number,
): AlertState {
  return {
    name: labels['alertname'] ?? 'alert',
    state: Date.parse(endsAt) <= now ? 'resolved' : 'firing',
    since: Number.isNaN(Date.parse(startsAt)) ? null : Date.parse(startsAt),
    labels,
    annotations: {
      ...annotations,
      ...(status.silencedBy.length > 0 && { silenced_by: status.silencedBy.join(' ') }),
      ...(status.inhibitedBy.length > 0 && { inhibited_by: status.inhibitedBy.join(' ') }),
      ...(receivers.length > 0 && { receivers: receivers.map(({ name }) => name).join(' ') }),
    },
    query: expressionOf(generatorURL),
  };
}

/** The PromQL expression in a link to Prometheus' graph page, `/graph?g0.expr=...`; null if there is none. */
export function expressionOf(generatorUrl: string): string | null {
  return URL.canParse(generatorUrl) ? new URL(generatorUrl).searchParams.get('g0.expr') : null;
}
