/**
 * What alerts of one group have in common: who sends them, what fired, and where. Replicas come and go, so that pods,
 * containers and the hashes in their names tell nothing apart.
 */
import { sha256 } from '../../../core/index.ts';
import type { Alert } from './alert.ts';

/** The places that tell troubles apart, and the labels that senders give them; the first that is there counts. */
const places: Readonly<Record<string, readonly string[]>> = {
  service: [
    'service',
    'service_name',
    'app',
    'application',
    'component',
    'deployment',
    'workload',
    'kube_deployment',
    'unit',
  ],
  job: ['job'],
  namespace: ['namespace', 'kube_namespace', 'k8s_namespace', 'exported_namespace'],
  cluster: ['cluster', 'cluster_name', 'kube_cluster_name', 'k8s_cluster', 'k8s_cluster_name'],
  region: ['region', 'aws_region', 'location'],
  account: ['account', 'account_id', 'aws_account', 'aws_account_id', 'subscription', 'project_id'],
  environment: ['environment', 'env', 'stage', 'deployment_environment'],
  host: ['host', 'hostname', 'host_name', 'node', 'nodename', 'node_name', 'server'],
  queue: ['queue', 'queue_name', 'topic', 'consumer_group', 'consumergroup'],
  database: ['database', 'db', 'dbname', 'datname', 'db_name', 'database_name', 'db_instance'],
};
/** Of these there are many that do the same. */
const replicas = [
  'pod',
  'pod_name',
  'kube_pod',
  'container',
  'container_name',
  'replica',
  'replicaset',
  'container_id',
];

const maxLength = 300;

export interface GroupTerms {
  /** Those that count, in place of the places that are known. */
  readonly labels?: readonly string[] | null;
  /** Who sends it, where that is known better than by its form. */
  readonly sender?: string | undefined;
}

export function groupKey(alert: Alert, { labels = null, sender }: GroupTerms = {}): string {
  const { source, rule } = alert;
  // A text names no places: what it says is all that there is.
  if (source === 'text') return `${sender ?? source} ${rule}`;
  const given = new Map(Object.entries(alert.labels).map(([name, value]) => [plainName(name), value]));
  const where =
    labels === null
      ? Object.keys(places).map((place) => placeIn(alert, given, place))
      : labels.map((name) => given.get(plainName(name)) ?? '');
  return [sender ?? source, rule, ...where].map(shorten).join('\u0000');
}

const plainName = (name: string): string => name.toLowerCase().replace(/[.-]/g, '_');

function placeIn(alert: Alert, given: ReadonlyMap<string, string>, place: string): string {
  const named = places[place]!.map((name) => given.get(name)).find(
    (value) => value !== undefined && value !== '',
  );
  const value =
    named ??
    (place === 'service' ? (alert.service ?? '') : place === 'namespace' ? (alert.namespace ?? '') : '');
  if (value !== '') return place === 'host' ? withoutPort(value) : withoutHash(value);
  return place === 'host' ? hostOfInstance(given) : '';
}

/** Prometheus names each target by its address: a machine, unless it is one of many replicas. */
function hostOfInstance(given: ReadonlyMap<string, string>): string {
  const instance = given.get('instance');
  if (instance === undefined || replicas.some((name) => given.has(name))) return '';
  return withoutPort(instance);
}

const withoutPort = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\w+:\/\//, '')
    .replace(/:\d+$/, '');

/** Kubernetes draws them from letters that make no words: of a replica set, and of its pod. */
const podHash = /-[a-f0-9]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}$/;
const setHash = /-(?=[a-z0-9]*\d)(?=[a-z0-9]*[a-z])(?:[bcdfghjklmnpqrstvwxz2456789]{8,10}|[a-f0-9]{8,40})$/;
const podOfSet = /-(?=[a-z0-9]*\d)[bcdfghjklmnpqrstvwxz2456789]{5}$/;
const uuid = /[-_.]?[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi;

export const withoutHash = (name: string): string =>
  name.toLowerCase().replace(uuid, '').replace(podHash, '').replace(podOfSet, '').replace(setHash, '');

const shorten = (text: string): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength)}#${sha256(text).slice(0, 16)}`;
