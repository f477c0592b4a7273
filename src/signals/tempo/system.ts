import { addressSetting, keySetting } from '../../core/setting.ts';
import { loginSettings, readHttpReach, tenantSettings, tlsSettings } from '../http-reach.ts';
import { defineSystem } from '../system.ts';

const tenantHeader = 'X-Scope-OrgID';

export const system = defineSystem({
  name: 'tempo',
  title: 'Tempo',
  offers: 'traces of failing and slow requests, and how many there were by service',
  settings: {
    tempo_url: addressSetting('Address of Tempo, to look at in an investigation.', 'TEMPO_URL'),
    tempo_token: keySetting('Tempo, sent as a bearer token', 'TEMPO_TOKEN'),
    ...loginSettings('tempo', 'Tempo'),
    ...tenantSettings('tempo', 'Tempo', tenantHeader),
    ...tlsSettings('tempo', 'Tempo'),
  },
  async open(values, ports) {
    const { tempo_url: base } = values;
    if (base === undefined) return null;
    const { openTempo } = await import('./tempo.ts');
    const reach = readHttpReach('tempo', values, ports, tenantHeader);
    return { signals: [openTempo({ clock: ports.clock, base, ...reach })] };
  },
});
