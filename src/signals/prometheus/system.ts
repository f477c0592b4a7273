import { addressSetting, keySetting } from '../../core/setting.ts';
import { bearer, defineSystem } from '../system.ts';

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
  },
  async open({ prometheus_url: base, prometheus_token: token }, ports) {
    if (base === undefined) return null;
    const { openPrometheus } = await import('./prometheus.ts');
    const { fetch, clock } = ports;
    return { signals: [openPrometheus({ fetch, clock, base, ...bearer(token, ports) })] };
  },
});
