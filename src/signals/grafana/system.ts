import { addressSetting, keySetting } from '../../core/setting.ts';
import { loginSettings, readHttpReach, tenantSettings, tlsSettings } from '../http-reach.ts';
import { defineSystem } from '../system.ts';

const tenantHeader = 'X-Grafana-Org-Id';

export const system = defineSystem({
  name: 'grafana',
  title: 'Grafana',
  offers: 'alerts, annotations, dashboards, and queries to its data sources',
  settings: {
    grafana_url: addressSetting('Address of Grafana, to look at in an investigation.', 'GRAFANA_URL'),
    grafana_token: keySetting('Grafana, sent as a bearer token', 'GRAFANA_TOKEN'),
    ...loginSettings('grafana', 'Grafana'),
    ...tenantSettings('grafana', 'Grafana', tenantHeader),
    ...tlsSettings('grafana', 'Grafana'),
  },
  async open(values, ports) {
    const { grafana_url: base } = values;
    if (base === undefined) return null;
    const { openGrafana } = await import('./grafana.ts');
    const reach = readHttpReach('grafana', values, ports, tenantHeader);
    return { signals: [openGrafana({ clock: ports.clock, base, ...reach })] };
  },
});
