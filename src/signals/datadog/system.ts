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
    { datadog_url: base, datadog_api_key: apiKey, datadog_application_token: applicationKey },
    { fetch, clock, credential },
  ) {
    if (apiKey === undefined) return null;
    const { openDatadog } = await import('./datadog.ts');
    const credentials = { apiKey: credential(apiKey), applicationKey: credential(applicationKey ?? apiKey) };
    return { signals: [openDatadog({ fetch, clock, ...credentials, ...(base !== undefined && { base }) })] };
  },
});
