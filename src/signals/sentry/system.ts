import { addressSetting, declareSetting, keySetting } from '../../core/setting.ts';
import { readHttpReach, tlsSettings } from '../http-reach.ts';
import { defineSystem } from '../system.ts';

export const system = defineSystem({
  name: 'sentry',
  title: 'Sentry',
  offers: 'errors grouped into issues, their stacks, and releases',
  settings: {
    sentry_url: addressSetting('Address of Sentry, where it is not sentry.io.', 'SENTRY_URL'),
    sentry_organization: declareSetting(
      'text',
      'Organization of Sentry to look at in an investigation.',
      'its short name',
      'SENTRY_ORG',
    ),
    sentry_token: keySetting('Sentry, sent as a bearer token', 'SENTRY_AUTH_TOKEN'),
    ...tlsSettings('sentry', 'Sentry'),
  },
  async open(values, ports) {
    const { sentry_url: base, sentry_organization: organization } = values;
    if (organization === undefined) return null;
    const { openSentry } = await import('./sentry.ts');
    const sentryOptions = { clock: ports.clock, organization, ...readHttpReach('sentry', values, ports) };
    return { signals: [openSentry({ ...sentryOptions, ...(base !== undefined && { base }) })] };
  },
});
