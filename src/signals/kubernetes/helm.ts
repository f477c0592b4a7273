/**
 * Helm, by what it leaves on the objects that it makes: labels that charts set by convention, and the annotations that Helm
 * adds to each object. Its releases themselves are secrets, and are not read.
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

type Texts = Readonly<Record<string, string>>;

const releaseName = 'meta.helm.sh/release-name';
const releaseNamespace = 'meta.helm.sh/release-namespace';
const chartName = 'helm.sh/chart';

/**
 * Null if no chart made the object. A ReplicaSet copies its Deployment's annotations; the chart labels are those of its
 * pod template.
 */
export function releaseOf({ metadata, spec }: KubernetesObject): Release | null {
  const template = (spec?.['template'] ?? {}) as { metadata?: { labels?: Texts } };
  const labels: Texts = { ...template.metadata?.labels, ...metadata.labels };
  const annotations = metadata.annotations ?? {};
  const byHelm = labels['app.kubernetes.io/managed-by'] === 'Helm' || labels['heritage'] === 'Helm';
  const name =
    annotations[releaseName] ??
    (byHelm || labels[chartName] !== undefined
      ? (labels['app.kubernetes.io/instance'] ?? labels['release'])
      : undefined);
  if (name === undefined) return null;
  return {
    name,
    namespace: annotations[releaseNamespace] ?? metadata.namespace ?? null,
    chart: labels[chartName] ?? labels['chart'] ?? null,
    version: labels['app.kubernetes.io/version'] ?? null,
  };
}

/** `Helm release shop, chart shop-1.4.2 (was shop-1.4.1), version 2.8.0`. */
export function releaseText(is: Release | null, was: Release | null): string {
  if (is === null) return '';
  const part = (what: string, value: string | null, before: string | null | undefined): readonly string[] =>
    value === null ? [] : [`${what} ${value}${before == null || before === value ? '' : ` (was ${before})`}`];
  return [
    `Helm release ${is.name}`,
    ...part('chart', is.chart, was?.chart),
    ...part('version', is.version, was?.version),
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
