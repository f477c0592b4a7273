/** Applications as the API of Argo CD gives them: where they come from and how they are. */
import { z } from 'zod';

const text = z.string().nullish();

const helm = z.object({
  parameters: z.array(z.object({ name: text, value: text })).nullish(),
  values: text,
  valuesObject: z.unknown().optional(),
  valueFiles: z.array(z.string()).nullish(),
});
const kustomize = z.object({
  images: z.array(z.string()).nullish(),
  replicas: z.array(z.object({ name: text, count: z.union([z.number(), z.string()]).nullish() })).nullish(),
});
const source = z.object({
  repoURL: text,
  path: text,
  chart: text,
  targetRevision: text,
  helm: helm.nullish(),
  kustomize: kustomize.nullish(),
});
export type Source = z.infer<typeof source>;

const synced = z.object({
  id: z.number().nullish(),
  revision: text,
  /** For an application with several sources, in their order. */
  revisions: z.array(z.string()).nullish(),
  deployedAt: text,
  source: source.nullish(),
  sources: z.array(source).nullish(),
  initiatedBy: z.object({ username: text, automated: z.boolean().nullish() }).nullish(),
});
export type SyncedResult = z.infer<typeof synced>;

const health = z.object({ status: text, message: text, lastTransitionTime: text }).nullish();
const managed = z.object({
  group: text,
  kind: z.string(),
  namespace: text,
  name: z.string(),
  status: text,
  health,
});

export const application = z.object({
  metadata: z.object({ name: z.string(), namespace: text }),
  spec: z.object({
    project: text,
    destination: z.object({ namespace: text, server: text, name: text }).nullish(),
    source: source.nullish(),
    sources: z.array(source).nullish(),
  }),
  status: z
    .object({
      sync: z.object({ status: text, revision: text, revisions: z.array(z.string()).nullish() }).nullish(),
      health,
      history: z.array(synced).nullish(),
      resources: z.array(managed).nullish(),
      conditions: z.array(z.object({ type: text, message: text })).nullish(),
      operationState: z
        .object({
          phase: text,
          message: text,
          startedAt: text,
          finishedAt: text,
          retryCount: z.number().nullish(),
        })
        .nullish(),
      summary: z.object({ images: z.array(z.string()).nullish() }).nullish(),
    })
    .default({}),
});
export type Application = z.infer<typeof application>;

/** The kinds that run something, Argo's own rollouts among them. */
const running = /^(Deployment|StatefulSet|DaemonSet|Rollout|CronJob|Job)$/;
export const isRunning = ({ kind }: { readonly kind: string }): boolean => running.test(kind);

/** The name that alerts use for it: its only workload, the workload of the same name, or the application itself. */
export function serviceOf({ metadata, status }: Application): string {
  const names = [...new Set((status.resources ?? []).filter(isRunning).map(({ name }) => name))];
  return names.length === 1 ? names[0]! : metadata.name;
}

export const sourcesOf = (one: {
  readonly source?: Source | null | undefined;
  readonly sources?: readonly Source[] | null | undefined;
}): readonly Source[] => {
  const several = one.sources ?? [];
  return several.length > 0 ? several : one.source == null ? [] : [one.source];
};

/** `https://github.com/acme/deploy apps/shop`; a user and a password in an address are removed. */
export function sourceText({ repoURL, path, chart }: Source): string {
  const place = (repoURL ?? '').replace(/^(\w+:\/\/)[^@/]*@/, '$1');
  return [place, chart ?? path ?? ''].filter((part) => part !== '' && part !== '.').join(' ');
}
