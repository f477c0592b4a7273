/** Kubernetes as a kubeconfig tells how to reach it. */
import { resolve } from 'node:path';
import { type Signal, systemClock } from '../core/index.ts';
import { openKubernetes, readKubeconfig } from '../signals/index.ts';
import { clusterFetch } from './cluster-fetch.ts';
import type { Configuration } from './config/index.ts';
import { runLender } from './incident-programs.ts';

/** How long a program may take to lend the first token: longer than a system may take to answer. Milliseconds. */
const patience = 20_000;

type Settings = Pick<
  Configuration['values'],
  'kubernetes_config' | 'kubernetes_context' | 'kubernetes_namespace'
>;

/** None where no kubeconfig is named. Throws `bad_config` for one that can't be used. */
export async function openCluster(values: Settings): Promise<readonly Signal[]> {
  const { kubernetes_config: file, kubernetes_context: context, kubernetes_namespace: chosen } = values;
  if (file === undefined) return [];
  const { base, namespace, authorization, trust } = readKubeconfig({
    file: resolve(file),
    clock: systemClock,
    program: runLender,
    ...(context !== undefined && { context }),
  });
  // Whether it is lent shows when the system is asked; here it only gets the time that a program needs.
  if (authorization?.kind === 'leased')
    await authorization.lease(AbortSignal.timeout(patience)).catch(() => {});
  const own = chosen ?? namespace;
  return [
    openKubernetes({
      fetch: clusterFetch(trust),
      clock: systemClock,
      base,
      ...(authorization !== undefined && { authorization }),
      ...(own !== undefined && { namespace: own }),
    }),
  ];
}
