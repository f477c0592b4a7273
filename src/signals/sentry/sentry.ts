/**
 * Sentry: errors grouped into issues, the stack trace of an issue, and releases. Times in requests are UTC, without a
 * zone. If issues are requested for a time range, `count`, `firstSeen` and `lastSeen` cover that range only; `lifetime`
 * covers all time, and so shows which issues are new.
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
const frameSchema = z.object({
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
      stacktrace: z.object({ frames: z.array(frameSchema).nullish() }).nullish(),
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

/** Maximum number of items per page. */
const itemsPerPage = 100;
const maxPages = 5;
/** Maximum number of stack frames that are shown; the innermost ones are kept. */
const maxFrames = 12;

/** Throws `bad_config` if the address is not a valid URL. */
export function openSentry(options: SentryOptions): Signal {
  const { base = 'https://sentry.io', organization, fetch, clock, authorization } = options;
  const http = openHttp({ system: 'sentry', base, fetch, authorization });
  const place: SystemSource = { system: 'sentry', source: `sentry ${http.source} ${organization}`, clock };
  const organizationPath = `/api/0/organizations/${encodeURIComponent(organization)}`;
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
          const timeRange = { start: isoWithoutZone(window.from), end: isoWithoutZone(window.to) };
          const parameters = {
            ...timeRange,
            query: query ?? '',
            sort: 'freq',
            limit: Math.min(itemsPerPage, limits.rows + 1),
          };
          const reply = await http.getJson(`${organizationPath}/issues/`, parameters, issuesReply, signal);
          if (reply.kind === 'failure') return reply;
          const patterns = reply.value.map((issue): LogPattern => {
            const firstEver = issue.lifetime?.firstSeen ?? issue.firstSeen;
            return {
              template: `issue ${issue.id} ${issue.shortId ?? ''} first seen ${firstEver}: ${issue.title}${issue.culprit ? ` in ${issue.culprit}` : ''}`,
              service: issue.project?.slug ?? null,
              level: levelOf(issue.level),
              count: Number(issue.count),
              // An issue that was first seen in the window did not occur before it; otherwise the count is unknown.
              baseline: Date.parse(firstEver) >= window.from ? 0 : null,
              first: Math.max(Date.parse(issue.firstSeen), window.from),
              last: Math.min(Date.parse(issue.lastSeen), window.to - 1),
              example: `issue ${issue.id}, ${issue.userCount ?? 0} users, first seen ${firstEver}`,
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
          const timeRange = { start: isoWithoutZone(window.baseline_from), end: isoWithoutZone(window.to) };
          const parameters = { ...timeRange, full: 'true', per_page: 1 };
          const reply = await http.getJson(
            `${organizationPath}/issues/${issue}/events/`,
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
        cost: `one request for ${itemsPerPage} releases`,
        reach: 'baseline',
        async read({ version }, { window, signal }) {
          // Releases come in the order of creation, newest first; the API can't filter them by time.
          const isBeforeBaseline = (release: ReleaseReply | undefined): boolean =>
            release !== undefined && Date.parse(release.dateCreated) < window.baseline_from;
          const pages = await readPages<ReleaseReply, string>(
            maxPages,
            async (cursor) => {
              const parameters = { query: version, per_page: itemsPerPage, cursor: cursor ?? undefined };
              const reply = await http.getJson(
                `${organizationPath}/releases/`,
                parameters,
                releasesReply,
                signal,
              );
              if (reply.kind === 'failure') return reply;
              const next = nextLink(reply.headers)?.searchParams.get('cursor') ?? null;
              return { kind: 'page', items: reply.value, next };
            },
            (items) => isBeforeBaseline(items.at(-1)),
          );
          if (pages.kind === 'failure') return pages;
          return {
            kind: 'reading',
            query: `releases ${version ?? ''} from ${time(window.baseline_from)} to ${time(window.to)}`,
            rows: { kind: 'changes', changes: pages.items.map(changeOf) },
            ...(!pages.isComplete && !isBeforeBaseline(pages.items.at(-1)) && { total: null }),
            notes: pages.notes,
          };
        },
      }),
    ]),
    health: (signal, mask) =>
      checkHealth(
        async (healthSignal) => {
          const reply = await http.getJson(
            `${organizationPath}/`,
            {},
            z.object({ slug: z.string() }),
            healthSignal,
          );
          return reply.kind === 'failure' ? reply : { kind: 'healthy', version: null };
        },
        signal,
        mask,
      ),
    close: async () => {},
  } satisfies Signal);
}

function changeOf(release: ReleaseReply): Change {
  const commitTitle = release.lastCommit?.message?.split('\n')[0];
  return {
    kind: 'deploy',
    id: release.version,
    at: Date.parse(release.dateReleased ?? release.dateCreated),
    service: release.projects[0]?.slug ?? null,
    author: null,
    title: `release ${release.version} of ${release.commitCount ?? 0} commits${commitTitle ? `, last: ${commitTitle}` : ''}`,
    commits: release.lastCommit == null ? [] : [release.lastCommit.id],
    paths: [],
    diff: null,
  };
}

function eventLines(event: z.infer<typeof eventsReply>[number]): readonly LogLine[] {
  const at = Number.isNaN(Date.parse(event.dateCreated ?? '')) ? null : Date.parse(event.dateCreated!);
  const toLine = (level: string | null, text: string): LogLine => ({ at, service: null, level, text });
  const exceptions = event.entries
    .filter(({ type }) => type === 'exception')
    .flatMap(({ data }) => {
      const parsedData = exceptionData.safeParse(data);
      return parsedData.success ? parsedData.data.values : [];
    });
  return [
    ...(event.message ? [toLine('ERROR', event.message)] : []),
    ...exceptions.flatMap(({ type, value, stacktrace }) => [
      toLine('ERROR', `${type ?? 'Error'}: ${value ?? ''}`),
      ...(stacktrace?.frames ?? [])
        .slice(-maxFrames)
        .toReversed()
        .map((stackFrame) =>
          toLine(
            null,
            `  at ${stackFrame.function ?? '?'} (${stackFrame.filename ?? '?'}:${stackFrame.lineNo ?? '?'})${stackFrame.inApp === true ? '' : ' of a library'}`,
          ),
        ),
    ]),
    ...(event.tags.length > 0
      ? [toLine(null, event.tags.map(({ key, value }) => `${key}=${value ?? ''}`).join(' '))]
      : []),
  ];
}

function isoWithoutZone(at: number): string {
  return isoTime(at).slice(0, 19);
}
