/** Opens Kubernetes with the address and the credentials of a kubeconfig. */
import { resolve } from 'node:path';
import type { Signal } from '../../core/index.ts';
import type { SystemPorts } from '../system.ts';
import { readKubeconfig } from './kubeconfig.ts';
import { openKubernetes } from './kubernetes.ts';

/**
 * How long the credential program of a kubeconfig may take to give the first token: longer than a system may take to
 * answer. Milliseconds.
 */
const tokenTimeoutMs = 20_000;

interface Settings {
  readonly kubernetes_config?: string | undefined;
  readonly kubernetes_context?: string | undefined;
  readonly kubernetes_namespace?: string | undefined;
}

/** Throws `bad_config` for a kubeconfig that can't be used. */
export async function openCluster(
  {
    kubernetes_config: file = '',
    kubernetes_context: context,
    kubernetes_namespace: configuredNamespace,
  }: Settings,
  {
    clock,
    credentialProgram,
    clusterFetch,
  }: Pick<SystemPorts, 'clock' | 'credentialProgram' | 'clusterFetch'>,
): Promise<Signal> {
  const { base, namespace, authorization, trust } = readKubeconfig({
    file: resolve(file),
    clock,
    program: credentialProgram,
    ...(context !== undefined && { context }),
  });
  // Gets the first token now, with the time that a credential program needs. A failure shows when the cluster is asked.
  if (authorization?.kind === 'leased')
    await authorization.lease(AbortSignal.timeout(tokenTimeoutMs)).catch(() => {});
  const usedNamespace = configuredNamespace ?? namespace;
  return openKubernetes({
    fetch: clusterFetch(trust),
    clock,
    base,
    ...(authorization !== undefined && { authorization }),
    ...(usedNamespace !== undefined && { namespace: usedNamespace }),
  });
}
