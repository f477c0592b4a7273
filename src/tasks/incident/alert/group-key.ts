/**
 * The key of the group that an alert belongs to: its sender, its rule and the place it is about. Pods, containers and
 * hashes in names are ignored, since replicas are replaced often.
 */
import { sha256 } from '../../../core/index.ts';
import type { Alert } from './alert.ts';
import { withoutHash, withoutPod } from './hashes.ts';

/**
 * The places that distinguish problems, and the labels in which senders name them (lower case, without separators). The
 * first label present counts. Prefixes that name a system (`k8s_`) and the suffixes `_name` and `_id` are removed.
 */
const places = {
  service: ['service', 'app', 'application', 'appkubernetesio', 'component', 'unit'],
  workload: [
    'workload',
    'deployment',
    'statefulset',
    'daemonset',
    'cronjob',
    'rollout',
    'horizontalpodautoscaler',
    'jobname',
    'kubejob',
  ],
  job: ['job'],
  namespace: ['namespace'],
  cluster: ['cluster'],
  region: ['region', 'location', 'datacenter'],
  account: ['account', 'subscription', 'project'],
  environment: ['environment', 'deploymentenvironment', 'env', 'stage', 'deploy'],
  host: ['host', 'node', 'server', 'machine', 'target'],
  queue: ['queue', 'topic', 'messagingdestination'],
  consumer: ['consumergroup'],
  database: ['database', 'db', 'datname', 'dbinstance', 'dbcluster'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
type PlaceLabel = keyof typeof places;
/** Labels that name one of many identical replicas. */
const replicas = ['pod', 'container', 'replica', 'replicaset'];

const maxLength = 300;

export interface GroupTerms {
  /** Labels that form the key, instead of the usual ones. */
  readonly labels?: readonly string[] | null;
  /** The sender that the HTTP request names. Absent: the sender whose format the message has (`alert.source`). */
  readonly sender?: string | undefined;
}

export function groupKey(alert: Alert, { labels = null, sender }: GroupTerms = {}): string {
  const { source, rule } = alert;
  // A plain text has no labels, so its rule alone identifies it.
  if (source === 'text') return `${sender ?? source} ${rule}`;
  const byName = indexLabels(alert.lasting ?? alert.labels);
  const placeTexts =
    labels === null
      ? (Object.keys(places) as PlaceLabel[]).map((place) => findPlace(alert, byName, place))
      : labels.map((name) => byName.get(normalizeName(name)) ?? '');
  return [sender ?? source, rule, ...placeTexts].map(shorten).join('\u0000');
}

type Labels = ReadonlyMap<string, string>;

const normalizeName = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, '');
const systemPrefix = /^(?:kubernetes|kube|k8s|cloud|aws|gcp|azure|ecs|destination)(?=.)/;
const nameSuffix = /(?<=.)(?:name|identifier|id)$/;
/** Labels that keep their prefix, since the rest has another meaning. */
const keptWhole = new Set(['servername', 'jobname', 'kubejob']);

/**
 * Indexes the labels by name and by short name. Prometheus adds `exported_` to labels that the target itself sets:
 * `exported_x` takes precedence over `x`, and both over a label whose short name is `x`.
 */
function indexLabels(labels: Readonly<Record<string, string>>): Labels {
  const byName = new Map<string, string>();
  const exported = new Map<string, string>();
  const byShortName = new Map<string, string>();
  for (const [name, value] of Object.entries(labels)) {
    if (value === '') continue;
    const plain = normalizeName(name);
    byName.set(plain, value);
    const ownName = plain.replace(/^exported(?=.)/, '');
    if (ownName !== plain) exported.set(ownName, value);
    const shortName = keptWhole.has(ownName)
      ? ownName
      : ownName.replace(systemPrefix, '').replace(nameSuffix, '');
    if (!byShortName.has(shortName)) byShortName.set(shortName, value);
  }
  return new Map([...byShortName, ...byName, ...exported]);
}

const findLabel = (labels: Labels, place: PlaceLabel): string =>
  places[place].map((name) => labels.get(name)).find((value) => value !== undefined) ?? '';

function findPlace(alert: Alert, labels: Labels, place: PlaceLabel): string {
  const value =
    findLabel(labels, place) ||
    (alert.lasting !== undefined
      ? ''
      : place === 'service'
        ? (alert.service ?? '')
        : place === 'namespace'
          ? (alert.namespace ?? '')
          : '');
  if (value !== '') return place === 'host' ? withoutPod(withoutPort(value)) : withoutHash(value);
  return place === 'host' ? findInstanceHost(labels) : '';
}

/** Jobs that watch machines or addresses from outside: their targets identify the problem. */
const watchesMachines =
  /(?:^|[-_/.])(?:node|nodes|windows|host|hosts|machine|system|snmp|ipmi|ping|icmp)(?:[-_.]?(?:exporter|metrics|stats|agent))?$|blackbox|probe|netdata|telegraf/i;
/** Jobs that report about others: their own address does not identify the problem. */
const reportsOthers = /exporter|state[-_]?metrics|collector|gateway/i;
const address = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:]+\])(?::\d+)?$/i;

/**
 * Prometheus labels each target with its address. The address is the place only if it is a machine's and no other label
 * names the place: addresses of replicas and exporters change too often.
 */
function findInstanceHost(labels: Labels): string {
  const instance = labels.get('instance') ?? '';
  const job = labels.get('job') ?? '';
  if (instance === '') return '';
  if (watchesMachines.test(job)) return withoutPort(instance);
  if (replicas.some((name) => labels.has(name))) return '';
  const isReplica =
    reportsOthers.test(job) ||
    (['service', 'workload', 'queue', 'consumer', 'database'] as const).some(
      (place) => findLabel(labels, place) !== '',
    );
  if (address.test(instance)) return isReplica ? '' : withoutPort(instance);
  return withoutHash(withoutPort(instance));
}

const withoutPort = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\w+:\/\//, '')
    .replace(/:\d+$/, '');

const shorten = (text: string): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength)}#${sha256(text).slice(0, 16)}`;
