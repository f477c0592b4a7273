/** Sentry: errors grouped into issues, the latest stack of one, and releases. Times are UTC without a zone. */
import { z } from 'zod';
import type { Change, Clock, LogLine, LogPattern, Signal } from '../../core/index.ts';
import { examine } from '../health.ts';
import { type Authorization, openHttp } from '../http.ts';
import { levelOf } from '../logs/record.ts';
import { type Place, question } from '../question.ts';
import { time } from '../series-text.ts';

export interface SentryOptions {
  readonly base?: string;
  /** The organization's short name. */
  readonly organization: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly authorization?: Authorization;
}

const issuesReply = z.array(
  z.object({
    id: z.string(),
    shortId: z.string().nullish(),
    title: z.string(),
    culprit: z.string().nullish(),
    level: z.string().nullish(),
    count: z.union([z.string(), z.number()]),
    userCount: z.number().nullish(),
    firstSeen: z.string(),
    lastSeen: z.string(),
    project: z.object({ slug: z.string() }).nullish(),
  }),
);
const frame = z.object({
  filename: z.string().nullish(),
  function: z.string().nullish(),
  lineNo: z.number().nullish(),
  inApp: z.boolean().nullish(),
});
const eventReply = z.object({
  eventID: z.string(),
  dateCreated: z.string().nullish(),
  message: z.string().nullish(),
  tags: z.array(z.object({ key: z.string(), value: z.string().nullish() })).default([]),
  entries: z.array(z.object({ type: z.string(), data: z.unknown() })).default([]),
});
const exceptionData = z.object({
  values: z.array(
    z.object({
      type: z.string().nullish(),
      value: z.string().nullish(),
      stacktrace: z.object({ frames: z.array(frame).nullish() }).nullish(),
    }),
  ),
});
const releasesReply = z.array(
  z.object({
    version: z.string(),
    dateCreated: z.string(),
    dateReleased: z.string().nullish(),
    commitCount: z.number().nullish(),
    lastCommit: z.object({ id: z.string(), message: z.string().nullish() }).nullish(),
    projects: z.array(z.object({ slug: z.string() })).default([]),
  }),
);

const most = 100;
/** Frames of a stack that are shown, the innermost ones. */
const shownFrames = 12;

/** Throws `bad_config` for an address that is none. */
export function openSentry(options: SentryOptions): Signal {
  const { base = 'https://sentry.io', organization, fetch, clock, authorization } = options;
  const http = openHttp({ system: 'sentry', base, fetch, authorization });
  const place: Place = { system: 'sentry', source: `sentry ${http.source} ${organization}`, clock };
  const root = `/api/0/organizations/${encodeURIComponent(organization)}`;
  return Object.freeze({
    system: place.system,
    source: place.source,
    offers: 'errors grouped into issues, their stacks, and releases',
    questions: Object.freeze([
      question(place, {
        name: 'sentry_issues',
        topic: 'errors',
        description:
          'Issues seen in the window, the most frequent first, each with when it was first seen. What is new?',
        parameters: z.object({
          query: z.string().min(1).optional().describe('Such as `is:unresolved project:shop`.'),
        }),
        cost: 'one request',
        reach: 'window',
        async read({ query }, { window, limits, signal }) {
          const span = { start: plainIso(window.from), end: plainIso(window.to) };
          const parameters = {
            ...span,
            query: query ?? '',
            sort: 'freq',
            limit: Math.min(most, limits.rows + 1),
          };
          const reply = await http.getJson(`${root}/issues/`, parameters, issuesReply, signal);
          if (reply.kind === 'failure') return reply;
          const patterns = reply.value.map(
            (one): LogPattern => ({
              template: `issue ${one.id} ${one.shortId ?? ''} first seen ${one.firstSeen}: ${one.title}${one.culprit ? ` in ${one.culprit}` : ''}`,
              service: one.project?.slug ?? null,
              level: levelOf(one.level),
              count: Number(one.count),
              // First seen in the window: it was not there before.
              baseline: Date.parse(one.firstSeen) >= window.from ? 0 : null,
              first: Math.max(Date.parse(one.firstSeen), window.from),
              last: Math.min(Date.parse(one.lastSeen), window.to - 1),
              example: `issue ${one.id}, ${one.userCount ?? 0} users, first seen ${one.firstSeen}`,
            }),
          );
          return {
            kind: 'reading',
            query: `issues ${query ?? ''} from ${time(window.from)} to ${time(window.to)}`,
            rows: { kind: 'patterns', patterns, lines: patterns.reduce((sum, { count }) => sum + count, 0) },
            ...(patterns.length >= most && { total: null }),
          };
        },
      }),
      question(place, {
        name: 'sentry_stack',
        topic: 'errors',
        description: 'The stack, message and tags of the latest event of an issue.',
        parameters: z.object({
          issue: z
            .string()
            .regex(/^\d{1,20}$/)
            .describe('The number of the issue.'),
        }),
        cost: 'one request',
        reach: 'past',
        async read({ issue }, { signal }) {
          const reply = await http.getJson(`${root}/issues/${issue}/events/latest/`, {}, eventReply, signal);
          if (reply.kind === 'failure') return reply;
          const lines = eventLines(reply.value);
          return { kind: 'reading', query: `latest event of issue ${issue}`, rows: { kind: 'lines', lines } };
        },
      }),
      question(place, {
        name: 'sentry_releases',
        topic: 'changes',
        description: 'Releases of the incident and of the calm before it, with their last commit.',
        parameters: z.object({ contains: z.string().min(1).optional() }),
        cost: 'one request',
        reach: 'baseline',
        async read({ contains }, { window, signal }) {
          const reply = await http.getJson(
            `${root}/releases/`,
            { query: contains, per_page: most },
            releasesReply,
            signal,
          );
          if (reply.kind === 'failure') return reply;
          const changes = reply.value.map(
            (one): Change => ({
              kind: 'deploy',
              id: one.version,
              at: Date.parse(one.dateReleased ?? one.dateCreated),
              service: one.projects[0]?.slug ?? null,
              author: null,
              title: `release ${one.version} of ${one.commitCount ?? 0} commits${one.lastCommit?.message ? `, last: ${one.lastCommit.message.split('\n')[0]}` : ''}`,
              commits: one.lastCommit === null || one.lastCommit === undefined ? [] : [one.lastCommit.id],
              paths: [],
              diff: null,
            }),
          );
          const oldest = changes.at(-1);
          return {
            kind: 'reading',
            query: `releases ${contains ?? ''} from ${time(window.baseline_from)} to ${time(window.to)}`,
            rows: { kind: 'changes', changes },
            ...(changes.length >= most &&
              oldest !== undefined &&
              oldest.at >= window.baseline_from && { total: null }),
          };
        },
      }),
    ]),
    health: (signal) =>
      examine(async (within) => {
        const reply = await http.getJson(`${root}/`, {}, z.object({ slug: z.string() }), within);
        return reply.kind === 'failure' ? reply : { kind: 'healthy', version: null };
      }, signal),
    close: async () => {},
  } satisfies Signal);
}

function eventLines(event: z.infer<typeof eventReply>): readonly LogLine[] {
  const at = Number.isNaN(Date.parse(event.dateCreated ?? '')) ? null : Date.parse(event.dateCreated!);
  const line = (level: string | null, text: string): LogLine => ({ at, service: null, level, text });
  const stacks = event.entries
    .filter(({ type }) => type === 'exception')
    .flatMap(({ data }) => {
      const checked = exceptionData.safeParse(data);
      return checked.success ? checked.data.values : [];
    });
  return [
    ...(event.message ? [line('ERROR', event.message)] : []),
    ...stacks.flatMap(({ type, value, stacktrace }) => [
      line('ERROR', `${type ?? 'Error'}: ${value ?? ''}`),
      ...(stacktrace?.frames ?? [])
        .slice(-shownFrames)
        .toReversed()
        .map((one) =>
          line(
            null,
            `  at ${one.function ?? '?'} (${one.filename ?? '?'}:${one.lineNo ?? '?'})${one.inApp === true ? '' : ' of a library'}`,
          ),
        ),
    ]),
    ...(event.tags.length > 0
      ? [line(null, event.tags.map(({ key, value }) => `${key}=${value ?? ''}`).join(' '))]
      : []),
  ];
}

function plainIso(at: number): string {
  return new Date(at).toISOString().slice(0, 19);
}
