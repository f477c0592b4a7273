/**
 * Converts objects of Kubernetes to rows with the fields that matter in an incident. Secrets are not among the kinds.
 */
import { z } from 'zod';

const record = z.record(z.string(), z.unknown());

export const objectReply = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string().optional(),
    creationTimestamp: z.string().nullish(),
    annotations: z.record(z.string(), z.string()).optional(),
    labels: z.record(z.string(), z.string()).optional(),
    ownerReferences: z.array(z.object({ kind: z.string(), name: z.string() })).optional(),
  }),
  spec: record.optional(),
  status: record.optional(),
});
export type KubernetesObject = z.infer<typeof objectReply>;

/** The kinds that may be listed, with their API paths. */
export const kinds = {
  pods: '/api/v1',
  nodes: '/api/v1',
  services: '/api/v1',
  endpoints: '/api/v1',
  persistentvolumeclaims: '/api/v1',
  resourcequotas: '/api/v1',
  deployments: '/apis/apps/v1',
  replicasets: '/apis/apps/v1',
  statefulsets: '/apis/apps/v1',
  daemonsets: '/apis/apps/v1',
  jobs: '/apis/batch/v1',
  cronjobs: '/apis/batch/v1',
  horizontalpodautoscalers: '/apis/autoscaling/v2',
  ingresses: '/apis/networking.k8s.io/v1',
} as const;
export type ObjectKind = keyof typeof kinds;
export const kindNames = Object.keys(kinds) as [ObjectKind, ...ObjectKind[]];

export function objectRow(
  kind: ObjectKind,
  { metadata, spec = {}, status = {} }: KubernetesObject,
): Readonly<Record<string, unknown>> {
  const { name, namespace, creationTimestamp } = metadata;
  const row = { ...(namespace !== undefined && { namespace }), name, created: creationTimestamp ?? null };
  const badConditions = recordsIn(status['conditions']).filter(isBad);
  const conditions =
    badConditions.length === 0 ? {} : { conditions: badConditions.map(conditionText).join('; ') };
  if (kind === 'pods') return { ...row, ...podRow(spec, status), ...conditions };
  const counts = Object.fromEntries(
    Object.entries(status).filter(([, value]) => typeof value === 'number' || typeof value === 'string'),
  );
  const containers = fieldAt(fieldAt(spec['template'], 'spec'), 'containers');
  const images = recordsIn(containers).map((one) => one['image']);
  return {
    ...row,
    ...(typeof spec['replicas'] === 'number' && { desired: spec['replicas'] }),
    ...(typeof spec['minReplicas'] === 'number' && { min: spec['minReplicas'], max: spec['maxReplicas'] }),
    ...(images.length > 0 && { images: images.join(' ') }),
    ...counts,
    ...conditions,
  };
}

export function imagesOf({ spec = {} }: KubernetesObject): readonly string[] {
  const containers = fieldAt(fieldAt(spec['template'], 'spec'), 'containers');
  return recordsIn(containers).map((one) => `${String(one['name'])}=${String(one['image'])}`);
}

function podRow(
  spec: Readonly<Record<string, unknown>>,
  status: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const containers = recordsIn(status['containerStatuses']);
  const restarts = containers.reduce((sum, one) => sum + Number(one['restartCount'] ?? 0), 0);
  const endings = containers.flatMap((one) => {
    const state = fieldAt(one['lastState'], 'terminated') ?? fieldAt(one['state'], 'terminated');
    if (!isRecord(state)) return [];
    return [
      `${String(one['name'])} ${String(state['reason'])} exit ${String(state['exitCode'])} at ${String(state['finishedAt'])}`,
    ];
  });
  const waiting = containers.flatMap((one) => {
    const state = fieldAt(one['state'], 'waiting');
    return isRecord(state)
      ? [`${String(one['name'])} ${String(state['reason'])} ${String(state['message'] ?? '')}`.trim()]
      : [];
  });
  return {
    phase: status['phase'],
    ready: `${containers.filter((one) => one['ready'] === true).length}/${recordsIn(spec['containers']).length}`,
    restarts,
    ...(endings.length > 0 && { last_end: endings.join('; ') }),
    ...(waiting.length > 0 && { waiting: waiting.join('; ') }),
    ...(typeof status['reason'] === 'string' && { reason: status['reason'] }),
    node: spec['nodeName'],
    images: recordsIn(spec['containers'])
      .map((one) => one['image'])
      .join(' '),
  };
}

/** Most conditions are good when true; those named after a problem are good when false. */
function isBad(condition: Readonly<Record<string, unknown>>): boolean {
  const isProblemType = /Pressure|Unavailable|Failure|Failed|Limited|Disruption/.test(
    String(condition['type']),
  );
  return (condition['status'] === 'True') === isProblemType;
}

function conditionText(condition: Readonly<Record<string, unknown>>): string {
  return `${String(condition['type'])}=${String(condition['status'])} ${String(condition['reason'] ?? '')} ${String(condition['message'] ?? '')}`.trim();
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function recordsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function fieldAt(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}
