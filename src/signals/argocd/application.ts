/** Applications as the API of Argo CD gives them: their sources, syncs and health. */
import { z } from 'zod';

const optionalText = z.string().nullish();

const helm = z.object({
  parameters: z.array(z.object({ name: optionalText, value: optionalText })).nullish(),
  values: optionalText,
  valuesObject: z.unknown().optional(),
  valueFiles: z.array(z.string()).nullish(),
});
const kustomize = z.object({
  images: z.array(z.string()).nullish(),
  replicas: z
    .array(z.object({ name: optionalText, count: z.union([z.number(), z.string()]).nullish() }))
    .nullish(),
});
const source = z.object({
  repoURL: optionalText,
  path: optionalText,
  chart: optionalText,
  targetRevision: optionalText,
  helm: helm.nullish(),
  kustomize: kustomize.nullish(),
});
export type Source = z.infer<typeof source>;

const historyEntry = z.object({
  id: z.number().nullish(),
  revision: optionalText,
  /** For an application with several sources, in their order. */
  revisions: z.array(z.string()).nullish(),
  deployedAt: optionalText,
  source: source.nullish(),
  sources: z.array(source).nullish(),
  initiatedBy: z.object({ username: optionalText, automated: z.boolean().nullish() }).nullish(),
});
export type HistoryEntry = z.infer<typeof historyEntry>;

const health = z
  .object({ status: optionalText, message: optionalText, lastTransitionTime: optionalText })
  .nullish();
const managedResource = z.object({
  group: optionalText,
  kind: z.string(),
  namespace: optionalText,
  name: z.string(),
  status: optionalText,
  health,
});

export const application = z.object({
  metadata: z.object({ name: z.string(), namespace: optionalText }),
  spec: z.object({
    project: optionalText,
    destination: z.object({ namespace: optionalText, server: optionalText, name: optionalText }).nullish(),
    source: source.nullish(),
    sources: z.array(source).nullish(),
  }),
  status: z
    .object({
      sync: z
        .object({ status: optionalText, revision: optionalText, revisions: z.array(z.string()).nullish() })
        .nullish(),
      health,
      history: z.array(historyEntry).nullish(),
      resources: z.array(managedResource).nullish(),
      conditions: z.array(z.object({ type: optionalText, message: optionalText })).nullish(),
      operationState: z
        .object({
          phase: optionalText,
          message: optionalText,
          startedAt: optionalText,
          finishedAt: optionalText,
          retryCount: z.number().nullish(),
        })
        .nullish(),
      summary: z.object({ images: z.array(z.string()).nullish() }).nullish(),
    })
    .default({}),
});
export type Application = z.infer<typeof application>;

/** The kinds that run containers, including `Rollout` of Argo. */
const workloadKinds = /^(Deployment|StatefulSet|DaemonSet|Rollout|CronJob|Job)$/;
export const isWorkload = ({ kind }: { readonly kind: string }): boolean => workloadKinds.test(kind);

/** The service name that alerts use: that of the application's only workload, otherwise that of the application. */
export function serviceOf({ metadata, status }: Application): string {
  const names = [...new Set((status.resources ?? []).filter(isWorkload).map(({ name }) => name))];
  return names.length === 1 ? names[0]! : metadata.name;
}

export const sourcesOf = (one: {
  readonly source?: Source | null | undefined;
  readonly sources?: readonly Source[] | null | undefined;
}): readonly Source[] => {
  const severalSources = one.sources ?? [];
  return severalSources.length > 0 ? severalSources : one.source == null ? [] : [one.source];
};

/** `https://github.com/acme/deploy apps/shop`; a user and a password in an address are removed. */
export function sourceText({ repoURL, path, chart }: Source): string {
  const address = (repoURL ?? '').replace(/^(\w+:\/\/)[^@/]*@/, '$1');
  return [address, chart ?? path ?? ''].filter((part) => part !== '' && part !== '.').join(' ');
}
