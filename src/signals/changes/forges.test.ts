import { expect, test } from 'vitest';
import { manualClock, type Signal } from '../../core/index.ts';
import { brokenServers, type DoubleRequest, httpDouble } from '../http-double.contract.ts';
import { contractLimits, signalContract } from '../signal.contract.ts';
import { openGithub } from './github.ts';
import { openGitlab } from './gitlab.ts';

const noon = Date.UTC(2026, 6, 11, 12);
const hour = 3_600_000;
const window = { from: noon - hour, to: noon + hour, baseline_from: noon - 3 * hour, derivation: 'a test' };
const iso = (at: number): string => new Date(at).toISOString();
const sha = (k: number): string => k.toString(16).padStart(2, '0').repeat(20);
const hours = [2, 0, -1, -2, -5];
const token = 'forge-token-0123456789';
const authorization = { kind: 'bearer', token: { reveal: () => token } } as const;

/** As the documentation of GitHub has it: `since` and `until` are inclusive, lists hold no files. */
function github({ path, query, headers }: DoubleRequest) {
  if (headers.authorization !== `Bearer ${token}`)
    return { json: { message: 'Bad credentials' }, status: 401 };
  const commit = (k: number, files: boolean) => ({
    sha: sha(k + 10),
    commit: {
      message: `change ${k}\n\nbody`,
      author: { name: 'Ann', email: 'a@x', date: iso(0) },
      committer: { name: 'GitHub', date: iso(noon + k * hour) },
    },
    author: null,
    ...(files && {
      files: [
        {
          filename: 'src/shop.ts',
          status: 'modified',
          patch: `@@ -1 +1 @@\n-a\n+secret = "forge-secret-${k}"`,
        },
        { filename: 'logo.png', status: 'added' },
      ],
    }),
  });
  if (path === '/repos/acme/shop') return { json: { full_name: 'acme/shop' } };
  if (path === '/repos/acme/shop/commits')
    return {
      json: hours
        .filter(
          (k) =>
            noon + k * hour >= Date.parse(query.get('since')!) &&
            noon + k * hour <= Date.parse(query.get('until')!),
        )
        .map((k) => commit(k, false)),
    };
  if (path.startsWith('/repos/acme/shop/commits/')) {
    const k = hours.find((one) => sha(one + 10) === path.split('/').at(-1));
    return k === undefined ? { json: { message: 'Not Found' }, status: 404 } : { json: commit(k, true) };
  }
  if (path === '/repos/acme/shop/deployments')
    return {
      json: hours.map((k) => ({
        id: 100 + k,
        sha: sha(k + 10),
        ref: 'main',
        environment: 'production',
        description: null,
        created_at: iso(noon + k * hour),
        creator: { login: 'ann' },
      })),
    };
  return null;
}

/** As the documentation of GitLab has it. */
function gitlab({ path, query, headers }: DoubleRequest) {
  if (headers['private-token'] !== token) return { json: { message: '401 Unauthorized' }, status: 401 };
  const root = '/api/v4/projects/acme%2Fshop';
  const commit = (k: number) => ({
    id: sha(k + 10),
    short_id: sha(k + 10).slice(0, 8),
    title: `change ${k}`,
    author_name: 'Ann',
    committed_date: iso(noon + k * hour),
  });
  if (path === root) return { json: { id: 1, path_with_namespace: 'acme/shop' } };
  if (path === `${root}/repository/commits`)
    return {
      json: hours
        .filter(
          (k) =>
            noon + k * hour >= Date.parse(query.get('since')!) &&
            noon + k * hour <= Date.parse(query.get('until')!),
        )
        .map(commit),
    };
  if (path.endsWith('/diff'))
    return {
      json: [
        {
          old_path: 'a.ts',
          new_path: 'b.ts',
          diff: '@@ -1 +1 @@\n-a\n+secret = "forge-secret-0"',
          renamed_file: true,
        },
      ],
    };
  if (path.startsWith(`${root}/repository/commits/`)) return { json: commit(0) };
  if (path === `${root}/deployments`)
    return {
      json: [0, -1].map((k) => ({
        id: k + 5,
        iid: 1,
        sha: sha(k + 10),
        ref: 'main',
        status: 'success',
        created_at: iso(noon + k * hour),
        updated_at: iso(noon + k * hour),
        environment: { name: 'production' },
        user: { name: 'Ann', username: 'ann' },
      })),
    };
  return null;
}

const forges = {
  github: {
    answer: github,
    open: (base: string): Signal =>
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
    open: (base: string): Signal =>
      openGitlab({
        base,
        project: 'acme/shop',
        fetch,
        clock: manualClock(noon),
        service: 'shop',
        authorization: { kind: 'headers', headers: { 'private-token': authorization.token } },
      }),
  },
} as const;

for (const [name, { answer, open }] of Object.entries(forges)) {
  signalContract(name, async () => {
    const server = await httpDouble(answer);
    const { broken, close } = await brokenServers(open);
    return {
      signal: open(server.base),
      window,
      ask: { [`${name}_changes`]: {}, [`${name}_commit`]: { commit: sha(10) }, [`${name}_deployments`]: {} },
      plentiful: [`${name}_changes`, `${name}_deployments`],
      secrets: [token, 'forge-secret-0', 'forge-secret--1'],
      broken,
      async dispose() {
        await server.close();
        await close();
      },
    };
  });

  test(`${name}: commits with diffs and deployments of the window; nothing but GET was sent`, async () => {
    const server = await httpDouble(answer);
    const signal = open(server.base);
    const see = async (question: string) => {
      const reply = await signal.questions
        .find((one) => one.name === `${name}_${question}`)!
        .ask({}, { window, limits: contractLimits });
      if (reply.kind === 'failure' || reply.rows.kind !== 'changes') throw new Error(JSON.stringify(reply));
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
