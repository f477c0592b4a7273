/** Makes models of the AI SDK, which a program opened itself, usable in a run. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { SondeError, systemClock } from '../core/index.ts';
import { findKnownModel, unknownSizes } from './known-models.ts';
import { languageModel } from './language-model.ts';
import type { Model } from './model.ts';
import { ceilingFor } from './tokens/input-ceiling.ts';

export { guardModel } from './guard-model.ts';

export interface AiSdkOptions {
  /** Tokens of input and output together. Default: from the table of known models; a small number for unknown ones. */
  readonly contextWindow?: number;
  /** Tokens of one reply. */
  readonly maxOutput?: number;
  /** True for a model on this machine, whose calls nobody bills by the token. */
  readonly local?: boolean;
}

/** A language model as providers of the AI SDK make it. */
export type AiSdkModel = LanguageModelV4;

export const isAiSdkModel = (model: Model | LanguageModelV4): model is LanguageModelV4 =>
  'specificationVersion' in model;

/**
 * Wraps a model of the AI SDK. Its calls are streamed, counted and paid from the budget like those of any other model.
 * The AI SDK owns the connection, so only the text of a reply is limited, not the bytes received. The name is
 * `provider:model`, as the AI SDK gives them. Throws `model_config` for a model that cannot stream.
 */
export function aiSdkModel(model: LanguageModelV4, options: AiSdkOptions = {}): Model {
  for (const method of ['doGenerate', 'doStream'] as const)
    if (typeof model[method] !== 'function')
      throw new SondeError('model_config', {
        message: `The model ${model.provider}:${model.modelId} has no ${method}, which every model of the AI SDK needs`,
        remedy:
          method === 'doStream'
            ? 'Add doStream, or pass wrapLanguageModel({ model, middleware: simulateStreamingMiddleware() }) of the package ai.'
            : 'Add doGenerate.',
      });
  const [provider = 'ai-sdk'] = model.provider.split('.', 1);
  const knownModel = findKnownModel(model.modelId);
  return languageModel({
    name: `${provider}:${model.modelId}`,
    open: () => model,
    fetch: globalThis.fetch,
    echoesSchema: false,
    ceiling: ceilingFor(provider, model.modelId, '', undefined),
    contextWindow: options.contextWindow ?? knownModel?.context ?? unknownSizes.context,
    maxOutput: options.maxOutput ?? knownModel?.maxOutput ?? unknownSizes.maxOutput,
    local: options.local === true,
    errorContext: { provider, secrets: [] },
    clock: systemClock,
    takesSchema: () => true,
    dialogue: {},
  });
}
