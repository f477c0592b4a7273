import { addressSetting, keySetting } from '../../core/setting.ts';
import { loginSettings, readHttpReach, tenantSettings, tlsSettings } from '../http-reach.ts';
import { defineSystem } from '../system.ts';

const tenantHeader = 'X-Scope-OrgID';

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
    ...loginSettings('alertmanager', 'Alertmanager'),
    ...tenantSettings('alertmanager', 'Alertmanager', tenantHeader),
    ...tlsSettings('alertmanager', 'Alertmanager'),
  },
  async open(values, ports) {
    const { alertmanager_url: base } = values;
    if (base === undefined) return null;
    const { openAlertmanager } = await import('./alertmanager.ts');
    const reach = readHttpReach('alertmanager', values, ports, tenantHeader);
    return { signals: [openAlertmanager({ clock: ports.clock, base, ...reach })] };
  },
});
