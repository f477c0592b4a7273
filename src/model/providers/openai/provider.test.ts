import { openServedProvider, providerContract } from '../provider.contract.ts';
import { provider } from './provider.ts';

/** At its own address, from where everything goes to the server of the test. */
providerContract(provider, async () => {
  const { values, ...served } = await openServedProvider('openai_base_url', 'openai_api_key');
  const own = 'https://api.openai.com/v1';
  return {
    ...served,
    values: { ...values, openai_base_url: own },
    ports: {
      fetch: (url, init) => fetch(String(url).replace(own, values!['openai_base_url']!), init),
    },
  };
});
