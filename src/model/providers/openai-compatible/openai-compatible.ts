import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type Connection, isLocal, originOf, secretsOf } from '../../connection.ts';
import { effortFor } from '../../effort.ts';
import { findKnownModel, unknownSizes } from '../../known-models.ts';
import { languageModel } from '../../language-model.ts';
import type { Model, ModelFailure } from '../../model.ts';
import { ceilingFor } from '../../tokens/input-ceiling.ts';
import { isStrict } from '../../typed/json-schema.ts';

/**
 * Any server that speaks Chat Completions. A feature that the server refuses (a JSON schema, `max_tokens`, a stream) is
 * left out from then on. The refusal is a failure that may be retried at once, so the caller pays for the second
 * request like for any other.
 */
export function openaiCompatibleModel(provider: string, id: string, connection: Connection): Model {
  const { baseUrl, apiKey, keySetting, thinking } = connection;
  const address = originOf(baseUrl);
  const learnedKey = `${provider}:${id} ${address} refuses`;
  const refused = {
    schema: false,
    maxTokens: false,
    usage: false,
    stream: false,
    reasoning: false,
    effort: false,
    toolChoice: false,
    tools: refusesTools(connection.learned?.load(learnedKey)),
  };
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
  const knownModel = findKnownModel(id);
  return languageModel({
    name: `${provider}:${id}`,
    open,
    fetch: connection.fetch,
    ceiling: ceilingFor(provider, id, address, connection.learned),
    echoesSchema: false,
    streams: () => !refused.stream,
    contextWindow: connection.contextWindow ?? knownModel?.context ?? unknownSizes.context,
    maxOutput: connection.maxOutput ?? knownModel?.maxOutput ?? unknownSizes.maxOutput,
    local: connection.free === true || isLocal(baseUrl),
    errorContext: {
      provider,
      secrets: secretsOf(connection),
      ...(keySetting !== undefined && { keySetting }),
      ...(connection.howToList !== undefined && { howToList: connection.howToList }),
      address,
    },
    clock: connection.clock,
    takesSchema: () => !refused.schema,
    providerOptions: (request) => ({
      compatible: { strictJsonSchema: request.schema === undefined || isStrict(request.schema.json) },
    }),
    learn: (problem) => {
      const learned = findRefusedFeature(problem, refused);
      if (!learned) return problem;
      refused[learned] = true;
      if (learned === 'tools') connection.learned?.save(learnedKey, { tools: true });
      return Object.freeze({ ...problem, retryable: true, retryAfterMs: 0 });
    },
    dialogue: {
      limitsThinking: true,
      ...(thinking !== undefined && { thinking }),
      options: ({ takenOver }) =>
        thinking === undefined || takenOver || refused.effort
          ? {}
          : { compatible: { reasoningEffort: effortFor(thinking) } },
      takesTools: () => !refused.tools,
      takesReasoning: () => !refused.reasoning,
      toolChoice: (tool) => (refused.toolChoice ? undefined : { type: 'tool', toolName: tool }),
    },
  });
}

type RefusedFeature =
  | 'schema'
  | 'maxTokens'
  | 'usage'
  | 'stream'
  | 'reasoning'
  | 'effort'
  | 'toolChoice'
  | 'tools';

/** Whether an earlier run learned that the server refuses tools. Otherwise each run would ask in vain once. */
function refusesTools(learned: unknown): boolean {
  return (learned as { readonly tools?: unknown } | null | undefined)?.tools === true;
}

function findRefusedFeature(
  problem: ModelFailure,
  refused: Readonly<Record<RefusedFeature, boolean>>,
): RefusedFeature | undefined {
  const mayBeRefusal = problem.code === 'overloaded' || problem.code === 'bad_request';
  if (!mayBeRefusal) return undefined;
  if (!refused.tools && noTools.test(problem.message)) return 'tools';
  if (!refused.toolChoice && /tool[_ ]?choice/i.test(problem.message)) return 'toolChoice';
  if (!refused.effort && /reasoning[_ ]?effort/i.test(problem.message)) return 'effort';
  if (!refused.reasoning && /reasoning_(content|details)/i.test(problem.message)) return 'reasoning';
  if (!refused.maxTokens && /max_completion_tokens/.test(problem.message)) return 'maxTokens';
  if (!refused.schema && /response_?format|json_?schema|structured|grammar|guided/i.test(problem.message))
    return 'schema';
  if (!refused.usage && /stream_options|include_usage/i.test(problem.message)) return 'usage';
  if (!refused.stream && /\bstream(ing|ed)?\b/i.test(problem.message)) return 'stream';
  return undefined;
}

/** Messages saying that the model or the server has no tools at all, rather than that one call was wrong. */
const noTools =
  /(does not|doesn't|do not|don't|cannot|can't|not) support (the )?(tools?|tool[ _-]?(use|calls?|calling)|functions?|function[ _-]?call(s|ing)?)\b|\b(tools?|tool[ _-]?(use|calls?|calling)|functions?|function[ _-]?call(s|ing)?)['"`]? (is|are) (not |un)(supported|available|enabled|allowed|permitted)|(unknown|unrecognized|unsupported|unexpected|extra)[^.]{0,60}['"`\s]tools\b|enable-auto-tool-choice/i;
