import { addressSetting, keySetting } from '../../core/setting.ts';
import { loginSettings, readHttpReach, tenantSettings, tlsSettings } from '../http-reach.ts';
import { defineSystem } from '../system.ts';

const tenantHeader = 'X-Scope-OrgID';

export const system = defineSystem({
  name: 'loki',
  title: 'Loki',
  offers: 'log lines by LogQL, and their patterns',
  settings: {
    loki_url: addressSetting('Address of Loki, to look at in an investigation.', 'LOKI_URL'),
    loki_token: keySetting('Loki, sent as a bearer token', 'LOKI_TOKEN'),
    ...loginSettings('loki', 'Loki'),
    ...tenantSettings('loki', 'Loki', tenantHeader),
    ...tlsSettings('loki', 'Loki'),
  },
  async open(values, ports) {
    const { loki_url: base } = values;
    if (base === undefined) return null;
    const { openLoki } = await import('./loki.ts');
    const reach = readHttpReach('loki', values, ports, tenantHeader);
    return { signals: [openLoki({ clock: ports.clock, base, ...reach })] };
  },
});
