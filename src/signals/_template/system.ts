import { addressSetting, keySetting } from '../../core/setting.ts';
import { loginSettings, readHttpReach, tlsSettings } from '../http-reach.ts';
import { defineSystem } from '../system.ts';

export const system = defineSystem({
  name: 'template',
  title: 'A system that does not exist',
  offers: 'its events',
  settings: {
    template_url: addressSetting('Address of a system that does not exist.', 'TEMPLATE_URL'),
    template_token: keySetting('that system, sent as a bearer token', 'TEMPLATE_TOKEN'),
    ...loginSettings('template', 'that system'),
    ...tlsSettings('template', 'that system'),
  },
  async open(values, ports) {
    const { template_url: base } = values;
    if (base === undefined) return null;
    const { openTemplate } = await import('./template.ts');
    return {
      signals: [openTemplate({ clock: ports.clock, base, ...readHttpReach('template', values, ports) })],
    };
  },
});
