/**
 * GitHub: commits with their diffs, and deployments. A list gives at most a hundred a page and no diffs; each
 * commit has to be asked for by itself, so only the newest ones are.
 */
import { z } from 'zod';
import type { Change, Clock, Signal, SignalFailure } from '../../core/index.ts';
import { examine } from '../health.ts';
import { type Authorization, openHttp } from '../http.ts';
import { type Place, question } from '../question.ts';
import { time } from '../series-text.ts';

export interface GithubOptions {
  /** `owner/name`. */
  readonly repository: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly authorization?: Authorization;
  /** Of an own server: `https://github.example/api/v3`. */
  readonly base?: string;
  /** What is deployed; the default branch where absent. */
  readonly ref?: string;
  readonly service?: string;
}

const commitReply = z.object({
  sha: z.string(),
  commit: z.object({
    message: z.string(),
    author: z.object({ name: z.string() }).nullish(),
    committer: z.object({ date: z.string() }).nullish(),
  }),
  files: z.array(z.object({ filename: z.string(), patch: z.string().optional() })).optional(),
});
const deploymentReply = z.object({
  id: z.number(),
  sha: z.string(),
  ref: z.string(),
  environment: z.string(),
  description: z.string().nullish(),
  created_at: z.string(),
  creator: z.object({ login: z.string() }).nullish(),
});

const pageItems = 100;
const mostPages = 5;
/** Commits whose diffs are fetched for one question, newest first. */
const mostDiffs = 30;

/** Throws `bad_config` for an address that is none. */
export function openGithub(options: GithubOptions): Signal {
  const {
    repository,
    fetch,
    clock,
    authorization,
    base = 'https://api.github.com',
    ref,
    service = null,
  } = options;
  const headers = {
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    'user-agent': 'sonde',
  };
  const http = openHttp({ system: 'github', base, fetch, authorization, headers });
  const place: Place = { system: 'github', source: `github ${http.source} ${repository}`, clock };
  const root = `/repos/${repository.split('/').map(encodeURIComponent).join('/')}`;

  const commit = async (sha: string, signal: AbortSignal): Promise<Change | SignalFailure> => {
    const reply = await http.getJson(`${root}/commits/${encodeURIComponent(sha)}`, {}, commitReply, signal);
    return reply.kind === 'failure' ? reply : changeOf(reply.value, service);
  };

  return Object.freeze({
    system: place.system,
    source: place.source,
    offers: 'commits with their diffs, and deployments',
    questions: Object.freeze([
      question(place, {
        name: 'github_changes',
        topic: 'changes',
        description:
          'Commits of the incident and of the calm before it, newest first, the newest with their diffs.',
        parameters: z.object({
          path: z.string().min(1).optional().describe('Only commits that touched this path.'),
        }),
        cost: `up to ${mostDiffs} requests, for the diffs`,
        reach: 'baseline',
        async read({ path }, { window, limits, signal }) {
          const found: z.infer<typeof commitReply>[] = [];
          let more = false;
          for (let page = 1; page <= mostPages && found.length <= limits.rows; page++) {
            const span = { since: iso(window.baseline_from), until: iso(window.to) };
            const parameters = { ...span, sha: ref, path, per_page: pageItems, page };
            const reply = await http.getJson(`${root}/commits`, parameters, z.array(commitReply), signal);
            if (reply.kind === 'failure') return reply;
            found.push(...reply.value);
            more = reply.value.length === pageItems;
            if (!more) break;
          }
          const changes: Change[] = [];
          const failed: string[] = [];
          for (const [k, one] of found.entries()) {
            const full = k < Math.min(mostDiffs, limits.rows) ? await commit(one.sha, signal) : null;
            if (full?.kind === 'failure') failed.push(full.message);
            changes.push(full === null || full.kind === 'failure' ? changeOf(one, service) : full);
          }
          return {
            kind: 'reading',
            query: `commits${path === undefined ? '' : ` of ${path}`} from ${time(window.baseline_from)} to ${time(window.to)}`,
            rows: { kind: 'changes', changes },
            ...(more && { total: null }),
            notes: [
              ...(found.length > mostDiffs ? [`Diffs were read of the newest ${mostDiffs} commits.`] : []),
              ...(failed.length > 0 ? [`${failed.length} diffs could not be read: ${failed[0]}`] : []),
            ],
          };
        },
      }),
      question(place, {
        name: 'github_commit',
        topic: 'changes',
        description: 'One commit with its diff, also from before the window.',
        parameters: z.object({ commit: z.string().regex(/^[0-9a-f]{7,64}$/i) }),
        cost: 'one request',
        reach: 'past',
        async read({ commit: sha }, { signal }) {
          const change = await commit(sha, signal);
          if (change.kind === 'failure') return change;
          return { kind: 'reading', query: `commit ${sha}`, rows: { kind: 'changes', changes: [change] } };
        },
      }),
      question(place, {
        name: 'github_deployments',
        topic: 'changes',
        description:
          'Deployments of the incident and of the calm before it, newest first, each with the commit it brought.',
        parameters: z.object({ environment: z.string().min(1).optional().describe('Such as `production`.') }),
        cost: 'one request a hundred deployments',
        reach: 'baseline',
        async read({ environment }, { window, signal }) {
          const changes: Change[] = [];
          let more = false;
          // Newest first, and no way to ask for a stretch of time: read until they are older than it.
          for (let page = 1; page <= mostPages; page++) {
            const parameters = { environment, per_page: pageItems, page };
            const reply = await http.getJson(
              `${root}/deployments`,
              parameters,
              z.array(deploymentReply),
              signal,
            );
            if (reply.kind === 'failure') return reply;
            for (const one of reply.value)
              changes.push({
                kind: 'deploy',
                id: String(one.id),
                at: Date.parse(one.created_at),
                service,
                author: one.creator?.login ?? null,
                title: `deployment of ${one.ref} to ${one.environment}${one.description ? `: ${one.description}` : ''}`,
                commits: [one.sha],
                paths: [],
                diff: null,
              });
            more = reply.value.length === pageItems && changes.at(-1)!.at >= window.baseline_from;
            if (!more) break;
          }
          return {
            kind: 'reading',
            query: `deployments${environment === undefined ? '' : ` to ${environment}`} from ${time(window.baseline_from)} to ${time(window.to)}`,
            rows: { kind: 'changes', changes },
            ...(more && { total: null }),
          };
        },
      }),
    ]),
    health: (signal) =>
      examine(async (within) => {
        const reply = await http.getJson(root, {}, z.object({ full_name: z.string() }), within);
        return reply.kind === 'failure' ? reply : { kind: 'healthy', version: null };
      }, signal),
    close: async () => {},
  } satisfies Signal);
}

function changeOf({ sha, commit, files }: z.infer<typeof commitReply>, service: string | null): Change {
  const patches = files?.map(
    ({ filename, patch }) => `diff --git a/${filename} b/${filename}\n${patch ?? '(no text to compare)'}`,
  );
  return {
    kind: 'commit',
    id: sha,
    at: Date.parse(commit.committer?.date ?? ''),
    service,
    author: commit.author?.name ?? null,
    title: commit.message.split('\n')[0] ?? '',
    commits: [sha],
    paths: files?.map(({ filename }) => filename) ?? [],
    diff: patches === undefined ? null : patches.join('\n'),
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
