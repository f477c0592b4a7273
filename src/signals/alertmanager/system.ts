import { addressSetting, keySetting } from '../../core/setting.ts';
import { bearer, defineSystem } from '../system.ts';

export const system = defineSystem({
  name: 'alertmanager',
  title: 'Alertmanager',
  offers: 'alerts as they are grouped, muted and sent, and silences',
  settings: {
    alertmanager_url: addressSetting(
      'Address of Alertmanager, to look at in an investigation.',
      'ALERTMANAGER_URL',
    ),
    alertmanager_token: keySetting('Alertmanager, sent as a bearer token', 'ALERTMANAGER_TOKEN'),
  },
  async open({ alertmanager_url: base, alertmanager_token: token }, ports) {
    if (base === undefined) return null;
    const { openAlertmanager } = await import('./alertmanager.ts');
    const { fetch, clock } = ports;
    return { signals: [openAlertmanager({ fetch, clock, base, ...bearer(token, ports) })] };
  },
});
