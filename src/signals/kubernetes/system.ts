import { addressSetting, declareSetting, keySetting } from '../../core/setting.ts';
import { readHttpReach, tlsSettings } from '../http-reach.ts';
import { defineSystem } from '../system.ts';

export const system = defineSystem({
  name: 'kubernetes',
  title: 'Kubernetes',
  offers: 'objects, events, logs of pods, rollouts, and what Helm installed',
  settings: {
    kubernetes_url: addressSetting(
      'Address of the API of Kubernetes, to look at in an investigation.',
      'KUBERNETES_URL',
    ),
    kubernetes_config: declareSetting(
      'path',
      'Kubeconfig that says how to reach Kubernetes, EKS included, where there is no address; the program that it names for a token is run.',
      'the path of a file',
      'SONDE_KUBECONFIG',
    ),
    kubernetes_context: declareSetting(
      'text',
      'Context of the kubeconfig; its current one where absent.',
      'the name of a context',
      'SONDE_KUBE_CONTEXT',
    ),
    kubernetes_token: keySetting('Kubernetes, sent as a bearer token', 'KUBERNETES_TOKEN'),
    kubernetes_namespace: declareSetting(
      'text',
      'Namespace that is looked at where a question names none.',
      'the name of a namespace',
      'KUBERNETES_NAMESPACE',
    ),
    ...tlsSettings('kubernetes', 'Kubernetes'),
  },
  async open(values, ports) {
    const { kubernetes_url: base, kubernetes_namespace: namespace } = values;
    if (base === undefined) {
      if (values.kubernetes_config === undefined) return null;
      return { signals: [await (await import('./cluster.ts')).openCluster(values, ports)] };
    }
    const { openKubernetes } = await import('./kubernetes.ts');
    const options = { clock: ports.clock, base, ...readHttpReach('kubernetes', values, ports) };
    return { signals: [openKubernetes({ ...options, ...(namespace !== undefined && { namespace }) })] };
  },
});
