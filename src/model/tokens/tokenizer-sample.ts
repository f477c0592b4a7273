/**
 * Builds a short request for a model with an unknown tokenizer. The reported usage shows how many tokens a text takes,
 * so that later requests need not reserve one token per byte.
 */
import type { BudgetEnd } from '../../core/index.ts';
import { estimateInput } from '../call/usage.ts';
import type { Model, ModelRequest } from '../model.ts';
import { byteCeiling } from './input-ceiling.ts';

/** Bytes of the instructions that are sent. */
const sampleBytes = 2_000;
/** All providers take a limit as low as this. Tokens. */
const sampleOutput = 16;
/** If the ceiling divided by the estimate exceeds this, the model's tokenizer is not known yet. */
const maxLearnedRatio = 1.5;

/**
 * Null if the sample would not help. It contains only instructions, and no text of the material, which is only sent in
 * marked blocks.
 */
export function createTokenizerSample(
  request: ModelRequest,
  shortage: BudgetEnd,
  model: Model,
): ModelRequest | null {
  const remainingTokens = shortage.limit - shortage.spent - shortage.held;
  const estimatedInput = estimateInput(request);
  const ceiling = model.maxInput?.(request) ?? 0;
  const [instructions] = request.messages;
  if (shortage.resource !== 'tokens' || instructions?.role !== 'system') return null;
  if (ceiling <= estimatedInput * maxLearnedRatio || byteCeiling(request) < 2 * sampleBytes) return null;
  const { schema: _schema, onText: _onText, ...rest } = request;
  const text = Buffer.from(instructions.text).subarray(0, sampleBytes).toString('utf8');
  const sample: ModelRequest = {
    ...rest,
    messages: [
      { role: 'system', text },
      { role: 'user', text: 'Reply with OK.' },
    ],
    maxOutputTokens: sampleOutput,
  };
  const sampleTokens = (model.maxInput?.(sample) ?? byteCeiling(sample)) + sampleOutput;
  return sampleTokens + estimatedInput <= remainingTokens ? sample : null;
}
