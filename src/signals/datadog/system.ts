import { addressSetting, keySetting } from '../../core/setting.ts';
import { defineSystem } from '../system.ts';

export const system = defineSystem({
  name: 'datadog',
  title: 'Datadog',
  offers: 'metrics, logs, events and monitors',
  settings: {
    datadog_url: addressSetting(
      'Address of the API of Datadog, where it is not the usual site.',
      'DATADOG_URL',
    ),
    datadog_api_key: keySetting('Datadog', 'DD_API_KEY', 'DATADOG_API_KEY'),
    datadog_application_token: keySetting('Datadog, its application key', 'DD_APP_KEY', 'DATADOG_APP_KEY'),
  },
  async open(
    { datadog_url: base, datadog_api_key: key, datadog_application_token: application },
    { fetch, clock, credential },
  ) {
    if (key === undefined) return null;
    const { openDatadog } = await import('./datadog.ts');
    const own = { apiKey: credential(key), applicationKey: credential(application ?? key) };
    return { signals: [openDatadog({ fetch, clock, ...own, ...(base !== undefined && { base }) })] };
  },
});
