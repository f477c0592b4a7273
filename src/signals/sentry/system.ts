import { addressSetting, declared, keySetting } from '../../core/setting.ts';
import { bearer, defineSystem } from '../system.ts';

export const system = defineSystem({
  name: 'sentry',
  title: 'Sentry',
  offers: 'errors grouped into issues, their stacks, and releases',
  settings: {
    sentry_url: addressSetting('Address of Sentry, where it is not sentry.io.', 'SENTRY_URL'),
    sentry_organization: declared(
      'text',
      'Organization of Sentry to look at in an investigation.',
      'its short name',
      'SENTRY_ORG',
    ),
    sentry_token: keySetting('Sentry, sent as a bearer token', 'SENTRY_AUTH_TOKEN'),
  },
  async open({ sentry_url: base, sentry_organization: organization, sentry_token: token }, ports) {
    if (organization === undefined) return null;
    const { openSentry } = await import('./sentry.ts');
    const { fetch, clock } = ports;
    const own = { fetch, clock, organization, ...bearer(token, ports) };
    return { signals: [openSentry({ ...own, ...(base !== undefined && { base }) })] };
  },
});
