import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type Connection, isLocal, originOf, secretsOf } from './connection.ts';
import { ceilingFor } from './input-ceiling.ts';
import { isStrict } from './json-schema.ts';
import { knownModel, unknownSizes } from './known-models.ts';
import { languageModel } from './language-model.ts';
import type { Model, ModelFailure } from './model.ts';

/** Servers that speak Chat Completions, and where they listen unless told otherwise. */
export const presets = Object.freeze({
  ollama: 'http://127.0.0.1:11434/v1',
  lmstudio: 'http://127.0.0.1:1234/v1',
  vllm: 'http://127.0.0.1:8000/v1',
});

export type CompatibleProvider = keyof typeof presets | 'openai-compatible';

/**
 * Any server that speaks Chat Completions. What the server turns out to refuse (a JSON schema, `max_tokens`,
 * a stream) is left out from then on: the refusal is a failure that may be tried again at once, so the caller pays for
 * the second request like for any other.
 */
export function openaiCompatibleModel(
  provider: CompatibleProvider,
  id: string,
  connection: Connection,
): Model {
  const { baseUrl, apiKey, keySetting } = connection;
  const refused = { schema: false, maxTokens: false, usage: false, stream: false };
  const open = (fetch: typeof globalThis.fetch) =>
    createOpenAICompatible({
      name: 'compatible',
      baseURL: baseUrl,
      ...(apiKey && { apiKey }),
      ...(connection.headers && { headers: connection.headers }),
      fetch,
      includeUsage: !refused.usage,
      supportsStructuredOutputs: true,
      transformRequestBody: ({ max_tokens, ...body }) =>
        refused.maxTokens ? { ...body, max_completion_tokens: max_tokens } : { ...body, max_tokens },
    }).chatModel(id);
  const address = originOf(baseUrl);
  const known = knownModel(id);
  return languageModel({
    name: `${provider}:${id}`,
    open,
    fetch: connection.fetch,
    ceiling: ceilingFor(provider, id, address, connection.learned),
    echoes: false,
    streams: () => !refused.stream,
    contextWindow: connection.contextWindow ?? known?.context ?? unknownSizes.context,
    maxOutput: connection.maxOutput ?? known?.maxOutput ?? unknownSizes.maxOutput,
    local: provider in presets || isLocal(baseUrl),
    about: {
      provider,
      secrets: secretsOf(connection),
      ...(keySetting !== undefined && { keySetting }),
      address,
    },
    clock: connection.clock,
    takesSchema: () => !refused.schema,
    providerOptions: (request) => ({
      compatible: { strictJsonSchema: request.schema === undefined || isStrict(request.schema.json) },
    }),
    learn: (problem) => {
      const learned = refusalOf(problem, refused);
      if (!learned) return problem;
      refused[learned] = true;
      return Object.freeze({ ...problem, retryable: true, retryAfterMs: 0 });
    },
  });
}

type Refused = 'schema' | 'maxTokens' | 'usage' | 'stream';

function refusalOf(problem: ModelFailure, refused: Readonly<Record<Refused, boolean>>): Refused | undefined {
  const unsaid = problem.code === 'overloaded' || problem.code === 'bad_request';
  if (!unsaid) return undefined;
  if (!refused.maxTokens && /max_completion_tokens/.test(problem.message)) return 'maxTokens';
  if (!refused.schema && /response_?format|json_?schema|structured|grammar|guided/i.test(problem.message))
    return 'schema';
  if (!refused.usage && /stream_options|include_usage/i.test(problem.message)) return 'usage';
  if (!refused.stream && /\bstream(ing|ed)?\b/i.test(problem.message)) return 'stream';
  return undefined;
}
