import { createOpenAI } from '@ai-sdk/openai';
import { boundedFetch } from './bounded-fetch.ts';
import { type Connection, isLocal, originOf, secretsOf } from './connection.ts';
import { isStrict } from './json-schema.ts';
import { knownModel } from './known-models.ts';
import { languageModel } from './language-model.ts';
import type { Model } from './model.ts';

export const openaiUrl = 'https://api.openai.com/v1';

/** The Responses API. The provider caches prompts by itself; nothing is stored on its side. */
export function openaiModel(id: string, connection: Connection): Model {
  const { baseUrl, apiKey, keySetting } = connection;
  const provider = createOpenAI({
    baseURL: baseUrl,
    // An empty key would send the library to the environment.
    apiKey: apiKey || 'none',
    ...(connection.headers && { headers: connection.headers }),
    fetch: boundedFetch(connection.fetch),
  });
  const known = knownModel(id);
  return languageModel({
    name: `openai:${id}`,
    model: provider.responses(id),
    contextWindow: connection.contextWindow ?? known?.context ?? 128_000,
    maxOutput: connection.maxOutput ?? known?.maxOutput ?? 32_000,
    local: isLocal(baseUrl),
    about: {
      provider: 'openai',
      secrets: secretsOf(connection),
      ...(keySetting !== undefined && { keySetting }),
      address: originOf(baseUrl),
    },
    clock: connection.clock,
    takesSchema: () => true,
    providerOptions: (request) => ({
      openai: {
        store: false,
        strictJsonSchema: request.schema === undefined || isStrict(request.schema.json),
      },
    }),
  });
}
