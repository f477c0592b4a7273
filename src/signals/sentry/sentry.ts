/**
 * Sentry: errors grouped into issues, the stack of one, and releases. Times are asked for in UTC without a
 * zone. In issues of a stretch of time, `count`, `firstSeen` and `lastSeen` cover that stretch, and
 * `lifetime` covers all time: it shows which issues are new.
 */
import { z } from 'zod';
import type { Change, Clock, LogLine, LogPattern, Signal } from '../../core/index.ts';
import { checkHealth } from '../health.ts';
import { type Authorization, openHttp } from '../http.ts';
import { levelOf } from '../logs/record.ts';
import { nextLink, readPages } from '../pages.ts';
import { question, type SystemSource } from '../question.ts';
import { isoTime, time } from '../series-text.ts';

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
    lifetime: z.object({ firstSeen: z.string().nullish() }).nullish(),
    project: z.object({ slug: z.string() }).nullish(),
  }),
);
const frame = z.object({
  filename: z.string().nullish(),
  function: z.string().nullish(),
  lineNo: z.number().nullish(),
  inApp: z.boolean().nullish(),
});
const eventsReply = z.array(
  z.object({
    eventID: z.string(),
    dateCreated: z.string().nullish(),
    message: z.string().nullish(),
    tags: z.array(z.object({ key: z.string(), value: z.string().nullish() })).default([]),
    entries: z.array(z.object({ type: z.string(), data: z.unknown() })).default([]),
  }),
);
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
    projects: z.array(z.object({ slug: z.string().optional() })).default([]),
  }),
);
type ReleaseReply = z.infer<typeof releasesReply>[number];

/** Items of one page. */
const max = 100;
const maxPages = 5;
/** Frames of a stack that are shown, the innermost ones. */
const shownFrames = 12;

/** Throws `bad_config` if the address is not a valid URL. */
export function openSentry(options: SentryOptions): Signal {
  const { base = 'https://sentry.io', organization, fetch, clock, authorization } = options;
  const http = openHttp({ system: 'sentry', base, fetch, authorization });
  const place: SystemSource = { system: 'sentry', source: `sentry ${http.source} ${organization}`, clock };
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
            limit: Math.min(max, limits.rows + 1),
          };
          const reply = await http.getJson(`${root}/issues/`, parameters, issuesReply, signal);
          if (reply.kind === 'failure') return reply;
          const patterns = reply.value.map((one): LogPattern => {
            const firstEver = one.lifetime?.firstSeen ?? one.firstSeen;
            return {
              template: `issue ${one.id} ${one.shortId ?? ''} first seen ${firstEver}: ${one.title}${one.culprit ? ` in ${one.culprit}` : ''}`,
              service: one.project?.slug ?? null,
              level: levelOf(one.level),
              count: Number(one.count),
              // First seen in the window: it was not there before.
              baseline: Date.parse(firstEver) >= window.from ? 0 : null,
              first: Math.max(Date.parse(one.firstSeen), window.from),
              last: Math.min(Date.parse(one.lastSeen), window.to - 1),
              example: `issue ${one.id}, ${one.userCount ?? 0} users, first seen ${firstEver}`,
            };
          });
          return {
            kind: 'reading',
            query: `issues ${query ?? ''} from ${time(window.from)} to ${time(window.to)}`,
            rows: { kind: 'patterns', patterns, lines: patterns.reduce((sum, { count }) => sum + count, 0) },
            ...(nextLink(reply.headers) !== null && { total: null }),
          };
        },
      }),
      question(place, {
        name: 'sentry_stack',
        topic: 'errors',
        description:
          'The stack, message and tags of the latest event of an issue, in the incident or the calm before it.',
        parameters: z.object({
          issue: z
            .string()
            .regex(/^\d{1,20}$/)
            .describe('The number of the issue.'),
        }),
        cost: 'one request',
        reach: 'baseline',
        async read({ issue }, { window, signal }) {
          const span = { start: plainIso(window.baseline_from), end: plainIso(window.to) };
          const parameters = { ...span, full: 'true', per_page: 1 };
          const reply = await http.getJson(
            `${root}/issues/${issue}/events/`,
            parameters,
            eventsReply,
            signal,
          );
          if (reply.kind === 'failure') return reply;
          const lines = reply.value.slice(0, 1).flatMap(eventLines);
          return {
            kind: 'reading',
            query: `latest event of issue ${issue} from ${time(window.baseline_from)} to ${time(window.to)}`,
            rows: { kind: 'lines', lines },
          };
        },
      }),
      question(place, {
        name: 'sentry_releases',
        topic: 'changes',
        description: 'Releases of the incident and of the calm before it, with their last commit.',
        parameters: z.object({
          version: z.string().min(1).optional().describe('Only versions that begin with this.'),
        }),
        cost: `one request for ${max} releases`,
        reach: 'baseline',
        async read({ version }, { window, signal }) {
          // In the order of creation, newest first; they can't be asked for by time.
          const older = (one: ReleaseReply | undefined): boolean =>
            one !== undefined && Date.parse(one.dateCreated) < window.baseline_from;
          const found = await readPages<ReleaseReply, string>(
            maxPages,
            async (cursor) => {
              const parameters = { query: version, per_page: max, cursor: cursor ?? undefined };
              const reply = await http.getJson(`${root}/releases/`, parameters, releasesReply, signal);
              if (reply.kind === 'failure') return reply;
              const next = nextLink(reply.headers)?.searchParams.get('cursor') ?? null;
              return { kind: 'page', items: reply.value, next };
            },
            (items) => older(items.at(-1)),
          );
          if (found.kind === 'failure') return found;
          return {
            kind: 'reading',
            query: `releases ${version ?? ''} from ${time(window.baseline_from)} to ${time(window.to)}`,
            rows: { kind: 'changes', changes: found.items.map(changeOf) },
            ...(!found.isComplete && !older(found.items.at(-1)) && { total: null }),
            notes: found.notes,
          };
        },
      }),
    ]),
    health: (signal, mask) =>
      checkHealth(
        async (within) => {
          const reply = await http.getJson(`${root}/`, {}, z.object({ slug: z.string() }), within);
          return reply.kind === 'failure' ? reply : { kind: 'healthy', version: null };
        },
        signal,
        mask,
      ),
    close: async () => {},
  } satisfies Signal);
}

function changeOf(one: ReleaseReply): Change {
  const said = one.lastCommit?.message?.split('\n')[0];
  return {
    kind: 'deploy',
    id: one.version,
    at: Date.parse(one.dateReleased ?? one.dateCreated),
    service: one.projects[0]?.slug ?? null,
    author: null,
    title: `release ${one.version} of ${one.commitCount ?? 0} commits${said ? `, last: ${said}` : ''}`,
    commits: one.lastCommit == null ? [] : [one.lastCommit.id],
    paths: [],
    diff: null,
  };
}

function eventLines(event: z.infer<typeof eventsReply>[number]): readonly LogLine[] {
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
  return isoTime(at).slice(0, 19);
}
