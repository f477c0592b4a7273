/**
 * Contracts of the systems that no test can reach: what each client asks, and what it makes of the answers, as
 * recorded; and the shapes in the recordings against what the makers of the systems publish, where that is small.
 */
import { describe, expect, test } from 'vitest';
import { recordedSystems } from './recorded-systems.contract.ts';
import { driftOf, observe, readRecording, replay, windowOf } from './recording.contract.ts';
import { mismatches, type TypedValue } from './type-oracle.contract.ts';

const recordings = Object.entries(recordedSystems).map(
  ([name, { folder, open }]) => [name, readRecording(folder), open] as const,
);

// incident.md: Integrations 1 and extract_alert 5: requests are compared to the byte, with the times in them.
describe.each(recordings)('%s as recorded (Integrations 1, extract_alert 5)', (name, recording, open) => {
  const window = windowOf(recording);

  test.each(recording.exchanges)('$question $arguments', async (exchange) => {
    const { fetch, left } = replay(exchange.calls);
    expect(await observe(open(fetch, window.to), exchange, window)).toEqual(exchange.observed);
    expect(left()).toEqual([]);
  });

  test('every question is in it, and it says what it was compared with', () => {
    const { questions } = open(globalThis.fetch, window.to);
    const names = new Set(recording.exchanges.map(({ question }) => question));
    expect([...names].toSorted()).toEqual(questions.map((one) => one.name).toSorted());
    expect(recording.system).toBe(name);
    for (const { what, version, url } of recording.compared_with) {
      expect(what).not.toBe('');
      expect(version).toMatch(/\d/);
      expect(url).toMatch(/^https:\/\//);
    }
  });
});

/** `absent`: a server of Kubernetes writes null for a time that is not there, of which the types know nothing. */
const published: Readonly<
  Record<string, { imports: string; types: Readonly<Record<string, readonly string[]>>; absent?: 'null' }>
> = {
  github: {
    imports: `import type { components } from '@octokit/openapi-types';
type Schemas = components['schemas'];`,
    types: {
      github_changes: [
        "Schemas['commit'][]",
        "Schemas['commit'][]",
        "Schemas['commit']",
        "Schemas['commit']",
      ],
      github_commit: ["Schemas['commit']"],
      github_deployments: ["Schemas['deployment'][]"],
    },
  },
  kubernetes: {
    absent: 'null',
    imports: `import type { EventList, PodList } from 'kubernetes-types/core/v1';
import type { DeploymentList, ReplicaSetList } from 'kubernetes-types/apps/v1';
import type { Status } from 'kubernetes-types/meta/v1';`,
    types: {
      kubernetes_objects: ['PodList'],
      kubernetes_events: ['EventList', 'EventList'],
      kubernetes_rollouts: ['ReplicaSetList'],
      kubernetes_releases: ['DeploymentList'],
      kubernetes_logs: ['Status'],
    },
  },
  sentry: {
    imports: `import type {
  IssueEventDetailsResponse, ListAnOrganizationSissuesResponse, ListAnOrganizationSReleasesResponse,
} from '@sentry/api';
// Some fields come only where a request asks for them.
type Issues = Omit<
  ListAnOrganizationSissuesResponse[number],
  'sessionCount' | 'inbox' | 'owners' | 'pluginActions' | 'pluginIssues' | 'integrationIssues' | 'sentryAppIssues' | 'latestEventHasAttachments'
>[];`,
    types: {
      sentry_issues: ['Issues'],
      sentry_stack: ['IssueEventDetailsResponse[]'],
      sentry_releases: ['ListAnOrganizationSReleasesResponse'],
    },
  },
};

describe.each(Object.entries(published))('%s against published types', (name, { imports, types, absent }) => {
  const { exchanges } = readRecording(recordedSystems[name]!.folder);
  const values = exchanges.flatMap(({ question, calls }) => {
    const json = calls.filter(({ reply }) => reply.status === 200 || question === 'kubernetes_logs');
    return json
      .filter(({ reply }) => typeof reply.body === 'object')
      .map(
        ({ reply }, k): TypedValue => ({
          name: `${question}_${k}`,
          type: types[question]![k]!,
          value: reply.body,
        }),
      );
  });

  test('what was recorded fits, and the same with a field renamed does not', () => {
    const [first] = values;
    const bent = JSON.stringify(first!.value).replace(/"(sha|uid|shortId)":/g, '"renamed":');
    const all = [...values, { ...first!, name: 'bent', value: JSON.parse(bent) as unknown }];
    const found = mismatches(imports, all, absent);
    expect(found.filter(({ name }) => name !== 'bent')).toEqual([]);
    expect(found).not.toEqual([]);
  });
});

test('drift: what is gone, new or of another kind; names of the user are none', () => {
  const call = (body: unknown) => ({
    request: { method: 'GET', path: '/x' },
    reply: { status: 200, headers: {}, body },
  });
  const recorded = [call([{ id: 1, at: 'x', labels: { app: 'a' }, gone: 1 }])];
  const real = [call([{ id: '1', at: null, labels: { job: 'b' }, more: { deep: 1 } }, { at: 'y' }])];
  expect(driftOf(recorded, real, ['[].labels'])).toEqual({
    gone: ['[].gone'],
    added: ['[].more', '[].more.deep'],
    changed: ['[].id: number, now string'],
  });
});
