/**
 * Sends a short question to a model with an unknown tokenizer. The reported usage shows how many tokens a text takes,
 * so that a request can be reserved at its real size and not at a token a byte.
 */
import type { BudgetEnd } from '../../core/index.ts';
import { estimateInput } from '../call/usage.ts';
import type { Model, ModelRequest } from '../model.ts';
import { byteCeiling } from './input-ceiling.ts';

/** Bytes of the instructions that are sent. */
const sampleBytes = 2_000;
/** All providers take a limit as low as this. Tokens. */
const sampleOutput = 16;
/** A ceiling that is more than so many times what the text likely takes was not learned. */
const unlearned = 1.5;

/**
 * A request that shows how the provider counts tokens. Null if it would not help. It consists only of instructions, so
 * that text of the material stays in its marked blocks.
 */
export function tokenizerSample(request: ModelRequest, short: BudgetEnd, model: Model): ModelRequest | null {
  const left = short.limit - short.spent - short.held;
  const likely = estimateInput(request);
  const ceiling = model.maxInput?.(request) ?? 0;
  const [instructions] = request.messages;
  if (short.resource !== 'tokens' || instructions?.role !== 'system') return null;
  if (ceiling <= likely * unlearned || byteCeiling(request) < 2 * sampleBytes) return null;
  const { schema: _form, onText: _hears, ...rest } = request;
  const text = Buffer.from(instructions.text).subarray(0, sampleBytes).toString('utf8');
  const sample: ModelRequest = {
    ...rest,
    messages: [
      { role: 'system', text },
      { role: 'user', text: 'Reply with OK.' },
    ],
    maxOutputTokens: sampleOutput,
  };
  const price = (model.maxInput?.(sample) ?? byteCeiling(sample)) + sampleOutput;
  return price + likely <= left ? sample : null;
}
