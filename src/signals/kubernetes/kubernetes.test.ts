import { expect, test } from 'vitest';
import { manualClock, type Signal } from '../../core/index.ts';
import { askQuestion, fromNoon, isoFromNoon, noon, noonWindow as window } from '../asking.contract.ts';
import { type DoubleAnswer, type DoubleRequest, httpDouble } from '../http-double.contract.ts';
import { httpSignalContract } from '../http-signal.contract.ts';
import { readRecordedBody, readRecording } from '../recording.contract.ts';
import { releaseOf } from './helm.ts';
import { openKubernetes } from './kubernetes.ts';
import { rolloutsOf } from './rollouts.ts';

const iso = (k: number): string => isoFromNoon(k).replace('.000', '');
const token = 'eks-token-0123456789';

type Part = Record<string, object>;
const recording = readRecording(import.meta.dirname);
const first = (question: string, call = 0): Part =>
  readRecordedBody<{ items: Part[] }>(recording, question, call).items[0]!;
const recorded = {
  pod: first('kubernetes_objects'),
  set: first('kubernetes_rollouts'),
  event: first('kubernetes_events', 1),
};

const pod = (k: number) => ({
  metadata: { ...recorded.pod['metadata'], name: `shop-7d9f-${k}`, creationTimestamp: iso(-500) },
  spec: {
    ...recorded.pod['spec'],
    nodeName: 'node-1',
    containers: [{ name: 'shop', image: 'shop:2', env: [{ name: 'DB_PASSWORD', value: 'k8s-secret-env' }] }],
  },
  status: {
    ...recorded.pod['status'],
    conditions: [
      { type: 'Ready', status: 'False', reason: 'ContainersNotReady', message: 'unready: [shop]' },
      { type: 'Initialized', status: 'True' },
    ],
    containerStatuses: [
      {
        name: 'shop',
        ready: false,
        restartCount: 7,
        state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s' } },
        lastState: { terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt: iso(12) } },
      },
    ],
  },
});
const replicaSet = (revision: number, image: string, at: number) => ({
  metadata: {
    ...recorded.set['metadata'],
    name: `shop-${revision}`,
    creationTimestamp: iso(at),
    annotations: {
      'deployment.kubernetes.io/revision': String(revision),
      ...(revision === 3 && { 'kubernetes.io/change-cause': 'deploy with token=k8s-secret-cause' }),
    },
  },
  spec: {
    ...recorded.set['spec'],
    template: {
      spec: {
        containers: [
          { name: 'shop', image },
          { name: 'proxy', image: 'envoy:1' },
        ],
      },
    },
  },
  status: { replicas: 2, readyReplicas: 0 },
});
const event = (k: number) => ({
  ...recorded.event,
  metadata: { ...recorded.event['metadata'], name: `e${k}`, creationTimestamp: iso(k) },
  involvedObject: { ...recorded.event['involvedObject'], name: 'shop-7d9f-0' },
  reason: 'Unhealthy',
  message: 'Readiness probe failed with password=k8s-secret-event',
  type: 'Warning',
  count: 3,
  firstTimestamp: iso(k - 1),
  lastTimestamp: iso(k),
  eventTime: null,
});

/** As the API server has it, with objects made from the recorded ones: pages by `continue`, refusals as a Status, logs as text. */
function cluster({ method, path, query, headers }: DoubleRequest): DoubleAnswer {
  const status = (code: number, reason: string) => ({
    json: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message: `it is ${reason}`, code },
    status: code,
  });
  if (method !== 'GET') return status(405, 'MethodNotAllowed');
  if (headers.authorization !== `Bearer ${token}`) return status(401, 'Unauthorized');
  if (path === '/version') return { json: { major: '1', minor: '31', gitVersion: 'v1.31.2-eks-7f9249a' } };
  const paged = (kind: string, items: readonly unknown[]) => {
    const half = Math.ceil(items.length / 2);
    const second = query.get('continue') === 'more';
    return {
      json: {
        kind,
        apiVersion: 'v1',
        metadata: { resourceVersion: '1', ...(!second && { continue: 'more' }) },
        items: second ? items.slice(half) : items.slice(0, half),
      },
    };
  };
  if (path === '/api/v1/namespaces/prod/pods') return paged('PodList', [pod(0), pod(1), pod(2)]);
  if (path === '/api/v1/namespaces/prod/events')
    return paged('EventList', [event(-200), event(5), event(9), event(40)]);
  if (path === '/apis/apps/v1/namespaces/prod/deployments')
    return {
      json: readRecordedBody<object>(recording, 'kubernetes_releases'),
    };
  if (path === '/apis/apps/v1/namespaces/prod/replicasets')
    return paged('ReplicaSetList', [
      replicaSet(3, 'shop:3', 4),
      replicaSet(1, 'shop:1', -900),
      replicaSet(2, 'shop:2', -20),
    ]);
  if (path === '/api/v1/namespaces/prod/pods/shop-7d9f-0/log')
    return {
      text: [-60, -5, 5, 6, 50]
        .filter((k) => iso(k) >= query.get('sinceTime')!)
        .map((k) => `${iso(k)} {"level":"error","msg":"boom ${k} api_key=k8s-secret-log"}\n`)
        .join(''),
    };
  return path.includes('secrets') ? status(403, 'Forbidden') : status(404, 'NotFound');
}

const open = (base: string, own = token): Signal =>
  openKubernetes({
    base,
    fetch,
    clock: manualClock(noon),
    namespace: 'prod',
    authorization: { kind: 'bearer', token: { reveal: () => own } },
  });

httpSignalContract('kubernetes', {
  answer: cluster,
  open,
  openStranger: (base) => open(base, 'another-token-0123456789'),
  window,
  ask: {
    kubernetes_objects: { kind: 'pods', contains: 'shop' },
    kubernetes_events: { namespace: 'prod' },
    kubernetes_logs: { namespace: 'prod', pod: 'shop-7d9f-0' },
    kubernetes_rollouts: { deployment: 'shop' },
    kubernetes_releases: {},
  },
  plentiful: ['kubernetes_objects', 'kubernetes_events', 'kubernetes_logs', 'kubernetes_rollouts'],
  timed: ['kubernetes_logs'],
  plainText: ['kubernetes_logs'],
  secrets: [token, 'k8s-secret-env', 'k8s-secret-event', 'k8s-secret-log', 'k8s-secret-cause'],
});

const ask = (base: string, name: string, args: unknown) => askQuestion(open(base), name, args, window);

test('says why a pod does not run, what was rolled out, and what happened', async () => {
  const server = await httpDouble(cluster);
  const pods = await ask(server.base, 'kubernetes_objects', { kind: 'pods', contains: '-0' });
  expect(pods).toMatchObject({
    rows: {
      rows: [
        {
          name: 'shop-7d9f-0',
          phase: 'Running',
          ready: '0/1',
          restarts: 7,
          last_end: `shop OOMKilled exit 137 at ${iso(12)}`,
          waiting: 'shop CrashLoopBackOff back-off 5m0s',
          conditions: 'Ready=False ContainersNotReady unready: [shop]',
        },
      ],
    },
  });
  expect(await ask(server.base, 'kubernetes_rollouts', { deployment: 'shop' })).toMatchObject({
    rows: {
      changes: [
        {
          kind: 'rollout',
          id: 'prod/shop#3',
          at: fromNoon(4),
          service: 'shop',
          diff: '-shop=shop:2\n+shop=shop:3',
        },
        { id: 'prod/shop#2', diff: '-shop=shop:1\n+shop=shop:2' },
      ],
    },
  });
  const events = await ask(server.base, 'kubernetes_events', {});
  expect(events.kind === 'observation' && events.text.split('\n')).toEqual(
    [5, 9].map(
      (k) =>
        `${iso(k)} shop-7d9f-0 WARN prod Pod Unhealthy: Readiness probe failed with password=[secret] (3 times)`,
    ),
  );
  const logs = await ask(server.base, 'kubernetes_logs', { namespace: 'prod', pod: 'shop-7d9f-0' });
  expect(logs).toMatchObject({
    rows: {
      lines: [{ at: fromNoon(-5) }, { at: fromNoon(5), level: 'ERROR', text: 'boom 5 api_key=[secret]' }, {}],
    },
  });
  expect(new Set(server.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
  await server.close();
});

test.each([
  ['kubernetes_objects', { kind: 'secrets' }, 'bad_query'],
  ['kubernetes_objects', { kind: 'pods', namespace: '../../secrets' }, 'bad_query'],
  ['kubernetes_logs', { namespace: 'prod', pod: 'x/../../secrets' }, 'bad_query'],
  ['kubernetes_logs', { namespace: 'prod', pod: 'nobody' }, 'not_found'],
  ['kubernetes_objects', { kind: 'jobs' }, 'not_found'],
])('%s %j is %s', async (name, args, reason) => {
  const server = await httpDouble(cluster);
  expect(await ask(server.base, name, args)).toMatchObject({ kind: 'failure', reason });
  expect(server.requests.every(({ path }) => !path.includes('secrets'))).toBe(true);
  await server.close();
});

test('a replica set of nobody is no rollout', () => {
  expect(rolloutsOf([{ metadata: { name: 'x', annotations: {} } }], undefined)).toEqual([]);
});

// What Helm leaves on objects: annotations of the deployment are those of its replica sets, labels of charts are those of pods.
test.each<[string, object, object, object | null]>([
  [
    'annotations of Helm',
    { annotations: { 'meta.helm.sh/release-name': 'shop', 'meta.helm.sh/release-namespace': 'prod' } },
    { 'helm.sh/chart': 'shop-1.4.2', 'app.kubernetes.io/version': '2.8.0' },
    { name: 'shop', namespace: 'prod', chart: 'shop-1.4.2', version: '2.8.0' },
  ],
  [
    'labels alone',
    { labels: { 'app.kubernetes.io/managed-by': 'Helm', 'app.kubernetes.io/instance': 'eu-shop' } },
    {},
    { name: 'eu-shop', namespace: 'prod', chart: null, version: null },
  ],
  [
    'an old chart',
    { labels: { heritage: 'Helm', release: 'shop', chart: 'shop-0.3.0' } },
    {},
    { name: 'shop', namespace: 'prod', chart: 'shop-0.3.0', version: null },
  ],
  ['kustomize', { labels: { 'app.kubernetes.io/instance': 'shop' } }, {}, null],
])('a release by %s', (_, metadata, labels, expected) => {
  expect(
    releaseOf({
      metadata: { name: 'shop', namespace: 'prod', ...metadata },
      spec: { template: { metadata: { labels } } },
    }),
  ).toEqual(expected);
});

test('a rollout tells which settings it changed, each under its container, and no secret', async () => {
  const set = (revision: number, env: readonly object[], more: object, second: readonly object[]) => ({
    metadata: {
      name: `shop-${revision}`,
      namespace: 'prod',
      creationTimestamp: iso(revision),
      annotations: { 'deployment.kubernetes.io/revision': String(revision) },
      ownerReferences: [{ kind: 'Deployment', name: 'shop' }],
    },
    spec: {
      template: {
        metadata: { annotations: { 'checksum/config': revision === 1 ? 'aa'.repeat(32) : 'bb'.repeat(32) } },
        spec: { containers: [{ name: 'shop', image: 'shop:main-3f2a91c', env, ...more }, ...second] },
      },
    },
  });
  const sets = [
    set(
      1,
      [
        { name: 'WORKERS', value: '8' },
        { name: 'API_TOKEN', value: 'k8s-secret-env-1' },
      ],
      { args: ['--pool', '20'] },
      [],
    ),
    set(
      2,
      [
        { name: 'WORKERS', value: '2' },
        { name: 'API_TOKEN', value: 'k8s-secret-env-2' },
        { name: 'DSN', valueFrom: { secretKeyRef: { name: 'db', key: 'dsn' } } },
      ],
      { args: ['--pool', '4'], livenessProbe: { httpGet: { path: '/up', port: 80 }, timeoutSeconds: 1 } },
      [],
    ),
  ];
  const server = await httpDouble((request) =>
    request.path.endsWith('/replicasets') ? { json: { metadata: {}, items: sets } } : cluster(request),
  );
  const reply = await ask(server.base, 'kubernetes_rollouts', {});
  if (reply.kind === 'failure' || reply.rows.kind !== 'changes') throw new Error(reply.kind);
  const [rollout, settings] = reply.rows.changes;
  expect(rollout).toMatchObject({ kind: 'rollout', commits: ['3f2a91c'], diff: '' });
  expect(rollout!.title).toContain('the same images, other settings');
  expect(settings!.diff!.split('\n')).toEqual([
    '-WORKERS: 8',
    '+WORKERS: 2',
    '-API_TOKEN: [secret]',
    '+API_TOKEN: [secret]',
    '-args: --pool 20',
    '+args: --pool 4',
    '-checksum/config: aaaaaaaaaaaa',
    '+checksum/config: bbbbbbbbbbbb',
    '+DSN: from {"secretKeyRef":{"name":"db","key":"dsn"}}',
    '+livenessProbe.httpGet.path: /up',
    '+livenessProbe.httpGet.port: 80',
    '+livenessProbe.timeoutSeconds: 1',
  ]);
  await server.close();
});
