import { createAnthropic } from '@ai-sdk/anthropic';
import { type Connection, isLocal, originOf, secretsOf } from '../../connection.ts';
import { findKnownModel } from '../../known-models.ts';
import { languageModel } from '../../language-model.ts';
import type { Model } from '../../model.ts';
import { ceilingFor } from '../../tokens/input-ceiling.ts';

/** The Messages API. Parts of the prompt marked for caching are cached for five minutes. */
export function anthropicModel(id: string, connection: Connection): Model {
  const { baseUrl, apiKey, keySetting } = connection;
  const open = (fetch: typeof globalThis.fetch) =>
    createAnthropic({
      baseURL: addVersion(baseUrl),
      // With an empty key the library would read one from the environment.
      apiKey: apiKey || 'none',
      ...(connection.headers && { headers: connection.headers }),
      fetch,
    })(id);
  const address = originOf(baseUrl);
  const knownModel = findKnownModel(id);
  const mark = { anthropic: { cacheControl: { type: 'ephemeral' as const } } };
  const { thinking } = connection;
  return languageModel({
    name: `anthropic:${id}`,
    open,
    fetch: connection.fetch,
    ceiling: ceilingFor('anthropic', id, address, connection.learned),
    echoesSchema: false,
    contextWindow: connection.contextWindow ?? knownModel?.context ?? 200_000,
    maxOutput: connection.maxOutput ?? knownModel?.maxOutput ?? 64_000,
    local: isLocal(baseUrl),
    errorContext: {
      provider: 'anthropic',
      secrets: secretsOf(connection),
      ...(keySetting !== undefined && { keySetting }),
      address,
    },
    clock: connection.clock,
    takesSchema: () => true,
    // The library would add a field to each tool when it streams.
    providerOptions: () => ({ anthropic: { toolStreaming: false } }),
    cacheOptions: mark,
    // A required tool is requested in words only. Forcing it would invalidate the cached messages, and with thinking
    // the whole cache.
    dialogue: {
      mark,
      ...(thinking !== undefined && { thinking }),
      options: ({ takenOver }) => ({
        anthropic: {
          toolStreaming: false,
          ...(thinking !== undefined && {
            thinking: takenOver ? { type: 'disabled' } : { type: 'enabled', budgetTokens: thinking },
          }),
        },
      }),
    },
  });
}

/** The vendor's own tools take the address without the version, this library with it; both are accepted. */
function addVersion(baseUrl: string): string {
  return /\/v\d+$/.test(baseUrl) ? baseUrl : `${baseUrl.replace(/\/+$/, '')}/v1`;
}
