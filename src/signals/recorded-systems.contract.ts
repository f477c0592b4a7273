/** How each system with a recording is opened: for the tests of the recordings, with keys that are made up. */
import { join } from 'node:path';
import { manualClock, type Signal } from '../core/index.ts';
import { openArgocd } from './argocd/argocd.ts';
import { openCloudwatch } from './cloudwatch/cloudwatch.ts';
import { openDatadog } from './datadog/datadog.ts';
import { openElasticsearch } from './elasticsearch/elasticsearch.ts';
import { openGithub } from './github/github.ts';
import { openGitlab } from './gitlab/gitlab.ts';
import { openGrafana } from './grafana/grafana.ts';
import { openKubernetes } from './kubernetes/kubernetes.ts';
import { openLoki } from './loki/loki.ts';
import { openSentry } from './sentry/sentry.ts';
import { openTempo } from './tempo/tempo.ts';

export interface RecordedSystem {
  /** Where its recording lies: `testbed/recorded.json` in it. */
  readonly folder: string;
  open(fetch: typeof globalThis.fetch, now: number): Signal;
}

const token = { reveal: () => 'made-up-token-0123456789' };
const bearer = { kind: 'bearer', token } as const;
const folder = (name: string): string => join(import.meta.dirname, name);

export const recordedSystems: Readonly<Record<string, RecordedSystem>> = {
  argocd: {
    folder: folder('argocd'),
    open: (fetch, now) =>
      openArgocd({ base: 'https://argocd.test', fetch, clock: manualClock(now), authorization: bearer }),
  },
  cloudwatch: {
    folder: folder('cloudwatch'),
    open: (fetch, now) =>
      openCloudwatch({
        fetch,
        clock: manualClock(now),
        region: 'eu-west-1',
        credentials: () => ({ accessKeyId: 'AKIDEXAMPLE', secret: token, session: null }),
        logGroups: ['/ecs/*'],
      }),
  },
  datadog: {
    folder: folder('datadog'),
    open: (fetch, now) =>
      openDatadog({ fetch, clock: manualClock(now), apiKey: token, applicationKey: token }),
  },
  elasticsearch: {
    folder: folder('elasticsearch'),
    open: (fetch, now) =>
      openElasticsearch({
        base: 'https://elasticsearch.test',
        fetch,
        clock: manualClock(now),
        authorization: bearer,
        index: 'logs-*',
      }),
  },
  github: {
    folder: folder('github'),
    open: (fetch, now) =>
      openGithub({ repository: 'acme/shop', fetch, clock: manualClock(now), authorization: bearer }),
  },
  gitlab: {
    folder: folder('gitlab'),
    open: (fetch, now) =>
      openGitlab({ project: 'acme/shop', fetch, clock: manualClock(now), authorization: bearer }),
  },
  grafana: {
    folder: folder('grafana'),
    open: (fetch, now) =>
      openGrafana({ base: 'https://grafana.test', fetch, clock: manualClock(now), authorization: bearer }),
  },
  kubernetes: {
    folder: folder('kubernetes'),
    open: (fetch, now) =>
      openKubernetes({ base: 'https://eks.test', fetch, clock: manualClock(now), authorization: bearer }),
  },
  loki: {
    folder: folder('loki'),
    open: (fetch, now) => openLoki({ base: 'https://loki.test', fetch, clock: manualClock(now) }),
  },
  sentry: {
    folder: folder('sentry'),
    open: (fetch, now) =>
      openSentry({ organization: 'acme', fetch, clock: manualClock(now), authorization: bearer }),
  },
  tempo: {
    folder: folder('tempo'),
    open: (fetch, now) => openTempo({ base: 'https://tempo.test', fetch, clock: manualClock(now) }),
  },
};
