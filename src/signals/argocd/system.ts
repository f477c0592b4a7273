import { addressSetting, declareSetting, keySetting } from '../../core/setting.ts';
import { readHttpReach, tlsSettings } from '../http-reach.ts';
import { defineSystem } from '../system.ts';

export const system = defineSystem({
  name: 'argocd',
  title: 'Argo CD',
  offers: 'applications, the health of their objects, and what was synced',
  settings: {
    argocd_url: addressSetting('Address of Argo CD, to look at in an investigation.', 'ARGOCD_URL'),
    argocd_token: keySetting('Argo CD, sent as a bearer token', 'ARGOCD_AUTH_TOKEN', 'ARGOCD_TOKEN'),
    argocd_project: declareSetting(
      'text',
      'Argo CD project. Absent: all projects that its account may see.',
      'its name',
      'ARGOCD_PROJECT',
    ),
    ...tlsSettings('argocd', 'Argo CD'),
  },
  async open(values, ports) {
    const { argocd_url: base, argocd_project: project } = values;
    if (base === undefined) return null;
    const { openArgocd } = await import('./argocd.ts');
    const options = { clock: ports.clock, base, ...readHttpReach('argocd', values, ports) };
    return { signals: [openArgocd({ ...options, ...(project !== undefined && { project }) })] };
  },
});
