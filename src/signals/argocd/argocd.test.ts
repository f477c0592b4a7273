import { expect, test } from 'vitest';
import { manualClock, type Signal } from '../../core/index.ts';
import { askQuestion, isoFromNoon as iso, noon, noonWindow as window } from '../asking.contract.ts';
import { type DoubleAnswer, type DoubleRequest, httpDouble } from '../http-double.contract.ts';
import { httpSignalContract } from '../http-signal.contract.ts';
import { readRecordedBody, readRecording } from '../recording.contract.ts';
import { openArgocd } from './argocd.ts';

const token = 'argocd-token-0123456789';
const recording = readRecording(import.meta.dirname);
interface Recorded {
  readonly spec: { readonly source: object };
  readonly status: object;
}
const [orders, web] = readRecordedBody<{ items: [Recorded, Recorded] }>(
  recording,
  'argocd_applications',
).items;
const tree = readRecordedBody<object>(recording, 'argocd_applications', 1);
const commit = (k: number): string => String(k).padEnd(40, 'a');

/** One more than those that were recorded: many syncs, with a secret among the settings. */
const history = [-500, -20, 3, 9].map((k) => ({
  id: 100 + k,
  revision: commit(k + 500),
  deployedAt: iso(k),
  initiatedBy: { username: 'ann' },
  source: {
    ...orders.spec.source,
    helm: {
      parameters: [
        { name: 'db.password', value: `hunter2-secret-${k}` },
        { name: 'workers', value: String(10 - k) },
      ],
      values: `queue:\n  size: ${100 + k}\n  name: jobs\n`,
    },
  },
}));
const busy = { ...orders, status: { ...orders.status, history } };

function server({ path, query, headers }: DoubleRequest): DoubleAnswer {
  if (path === '/api/version') return { json: { Version: 'v3.6.0+37ee009' } };
  if (headers.authorization !== `Bearer ${token}`)
    return { json: { error: 'invalid session', code: 16, message: 'invalid session' }, status: 401 };
  if (path === '/api/v1/applications') {
    const only = query.get('fields') !== null;
    return { json: { metadata: {}, items: only ? [] : [busy, web] } };
  }
  if (path.endsWith('/resource-tree')) return { json: tree };
  if (path.endsWith('/metadata'))
    return {
      json: { author: 'ann', date: iso(0), message: `run 0d1e2f3 with token=hunter2-secret-commit\n\nmore` },
    };
  if (path.startsWith('/api/v1/account/can-i/'))
    return { json: { value: /applications\/(get|sync)/.test(path) ? 'yes' : 'no' } };
  return null;
}

const open = (base: string, own = token): Signal =>
  openArgocd({
    base,
    fetch,
    clock: manualClock(noon),
    authorization: { kind: 'bearer', token: { reveal: () => own } },
  });

httpSignalContract('argocd', {
  answer: server,
  open,
  openStranger: (base) => open(base, 'another-token-0123456789'),
  window,
  ask: { argocd_applications: { application: 'orders' }, argocd_syncs: { application: 'orders' } },
  plentiful: ['argocd_applications', 'argocd_syncs'],
  timed: [],
  secrets: [token, 'hunter2-secret'],
});

const observed = async (base: string, name: string, args: object) => {
  const reply = await askQuestion(open(base), name, args, window);
  if (reply.kind === 'failure') throw new Error(reply.message);
  return reply;
};

test('a sync is told with its commits and its place, and what it set otherwise as a change of its own', async () => {
  const double = await httpDouble(server);
  const { rows } = await observed(double.base, 'argocd_syncs', {});
  if (rows.kind !== 'changes') throw new Error(rows.kind);
  expect(rows.changes.map(({ kind, id, service }) => [kind, id, service])).toEqual(
    [109, 103, 80].flatMap((id) => [
      ['rollout', `orders#${id}`, 'orders'],
      ['config', `orders#${id}`, 'orders'],
    ]),
  );
  const [latest, settings, before] = rows.changes;
  expect(settings!.title).toBe('synced with db.password, workers 7 -> 1 and 1 other');
  // What the images of now are called says nothing of the sync before.
  expect(latest!.commits).toEqual([commit(509), '0d1e2f3', '3f2a91c']);
  expect(before!.commits).toEqual([commit(503), '0d1e2f3']);
  expect(latest!.title).toContain(
    '(main) of https://github.com/acme/deploy.git apps/orders by ann: run 0d1e2f3',
  );
  expect(settings!.diff!.split('\n')).toEqual([
    '-db.password: [secret]',
    '+db.password: [secret]',
    '-workers: 7',
    '+workers: 1',
    '-queue.size: 103',
    '+queue.size: 109',
  ]);
  await double.close();
});

test('an application is found by the workload that it runs, and told with the objects that are not well', async () => {
  const double = await httpDouble((request) => {
    const answer = server(request);
    const renamed = JSON.stringify(answer).replaceAll(
      '"name":"orders","status"',
      '"name":"orders-api","status"',
    );
    return JSON.parse(renamed) as DoubleAnswer;
  });
  const { rows } = await observed(double.base, 'argocd_applications', { application: 'orders-api' });
  expect(rows).toMatchObject({
    rows: [
      { kind: 'Application', name: 'orders', health: 'Degraded', sync: 'Synced' },
      { kind: 'Deployment', name: 'orders', application: 'orders', health: 'Progressing' },
      { kind: 'Pod', message: 'back-off 2m40s restarting failed container=orders' },
      { kind: 'Deployment', name: 'orders-api', application: 'orders' },
    ],
  });
  expect((await observed(double.base, 'argocd_syncs', { application: 'cart' })).rows).toEqual({
    kind: 'changes',
    changes: [],
  });
  await double.close();
});

test('what the account may do is asked of Argo CD; who sees one project alone lacks nothing', async () => {
  const asking = new AbortController().signal;
  const double = await httpDouble(server);
  expect(await open(double.base).inspect!(asking)).toEqual({
    rights: { missing: [], excess: ['sync applications'] },
    clockMs: null,
  });
  await double.close();
  const answers = (items: readonly unknown[]) => (request: DoubleRequest) =>
    request.path.startsWith('/api/v1/account')
      ? { json: { value: 'no' } }
      : { json: { metadata: {}, items: items.length === 0 ? null : items } };
  for (const [items, missing] of [
    [[web], []],
    [[], ['get applications']],
  ] as const) {
    const some = await httpDouble(answers(items));
    expect((await open(some.base).inspect!(asking)).rights).toEqual({ missing, excess: [] });
    await some.close();
  }
});
