import { addressSetting, declareSetting, keySetting } from '../../core/setting.ts';
import { loginSettings, readHttpReach, tlsSettings } from '../http-reach.ts';
import { defineSystem } from '../system.ts';

export const system = defineSystem({
  name: 'elasticsearch',
  title: 'Elasticsearch or OpenSearch',
  offers: 'log lines of indices and data streams, their patterns, and how many there were',
  settings: {
    elasticsearch_url: addressSetting(
      'Address of Elasticsearch or OpenSearch, to look at in an investigation.',
      'ELASTICSEARCH_URL',
    ),
    elasticsearch_token: keySetting('Elasticsearch, sent as an API key', 'ELASTICSEARCH_API_KEY'),
    ...loginSettings('elasticsearch', 'Elasticsearch or OpenSearch'),
    elasticsearch_index: declareSetting(
      'text',
      'Indices and data streams that hold logs, with `*` for any part of a name. Absent: all but metrics and traces.',
      'names with commas between them, such as logs-*,app-*',
      'ELASTICSEARCH_INDEX',
    ),
    ...tlsSettings('elasticsearch', 'Elasticsearch or OpenSearch'),
  },
  async open(values, ports) {
    const { elasticsearch_url: base, elasticsearch_index: index, elasticsearch_token: key } = values;
    if (base === undefined) return null;
    const { apiKey, openElasticsearch } = await import('./elasticsearch.ts');
    const reach = readHttpReach('elasticsearch', values, ports);
    const options = {
      clock: ports.clock,
      base,
      ...reach,
      ...(key !== undefined && { authorization: apiKey(ports.credential(key)) }),
      ...(index !== undefined && { index }),
    };
    return { signals: [openElasticsearch(options)] };
  },
});
