import { createOpenAI } from '@ai-sdk/openai';
import { type Connection, isLocal, openaiUrl, originOf, secretsOf } from '../../connection.ts';
import { effortFor } from '../../effort.ts';
import { findKnownModel } from '../../known-models.ts';
import { languageModel } from '../../language-model.ts';
import type { Model, ModelFailure } from '../../model.ts';
import { ceilingFor } from '../../tokens/input-ceiling.ts';
import { isStrict } from '../../typed/json-schema.ts';

/** The Responses API. The provider caches prompts by itself; nothing is stored on its side. */
export function openaiModel(id: string, connection: Connection): Model {
  const { baseUrl, apiKey, keySetting, thinking } = connection;
  const open = (fetch: typeof globalThis.fetch) =>
    createOpenAI({
      baseURL: baseUrl,
      // With an empty key the library would read one from the environment.
      apiKey: apiKey || 'none',
      ...(connection.headers && { headers: connection.headers }),
      fetch,
    }).responses(id);
  const address = originOf(baseUrl);
  const knownModel = findKnownModel(id);
  return languageModel({
    name: `openai:${id}`,
    open,
    fetch: connection.fetch,
    ceiling: ceilingFor('openai', id, address, connection.learned),
    echoesSchema: true,
    contextWindow: connection.contextWindow ?? knownModel?.context ?? 128_000,
    maxOutput: connection.maxOutput ?? knownModel?.maxOutput ?? 32_000,
    local: isLocal(baseUrl),
    errorContext: {
      provider: 'openai',
      secrets: secretsOf(connection),
      ...(keySetting !== undefined && { keySetting }),
      address,
    },
    clock: connection.clock,
    takesSchema: () => true,
    learn: (problem) =>
      isChatOnly(problem, address) ? { ...problem, remedy: chatCompletionsRemedy(id, address) } : problem,
    providerOptions: (request) => ({
      openai: {
        store: false,
        strictJsonSchema: request.schema === undefined || isStrict(request.schema.json),
      },
    }),
    dialogue: {
      strict: true,
      limitsThinking: true,
      ...(thinking !== undefined && { thinking }),
      options: ({ must, cacheKey, takenOver }) => ({
        openai: {
          store: false,
          ...(cacheKey !== undefined && { promptCacheKey: cacheKey }),
          ...(thinking !== undefined && !takenOver && { reasoningEffort: effortFor(thinking) }),
          // Unlike a forced tool choice, this leaves the list of tools unchanged, so the cached prefix stays valid.
          ...(must !== undefined && { allowedTools: { toolNames: [must], mode: 'required' } }),
        },
      }),
    },
  });
}

/**
 * Whether the server supports only Chat Completions: it answers the path of the Responses API with 404, or with 405 or
 * 501, which are reported as `bad_request` and `overloaded`.
 */
function isChatOnly({ message, code }: ModelFailure, address: string): boolean {
  const mayBeAbsent = code === 'bad_request' || code === 'unknown_model' || code === 'overloaded';
  return address !== originOf(openaiUrl) && mayBeAbsent && /\((?:404|405|501)\)/.test(message);
}

const chatCompletionsRemedy = (id: string, address: string): string =>
  `${address} may support only Chat Completions, but "openai:" uses /v1/responses: name the model openai-compatible:${id}.`;
