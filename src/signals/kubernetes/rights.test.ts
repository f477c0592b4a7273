import { expect, test } from 'vitest';
import { openHttp } from '../http.ts';
import { httpDouble } from '../http-double.contract.ts';
import { inspectKubernetes, reviewPath, rightsOf } from './rights.ts';

const read = ['get', 'list', 'watch'];
/** What a cluster lets everybody do. */
const usual = {
  verbs: ['create'],
  apiGroups: ['authorization.k8s.io'],
  resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
};
const core = {
  verbs: read,
  apiGroups: [''],
  resources: [
    'pods',
    'pods/log',
    'services',
    'endpoints',
    'persistentvolumeclaims',
    'resourcequotas',
    'events',
  ],
};
const others = {
  verbs: read,
  apiGroups: ['apps', 'batch', 'autoscaling', 'networking.k8s.io'],
  resources: [
    ...['deployments', 'replicasets', 'statefulsets', 'daemonsets', 'jobs', 'cronjobs'],
    ...['horizontalpodautoscalers', 'ingresses'],
  ],
};

test('an account that reads and no more is right', () => {
  expect(rightsOf({ resourceRules: [usual, core, others] })).toEqual({ missing: [], excess: [] });
});

test('what lacks is named, also where only some objects of a kind may be seen', () => {
  const some = { ...core, resources: core.resources.filter((one) => one !== 'pods/log' && one !== 'events') };
  const named = { ...core, resources: ['events'], resourceNames: ['one'] };
  expect(rightsOf({ resourceRules: [some, named, others] })).toEqual({
    missing: ['list events', 'get pods/log'],
    excess: [],
  });
});

test('what is too much is named: other verbs, secrets, everything', () => {
  const secrets = { verbs: ['get'], apiGroups: [''], resources: ['secrets'] };
  const writes = { verbs: ['get', 'patch'], apiGroups: ['apps'], resources: ['deployments'] };
  expect(rightsOf({ resourceRules: [core, others, secrets, writes] })).toEqual({
    missing: [],
    excess: ['get secrets', 'patch deployments.apps'],
  });
  const all = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
  expect(rightsOf({ resourceRules: [all] })).toEqual({ missing: [], excess: ['* *.*'] });
});

test('a cluster that does not tell all of its rules says nothing of what lacks', () => {
  expect(rightsOf({ incomplete: true, resourceRules: [core] })).toBe('unknown');
});

test('the cluster is asked for its review of one namespace, and creates nothing', async () => {
  const asked: unknown[] = [];
  const server = await httpDouble(({ path, body }) => {
    asked.push([path, JSON.parse(body)]);
    return { json: { status: { resourceRules: [core, others] } }, status: 201 };
  });
  const http = openHttp({ system: 'kubernetes', base: server.base, fetch, postPaths: [reviewPath] });
  expect(await inspectKubernetes(http, 'shop', new AbortController().signal)).toEqual({
    rights: { missing: [], excess: [] },
    clockMs: null,
  });
  expect(asked).toEqual([
    [
      reviewPath,
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectRulesReview',
        spec: { namespace: 'shop' },
      },
    ],
  ]);
  await server.close();
});
