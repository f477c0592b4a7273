/**
 * Finds Helm releases by the objects that they contain: by labels that charts set by convention, and by annotations
 * that Helm adds to each object. Helm stores the releases themselves as secrets, which are not read.
 */
import { type KubernetesObject, objectRow } from './objects.ts';

export interface Release {
  readonly name: string;
  readonly namespace: string | null;
  /** `shop-1.4.2`: the chart and its version. */
  readonly chart: string | null;
  /** The version of the program, according to the chart. */
  readonly version: string | null;
}

type StringMap = Readonly<Record<string, string>>;

const releaseNameAnnotation = 'meta.helm.sh/release-name';
const releaseNamespaceAnnotation = 'meta.helm.sh/release-namespace';
const chartLabel = 'helm.sh/chart';

/**
 * Null if no chart made the object. A ReplicaSet copies its Deployment's annotations; the chart labels are those of its
 * pod template.
 */
export function releaseOf({ metadata, spec }: KubernetesObject): Release | null {
  const template = (spec?.['template'] ?? {}) as { metadata?: { labels?: StringMap } };
  const labels: StringMap = { ...template.metadata?.labels, ...metadata.labels };
  const annotations = metadata.annotations ?? {};
  const isByHelm = labels['app.kubernetes.io/managed-by'] === 'Helm' || labels['heritage'] === 'Helm';
  const name =
    annotations[releaseNameAnnotation] ??
    (isByHelm || labels[chartLabel] !== undefined
      ? (labels['app.kubernetes.io/instance'] ?? labels['release'])
      : undefined);
  if (name === undefined) return null;
  return {
    name,
    namespace: annotations[releaseNamespaceAnnotation] ?? metadata.namespace ?? null,
    chart: labels[chartLabel] ?? labels['chart'] ?? null,
    version: labels['app.kubernetes.io/version'] ?? null,
  };
}

/** `Helm release shop, chart shop-1.4.2 (was shop-1.4.1), version 2.8.0`. */
export function releaseText(current: Release | null, previous: Release | null): string {
  if (current === null) return '';
  const partText = (
    label: string,
    value: string | null,
    previousValue: string | null | undefined,
  ): readonly string[] =>
    value === null
      ? []
      : [
          `${label} ${value}${previousValue == null || previousValue === value ? '' : ` (was ${previousValue})`}`,
        ];
  return [
    `Helm release ${current.name}`,
    ...partText('chart', current.chart, previous?.chart),
    ...partText('version', current.version, previous?.version),
  ].join(', ');
}

/** The installed releases, found by their workloads. */
export function releaseRows(
  deployments: readonly KubernetesObject[],
): readonly Readonly<Record<string, unknown>>[] {
  return deployments.flatMap((deployment) => {
    const release = releaseOf(deployment);
    if (release === null) return [];
    const { name, ...row } = objectRow('deployments', deployment);
    return [
      {
        kind: 'Deployment',
        name,
        release: release.name,
        chart: release.chart,
        version: release.version,
        revision: deployment.metadata.annotations?.['deployment.kubernetes.io/revision'] ?? null,
        ...row,
      },
    ];
  });
}
