/**
 * GitHub: commits with their diffs, and deployments. A list has at most a hundred entries per page, links to the next
 * page in the header `link`, and contains no diffs. Deployments can't be filtered by time.
 */
import { z } from 'zod';
import type { Change, Rights, Signal } from '../../core/index.ts';
import { type ForgeOptions, forgeSignal, pageSize } from '../forge.ts';
import { openHttp } from '../http.ts';
import { nextLink } from '../pages.ts';
import { isoTime } from '../series-text.ts';

export interface GithubOptions extends ForgeOptions {
  /** `owner/name`. */
  readonly repository: string;
}

const commitReply = z.object({
  sha: z.string(),
  commit: z.object({
    message: z.string(),
    author: z.object({ name: z.string().optional() }).nullish(),
    committer: z.object({ date: z.string().optional() }).nullish(),
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

/** Throws `bad_config` if the base address is not a valid URL. */
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
  const repositoryPath = `/repos/${repository.split('/').map(encodeURIComponent).join('/')}`;

  const readCommit = async (sha: string, signal: AbortSignal) => {
    const reply = await http.getJson(`${repositoryPath}/commits/${sha}`, {}, commitReply, signal);
    return reply.kind === 'failure'
      ? reply
      : changeOf(reply.value, service, nextLink(reply.headers) !== null);
  };

  return forgeSignal({
    place: { system: 'github', source: `github ${http.source} ${repository}`, clock },
    commit: readCommit,
    withDiff: ({ id }, signal) => readCommit(id, signal),
    async commits(page, { window, path, signal }) {
      const timeRange = { since: isoTime(window.baseline_from), until: isoTime(window.to) };
      const parameters = { ...timeRange, sha: ref, path, per_page: pageSize, page };
      const reply = await http.getJson(`${repositoryPath}/commits`, parameters, z.array(commitReply), signal);
      if (reply.kind === 'failure') return reply;
      const items = reply.value.map((commit) => changeOf(commit, service, false));
      return { kind: 'page', items, next: nextLink(reply.headers) === null ? null : page + 1 };
    },
    async deployments(page, { environment, signal }) {
      const parameters = { environment, per_page: pageSize, page };
      const reply = await http.getJson(
        `${repositoryPath}/deployments`,
        parameters,
        z.array(deploymentReply),
        signal,
      );
      if (reply.kind === 'failure') return reply;
      const items = reply.value.map(
        (deployment): Change => ({
          kind: 'deploy',
          id: String(deployment.id),
          at: Date.parse(deployment.created_at),
          service,
          author: deployment.creator?.login ?? null,
          title: `deployment of ${deployment.ref} to ${deployment.environment}${deployment.description ? `: ${deployment.description}` : ''}`,
          commits: [deployment.sha],
          paths: [],
          diff: null,
        }),
      );
      return { kind: 'page', items, next: nextLink(reply.headers) === null ? null : page + 1 };
    },
    async health(signal) {
      const reply = await http.getJson(repositoryPath, {}, z.object({ full_name: z.string() }), signal);
      return reply.kind === 'failure' ? reply : { kind: 'healthy', version: null };
    },
    // For fine-grained tokens GitHub does not list scopes.
    async inspect(signal) {
      const reply = await http.getJson(repositoryPath, {}, z.object({}), signal);
      const scopes = reply.kind === 'failure' ? null : reply.headers.get('x-oauth-scopes');
      return { rights: scopes === null ? 'unknown' : rightsOf(scopes), clockMs: null };
    },
  });
}

/** The scopes that a token has beyond reading. None is missing, since the token could read the repository. */
function rightsOf(scopes: string): Exclude<Rights, 'unknown'> {
  const excess = scopes
    .split(',')
    .map((scope) => scope.trim())
    .filter((scope) => scope !== '' && !acceptedScopes.test(scope));
  return { missing: [], excess };
}

/** Accepted scopes. `repo` also allows writing, but no smaller scope reads private repositories. */
const acceptedScopes = /^(?:repo|public_repo|repo:status|repo_deployment|read:.+)$/;

/**
 * A commit with very many files is returned in pages, of which only the first is read; `hasMoreFiles` says whether
 * there are others.
 */
function changeOf(
  { sha, commit, files }: z.infer<typeof commitReply>,
  service: string | null,
  hasMoreFiles: boolean,
): Change {
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
    diff:
      patches === undefined
        ? null
        : [...patches, ...(hasMoreFiles ? ['(more files are not shown)'] : [])].join('\n'),
  };
}
