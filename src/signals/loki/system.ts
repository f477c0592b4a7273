import { addressSetting, keySetting } from '../../core/setting.ts';
import { bearer, defineSystem } from '../system.ts';

export const system = defineSystem({
  name: 'loki',
  title: 'Loki',
  offers: 'log lines by LogQL, and their patterns',
  settings: {
    loki_url: addressSetting('Address of Loki, to look at in an investigation.', 'LOKI_URL'),
    loki_token: keySetting('Loki, sent as a bearer token', 'LOKI_TOKEN'),
  },
  async open({ loki_url: base, loki_token: token }, ports) {
    if (base === undefined) return null;
    const { openLoki } = await import('./loki.ts');
    const { fetch, clock } = ports;
    return { signals: [openLoki({ fetch, clock, base, ...bearer(token, ports) })] };
  },
});
