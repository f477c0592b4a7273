/**
 * GitLab: commits with their diffs, and deployments. A list has at most 100 entries per page, and the number of the next
 * page in the header `x-next-page`. A file that is too large to compare has an empty diff.
 */
import { z } from 'zod';
import type { Change, Signal, SignalFailure } from '../../core/index.ts';
import { type ForgeOptions, forgeSignal, pageSize } from '../forge.ts';
import { openHttp } from '../http.ts';
import { isoTime } from '../series-text.ts';

/** GitLab accepts a bearer token, or a token in the header PRIVATE-TOKEN. */
export interface GitlabOptions extends ForgeOptions {
  /** `group/name`, or the number of the project. */
  readonly project: string;
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

/** Throws `bad_config` if the base address is not a valid URL. */
export function openGitlab(options: GitlabOptions): Signal {
  const { project, fetch, clock, authorization, base = 'https://gitlab.com', ref, service = null } = options;
  const http = openHttp({ system: 'gitlab', base, fetch, authorization });
  const projectPath = `/api/v4/projects/${encodeURIComponent(project)}`;
  const commitsPath = `${projectPath}/repository/commits`;

  const withDiff = async (commit: Change, signal: AbortSignal): Promise<Change | SignalFailure> => {
    const parameters = { per_page: pageSize };
    const reply = await http.getJson(
      `${commitsPath}/${commit.id}/diff`,
      parameters,
      z.array(diffReply),
      signal,
    );
    if (reply.kind === 'failure') return reply;
    const patches = reply.value.map(
      ({ old_path, new_path, diff }) =>
        `diff --git a/${old_path} b/${new_path}\n${diff.trimEnd() || '(no text to compare)'}`,
    );
    return {
      ...commit,
      paths: reply.value.map(({ new_path }) => new_path),
      diff: [...patches, ...(nextPage(reply.headers) === null ? [] : ['(more files are not shown)'])].join(
        '\n',
      ),
    };
  };

  return forgeSignal({
    place: { system: 'gitlab', source: `gitlab ${http.source} ${project}`, clock },
    withDiff,
    async commit(sha, signal) {
      const reply = await http.getJson(`${commitsPath}/${sha}`, {}, commitReply, signal);
      return reply.kind === 'failure' ? reply : withDiff(changeOf(reply.value, service), signal);
    },
    async commits(page, { window, path, signal }) {
      const timeRange = { since: isoTime(window.baseline_from), until: isoTime(window.to) };
      const parameters = { ...timeRange, ref_name: ref, path, per_page: pageSize, page };
      const reply = await http.getJson(commitsPath, parameters, z.array(commitReply), signal);
      if (reply.kind === 'failure') return reply;
      const items = reply.value.map((commit) => changeOf(commit, service));
      return { kind: 'page', items, next: nextPage(reply.headers) };
    },
    async deployments(page, { window, environment, signal }) {
      const timeRange = { updated_after: isoTime(window.baseline_from), updated_before: isoTime(window.to) };
      // GitLab accepts `updated_after` only with `order_by=updated_at`.
      const order = { order_by: 'updated_at', sort: 'desc' };
      const parameters = { ...timeRange, ...order, environment, per_page: pageSize, page };
      const reply = await http.getJson(
        `${projectPath}/deployments`,
        parameters,
        z.array(deploymentReply),
        signal,
      );
      if (reply.kind === 'failure') return reply;
      const items = reply.value.map(
        (deployment): Change => ({
          kind: 'deploy',
          id: String(deployment.id),
          at: Date.parse(deployment.updated_at ?? deployment.created_at),
          service,
          author: deployment.user?.name ?? null,
          title: `deployment of ${deployment.ref} to ${deployment.environment?.name ?? 'an environment'}: ${deployment.status}`,
          commits: [deployment.sha],
          paths: [],
          diff: null,
        }),
      );
      return { kind: 'page', items, next: nextPage(reply.headers) };
    },
    async health(signal) {
      const reply = await http.getJson(projectPath, {}, z.object({ id: z.number() }), signal);
      return reply.kind === 'failure' ? reply : { kind: 'healthy', version: null };
    },
  });
}

/** The number of the next page; null on the last page, where the header is empty. */
function nextPage(headers: Headers): number | null {
  return Number(headers.get('x-next-page')) || null;
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
