import { addressSetting, keySetting } from '../../core/setting.ts';
import { bearer, defineSystem } from '../system.ts';

export const system = defineSystem({
  name: 'grafana',
  title: 'Grafana',
  offers: 'alerts, annotations, dashboards, and queries to its data sources',
  settings: {
    grafana_url: addressSetting('Address of Grafana, to look at in an investigation.', 'GRAFANA_URL'),
    grafana_token: keySetting('Grafana, sent as a bearer token', 'GRAFANA_TOKEN'),
  },
  async open({ grafana_url: base, grafana_token: token }, ports) {
    if (base === undefined) return null;
    const { openGrafana } = await import('./grafana.ts');
    const { fetch, clock } = ports;
    return { signals: [openGrafana({ fetch, clock, base, ...bearer(token, ports) })] };
  },
});
