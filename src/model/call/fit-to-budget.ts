/** Cuts the input of a call to what the budget can still pay, counted as the pool reserves it. */
import type { AllAmounts } from '../../core/index.ts';
import type { Model, ModelRequest } from '../model.ts';
import { costOf, type Prices } from '../prices.ts';
import { byteCeiling } from '../tokens/input-ceiling.ts';
import { renderSignature, type Signature } from '../typed/signature.ts';
import { reservationFor } from './reserve-call.ts';

export interface CallBudget {
  readonly model: Model;
  readonly prices?: Prices;
  readonly left: Pick<AllAmounts, 'tokens' | 'usd'>;
  /** Output that must be payable in addition. Tokens. */
  readonly output: number;
}

/**
 * Returns the largest input, of a size from `min` to `max`, that the budget can pay for. If it can pay for none, returns
 * the input of size `min`.
 */
export function fitToBudget<I, O>(
  signature: Signature<I, O>,
  createInput: (size: number) => I,
  { min, max }: { readonly min: number; readonly max: number },
  budget: CallBudget,
): I {
  let [low, high] = [min, max];
  let input = createInput(high);
  if (canPayForPage(budget, signature, input)) return input;
  input = createInput(low);
  while (high - low > Math.max(16, max / 64)) {
    const size = Math.floor((low + high) / 2);
    const candidate = createInput(size);
    if (canPayForPage(budget, signature, candidate)) [low, input] = [size, candidate];
    else high = size;
  }
  return input;
}

export function canPayForPage<I, O>(budget: CallBudget, signature: Signature<I, O>, input: I): boolean {
  const schema = { name: signature.name, json: signature.schema.json };
  return canPayFor(budget, { messages: renderSignature(signature, input), schema });
}

export function canPayFor(
  { model, prices, left: remaining, output }: CallBudget,
  request: Pick<ModelRequest, 'messages' | 'schema'>,
): boolean {
  const inputCeiling = model.maxInput?.(request) ?? byteCeiling(request);
  const { tokens = 0, usd = 0 } = reservationFor(inputCeiling, output, costOf(model, prices));
  return tokens <= remaining.tokens && usd <= remaining.usd;
}
