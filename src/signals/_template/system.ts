import { addressSetting, keySetting } from '../../core/setting.ts';
import { bearer, defineSystem } from '../system.ts';

export const system = defineSystem({
  name: 'template',
  title: 'A system that does not exist',
  offers: 'its events',
  settings: {
    template_url: addressSetting('Address of a system that does not exist.', 'TEMPLATE_URL'),
    template_token: keySetting('that system, sent as a bearer token', 'TEMPLATE_TOKEN'),
  },
  async open({ template_url: base, template_token: token }, ports) {
    if (base === undefined) return null;
    const { openTemplate } = await import('./template.ts');
    const { fetch, clock } = ports;
    return { signals: [openTemplate({ fetch, clock, base, ...bearer(token, ports) })] };
  },
});
