/** GitLab: commits with their diffs, and deployments. Diffs are asked for commit by commit, newest first. */
import { z } from 'zod';
import type { Change, Clock, Signal, SignalFailure } from '../../core/index.ts';
import { examine } from '../health.ts';
import { type Authorization, openHttp } from '../http.ts';
import { type Place, question } from '../question.ts';
import { time } from '../series-text.ts';

export interface GitlabOptions {
  /** `group/name`, or the number of the project. */
  readonly project: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** A bearer token, or the header PRIVATE-TOKEN. */
  readonly authorization?: Authorization;
  /** Of an own server: `https://gitlab.example`. */
  readonly base?: string;
  readonly ref?: string;
  readonly service?: string;
}

const commitReply = z.object({
  id: z.string(),
  title: z.string(),
  author_name: z.string(),
  committed_date: z.string(),
});
const diffReply = z.object({ new_path: z.string(), old_path: z.string(), diff: z.string() });
const deploymentReply = z.object({
  id: z.number(),
  sha: z.string(),
  ref: z.string(),
  status: z.string(),
  created_at: z.string(),
  updated_at: z.string().nullish(),
  environment: z.object({ name: z.string() }).nullish(),
  user: z.object({ name: z.string() }).nullish(),
});

const pageItems = 100;
const mostDiffs = 30;

/** Throws `bad_config` for an address that is none. */
export function openGitlab(options: GitlabOptions): Signal {
  const { project, fetch, clock, authorization, base = 'https://gitlab.com', ref, service = null } = options;
  const http = openHttp({ system: 'gitlab', base, fetch, authorization });
  const place: Place = { system: 'gitlab', source: `gitlab ${http.source} ${project}`, clock };
  const root = `/api/v4/projects/${encodeURIComponent(project)}`;
  const commits = `${root}/repository/commits`;

  const withDiff = async (
    commit: z.infer<typeof commitReply>,
    signal: AbortSignal,
  ): Promise<Change | SignalFailure> => {
    const reply = await http.getJson(
      `${commits}/${commit.id}/diff`,
      { per_page: pageItems },
      z.array(diffReply),
      signal,
    );
    if (reply.kind === 'failure') return reply;
    return {
      ...changeOf(commit, service),
      paths: reply.value.map(({ new_path }) => new_path),
      diff: reply.value
        .map(({ old_path, new_path, diff }) => `diff --git a/${old_path} b/${new_path}\n${diff}`)
        .join('\n'),
    };
  };

  return Object.freeze({
    system: place.system,
    source: place.source,
    offers: 'commits with their diffs, and deployments',
    questions: Object.freeze([
      question(place, {
        name: 'gitlab_changes',
        topic: 'changes',
        description:
          'Commits of the incident and of the calm before it, newest first, the newest with their diffs.',
        parameters: z.object({
          path: z.string().min(1).optional().describe('Only commits that touched this path.'),
        }),
        cost: `up to ${mostDiffs} requests, for the diffs`,
        reach: 'baseline',
        async read({ path }, { window, limits, signal }) {
          const span = { since: iso(window.baseline_from), until: iso(window.to) };
          const parameters = { ...span, ref_name: ref, path, per_page: pageItems };
          const reply = await http.getJson(commits, parameters, z.array(commitReply), signal);
          if (reply.kind === 'failure') return reply;
          const changes: Change[] = [];
          const failed: string[] = [];
          for (const [k, one] of reply.value.entries()) {
            const full = k < Math.min(mostDiffs, limits.rows) ? await withDiff(one, signal) : null;
            if (full?.kind === 'failure') failed.push(full.message);
            changes.push(full === null || full.kind === 'failure' ? changeOf(one, service) : full);
          }
          return {
            kind: 'reading',
            query: `commits${path === undefined ? '' : ` of ${path}`} from ${time(window.baseline_from)} to ${time(window.to)}`,
            rows: { kind: 'changes', changes },
            ...(reply.headers.get('x-next-page') && { total: null }),
            notes: [
              ...(changes.length > mostDiffs ? [`Diffs were read of the newest ${mostDiffs} commits.`] : []),
              ...(failed.length > 0 ? [`${failed.length} diffs could not be read: ${failed[0]}`] : []),
            ],
          };
        },
      }),
      question(place, {
        name: 'gitlab_commit',
        topic: 'changes',
        description: 'One commit with its diff, also from before the window.',
        parameters: z.object({ commit: z.string().regex(/^[0-9a-f]{7,64}$/i) }),
        cost: 'two requests',
        reach: 'past',
        async read({ commit }, { signal }) {
          const reply = await http.getJson(`${commits}/${commit}`, {}, commitReply, signal);
          if (reply.kind === 'failure') return reply;
          const change = await withDiff(reply.value, signal);
          if (change.kind === 'failure') return change;
          return { kind: 'reading', query: `commit ${commit}`, rows: { kind: 'changes', changes: [change] } };
        },
      }),
      question(place, {
        name: 'gitlab_deployments',
        topic: 'changes',
        description:
          'Deployments of the incident and of the calm before it, newest first, each with the commit it brought.',
        parameters: z.object({ environment: z.string().min(1).optional().describe('Such as `production`.') }),
        cost: 'one request',
        reach: 'baseline',
        async read({ environment }, { window, signal }) {
          const span = { updated_after: iso(window.baseline_from), updated_before: iso(window.to) };
          const parameters = {
            ...span,
            environment,
            order_by: 'updated_at',
            sort: 'desc',
            per_page: pageItems,
          };
          const reply = await http.getJson(
            `${root}/deployments`,
            parameters,
            z.array(deploymentReply),
            signal,
          );
          if (reply.kind === 'failure') return reply;
          const changes = reply.value.map(
            (one): Change => ({
              kind: 'deploy',
              id: String(one.id),
              at: Date.parse(one.updated_at ?? one.created_at),
              service,
              author: one.user?.name ?? null,
              title: `deployment of ${one.ref} to ${one.environment?.name ?? 'an environment'}: ${one.status}`,
              commits: [one.sha],
              paths: [],
              diff: null,
            }),
          );
          return {
            kind: 'reading',
            query: `deployments${environment === undefined ? '' : ` to ${environment}`} from ${time(window.baseline_from)} to ${time(window.to)}`,
            rows: { kind: 'changes', changes },
            ...(reply.headers.get('x-next-page') && { total: null }),
          };
        },
      }),
    ]),
    health: (signal) =>
      examine(async (within) => {
        const reply = await http.getJson(root, {}, z.object({ id: z.number() }), within);
        return reply.kind === 'failure' ? reply : { kind: 'healthy', version: null };
      }, signal),
    close: async () => {},
  } satisfies Signal);
}

function changeOf(commit: z.infer<typeof commitReply>, service: string | null): Change {
  return {
    kind: 'commit',
    id: commit.id,
    at: Date.parse(commit.committed_date),
    service,
    author: commit.author_name,
    title: commit.title,
    commits: [commit.id],
    paths: [],
    diff: null,
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
