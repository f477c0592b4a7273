/**
 * Asks a short question before the first turn of a small pool, to learn how many tokens texts of unknown kinds take.
 */
import type { AllAmounts, Step } from '../../core/index.ts';
import { askSample } from '../call/call.ts';
import type { Model } from '../model.ts';
import { createTokenizerSample } from '../tokens/tokenizer-sample.ts';
import type { Dialogue } from './dialogue.ts';
import { measure } from './measure.ts';
import { type TurnOptions, turnCost } from './turn.ts';

/** Sends nothing if the pool can pay the turn anyway, or if a better estimate would not help. */
export async function learnTokenizer(
  step: Step,
  key: string,
  model: Model,
  dialogue: Dialogue,
  options: TurnOptions & { readonly left: Pick<AllAmounts, 'tokens' | 'usd'> },
): Promise<void> {
  const { tokens = 0 } = turnCost(model, dialogue, options);
  const { left, maxOutputTokens, timeoutMs, scope } = options;
  if (tokens <= left.tokens) return;
  const shortage = {
    kind: 'exhausted' as const,
    resource: 'tokens' as const,
    account: scope,
    limit: left.tokens,
    spent: 0,
    held: 0,
    requested: tokens,
  };
  const sample = createTokenizerSample({ ...measure(dialogue), maxOutputTokens, timeoutMs }, shortage, model);
  if (sample === null) return;
  await askSample(sample, key, { ...options, model, step });
}
