/** GitHub and GitLab, against doubles that make their answers from the recorded ones, with small pages. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { manualClock, type Signal } from '../core/index.ts';
import { askQuestion } from './asking.contract.ts';
import { openGithub } from './github/github.ts';
import { openGitlab } from './gitlab/gitlab.ts';
import type { Authorization } from './http.ts';
import { type DoubleAnswer, type DoubleRequest, httpDouble } from './http-double.contract.ts';
import { httpSignalContract } from './http-signal.contract.ts';
import { readRecordedBody, readRecording } from './recording.contract.ts';

const noon = Date.UTC(2026, 6, 11, 12);
const hour = 3_600_000;
const window = { from: noon - hour, to: noon + hour, baseline_from: noon - 3 * hour, derivation: 'a test' };
const iso = (at: number): string => new Date(at).toISOString();
const sha = (k: number): string => k.toString(16).padStart(2, '0').repeat(20);
const hours = [2, 0, -1, -2, -5];
const token = 'forge-token-0123456789';

type Bag = Record<string, unknown>;
const hub = readRecording(join(import.meta.dirname, 'github'));
const lab = readRecording(join(import.meta.dirname, 'gitlab'));
const [hubCommit] = readRecordedBody<(Bag & { commit: Bag })[]>(hub, 'github_changes');
const [hubFile, hubImage] = readRecordedBody<{ files: Bag[] }>(hub, 'github_commit').files;
const [hubDeployment] = readRecordedBody<Bag[]>(hub, 'github_deployments');
const [labCommit] = readRecordedBody<Bag[]>(lab, 'gitlab_changes');
const [labDiff] = readRecordedBody<Bag[]>(lab, 'gitlab_changes', 2);
const [labDeployment] = readRecordedBody<Bag[]>(lab, 'gitlab_deployments');

/** Both servers give fewer to a page than they are asked for. */
const size = 2;
const pageOf = <Item>(items: readonly Item[], query: URLSearchParams) => {
  const page = Number(query.get('page') ?? 1);
  return { items: items.slice((page - 1) * size, page * size), page, more: page * size < items.length };
};
const inSpan = (query: URLSearchParams, since: string, until: string) =>
  hours.filter(
    (k) =>
      noon + k * hour >= Date.parse(query.get(since)!) && noon + k * hour <= Date.parse(query.get(until)!),
  );

/** `since` and `until` are inclusive, lists hold no files, and the next page is named by the repository's number. */
function github({ path, query, headers }: DoubleRequest): DoubleAnswer {
  if (headers.authorization !== `Bearer ${token}`)
    return { json: { message: 'Bad credentials', status: '401' }, status: 401 };
  if (Number(query.get('per_page')) > 100) return { json: { message: 'Invalid per_page' }, status: 422 };
  const commit = (k: number): Bag => ({
    ...hubCommit,
    sha: sha(k + 10),
    commit: {
      ...hubCommit!.commit,
      message: `change ${k}\n\nbody`,
      committer: { name: 'GitHub', email: 'noreply@github.com', date: iso(noon + k * hour) },
    },
  });
  const list = (items: readonly unknown[]): DoubleAnswer => {
    const { items: json, page, more } = pageOf(items, query);
    const next = `<https://api.github.com/repositories/1000/x?page=${page + 1}>; rel="next", <https://api.github.com/repositories/1000/x?page=9>; rel="last"`;
    return { json, headers: more ? { link: next } : {} };
  };
  if (path === '/repos/acme/shop') return { json: { full_name: 'acme/shop' } };
  if (path === '/repos/acme/shop/commits') return list(inSpan(query, 'since', 'until').map(commit));
  if (path.startsWith('/repos/acme/shop/commits/')) {
    const k = hours.find((one) => sha(one + 10) === path.split('/').at(-1));
    const files = [{ ...hubFile, patch: `@@ -1 +1 @@\n-a\n+secret = "forge-secret-${k}"` }, hubImage];
    return k === undefined
      ? { json: { message: `No commit found for SHA: ${path}`, status: '422' }, status: 422 }
      : { json: { ...commit(k), files } };
  }
  if (path !== '/repos/acme/shop/deployments') return null;
  return list(
    hours.map((k) => ({ ...hubDeployment, id: 100 + k, sha: sha(k + 10), created_at: iso(noon + k * hour) })),
  );
}

/** The next page is named by a header, which is empty on the last one. */
function gitlab({ path, query, headers }: DoubleRequest): DoubleAnswer {
  if (headers['private-token'] !== token) return { json: { message: '401 Unauthorized' }, status: 401 };
  const root = '/api/v4/projects/acme%2Fshop';
  const commit = (k: number) => ({
    ...labCommit,
    id: sha(k + 10),
    title: `change ${k}`,
    committed_date: iso(noon + k * hour).replace('Z', '+00:00'),
  });
  const list = (items: readonly unknown[]): DoubleAnswer => {
    const { items: json, page, more } = pageOf(items, query);
    return { json, headers: { 'x-page': String(page), 'x-next-page': more ? String(page + 1) : '' } };
  };
  if (path === root) return { json: { id: 1, path_with_namespace: 'acme/shop' } };
  if (path === `${root}/repository/commits`) return list(inSpan(query, 'since', 'until').map(commit));
  if (path.endsWith('/diff'))
    return list([{ ...labDiff, diff: '@@ -1 +1 @@\n-a\n+secret = "forge-secret-0"\n' }]);
  if (path.startsWith(`${root}/repository/commits/`)) return { json: commit(0) };
  if (path !== `${root}/deployments`) return null;
  if (query.get('updated_after') !== null && query.get('order_by') !== 'updated_at')
    return {
      json: { message: '400 Bad request - `updated_at` filter requires `updated_at` sort' },
      status: 400,
    };
  return list(
    inSpan(query, 'updated_after', 'updated_before').map((k) => {
      const at = iso(noon + k * hour);
      return { ...labDeployment, id: k + 5, sha: sha(k + 10), created_at: at, updated_at: at };
    }),
  );
}

const forges = {
  github: {
    answer: github,
    lend: (text: string): Authorization => ({ kind: 'bearer', token: { reveal: () => text } }),
    timed: ['github_changes'],
    open: (base: string, authorization: Authorization): Signal =>
      openGithub({
        base,
        repository: 'acme/shop',
        fetch,
        clock: manualClock(noon),
        authorization,
        service: 'shop',
      }),
  },
  gitlab: {
    answer: gitlab,
    lend: (text: string): Authorization => ({
      kind: 'headers',
      headers: { 'private-token': { reveal: () => text } },
    }),
    timed: ['gitlab_changes', 'gitlab_deployments'],
    open: (base: string, authorization: Authorization): Signal =>
      openGitlab({
        base,
        project: 'acme/shop',
        fetch,
        clock: manualClock(noon),
        service: 'shop',
        authorization,
      }),
  },
} as const;

for (const [name, { answer, open, lend, timed }] of Object.entries(forges)) {
  httpSignalContract(name, {
    answer,
    open: (base) => open(base, lend(token)),
    openStranger: (base) => open(base, lend('another-token-0123456789')),
    window,
    ask: {
      [`${name}_changes`]: { path: 'src' },
      [`${name}_commit`]: { commit: sha(10) },
      [`${name}_deployments`]: { environment: 'production' },
    },
    plentiful: [`${name}_changes`, `${name}_deployments`],
    timed,
    secrets: [token, 'forge-secret-0', 'forge-secret--1'],
  });

  test(`${name}: commits with diffs and deployments of the window; nothing but GET was sent`, async () => {
    const server = await httpDouble(answer);
    const signal = open(server.base, lend(token));
    const see = async (question: string) => {
      const reply = await askQuestion(signal, `${name}_${question}`, {}, window);
      if (reply.kind === 'failure' || reply.rows.kind !== 'changes') throw new Error(JSON.stringify(reply));
      expect(reply.completeness).toBe('complete');
      return reply.rows.changes;
    };
    const commits = await see('changes');
    expect(commits.map(({ title }) => title)).toEqual(['change 0', 'change -1', 'change -2']);
    expect(commits[0]).toMatchObject({
      id: sha(10),
      at: noon,
      service: 'shop',
      author: 'Ann',
      diff: expect.stringContaining('+secret = "[secret]"'),
    });
    const deploys = await see('deployments');
    expect(deploys[0]).toMatchObject({ kind: 'deploy', at: noon, commits: [sha(10)], service: 'shop' });
    expect(deploys.every(({ at }) => at < window.to)).toBe(true);
    expect(new Set(server.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
    await server.close();
  });
}
