import { addressSetting, keySetting } from '../../core/setting.ts';
import { loginSettings, readHttpReach, tenantSettings, tlsSettings } from '../http-reach.ts';
import { defineSystem } from '../system.ts';

const tenantHeader = 'X-Scope-OrgID';

export const system = defineSystem({
  name: 'prometheus',
  title: 'Prometheus',
  offers: 'metrics by PromQL, alert rules and firing alerts',
  settings: {
    prometheus_url: addressSetting(
      'Address of Prometheus, to look at in an investigation.',
      'PROMETHEUS_URL',
    ),
    prometheus_token: keySetting('Prometheus, sent as a bearer token', 'PROMETHEUS_TOKEN'),
    ...loginSettings('prometheus', 'Prometheus'),
    ...tenantSettings('prometheus', 'Prometheus', tenantHeader),
    ...tlsSettings('prometheus', 'Prometheus'),
  },
  async open(values, ports) {
    const { prometheus_url: base } = values;
    if (base === undefined) return null;
    const { openPrometheus } = await import('./prometheus.ts');
    const reach = readHttpReach('prometheus', values, ports, tenantHeader);
    return { signals: [openPrometheus({ clock: ports.clock, base, ...reach })] };
  },
});
