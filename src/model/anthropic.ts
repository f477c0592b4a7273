import { createAnthropic } from '@ai-sdk/anthropic';
import { boundedFetch } from './bounded-fetch.ts';
import { type Connection, isLocal, originOf, secretsOf } from './connection.ts';
import { knownModel } from './known-models.ts';
import { languageModel } from './language-model.ts';
import type { Model } from './model.ts';

export const anthropicUrl = 'https://api.anthropic.com/v1';

/** The Messages API. Parts of the prompt marked for caching are cached for five minutes. */
export function anthropicModel(id: string, connection: Connection): Model {
  const { baseUrl, apiKey, keySetting } = connection;
  const provider = createAnthropic({
    baseURL: versioned(baseUrl),
    // An empty key would send the library to the environment.
    apiKey: apiKey || 'none',
    ...(connection.headers && { headers: connection.headers }),
    fetch: boundedFetch(connection.fetch),
  });
  const known = knownModel(id);
  return languageModel({
    name: `anthropic:${id}`,
    model: provider(id),
    contextWindow: connection.contextWindow ?? known?.context ?? 200_000,
    maxOutput: connection.maxOutput ?? known?.maxOutput ?? 64_000,
    local: isLocal(baseUrl),
    about: {
      provider: 'anthropic',
      secrets: secretsOf(connection),
      ...(keySetting !== undefined && { keySetting }),
      address: originOf(baseUrl),
    },
    clock: connection.clock,
    takesSchema: () => true,
    cacheOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  });
}

/** The vendor's own tools take the address without the version, this library with it; both are accepted. */
function versioned(baseUrl: string): string {
  return /\/v\d+$/.test(baseUrl) ? baseUrl : `${baseUrl.replace(/\/+$/, '')}/v1`;
}
