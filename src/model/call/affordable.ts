/** Cuts pages to what the budget can still pay before a model is asked about them, counted as the pool reserves. */
import type { AllAmounts } from '../../core/index.ts';
import type { Model, ModelRequest } from '../model.ts';
import { costOf, type Prices } from '../prices.ts';
import { byteCeiling } from '../tokens/input-ceiling.ts';
import { render, type Signature } from '../typed/signature.ts';
import { reservationFor } from './reserve-call.ts';

export interface Purse {
  readonly model: Model;
  readonly prices?: Prices;
  readonly left: Pick<AllAmounts, 'tokens' | 'usd'>;
  /** Output that must be payable in addition. Tokens. */
  readonly output: number;
}

/** The largest input, from `min` to `max`, that the purse pays for; that of `min` where it pays for none. */
export function affordable<I, O>(
  signature: Signature<I, O>,
  inputOf: (size: number) => I,
  { min, max }: { readonly min: number; readonly max: number },
  purse: Purse,
): I {
  let [low, high] = [min, max];
  let input = inputOf(high);
  if (paysForPage(purse, signature, input)) return input;
  input = inputOf(low);
  while (high - low > Math.max(16, max / 64)) {
    const size = Math.floor((low + high) / 2);
    const tried = inputOf(size);
    if (paysForPage(purse, signature, tried)) [low, input] = [size, tried];
    else high = size;
  }
  return input;
}

export function paysForPage<I, O>(purse: Purse, signature: Signature<I, O>, input: I): boolean {
  const schema = { name: signature.name, json: signature.schema.json };
  return paysFor(purse, { messages: render(signature, input), schema });
}

export function paysFor(
  { model, prices, left, output }: Purse,
  request: Pick<ModelRequest, 'messages' | 'schema'>,
): boolean {
  const ceiling = model.maxInput?.(request) ?? byteCeiling(request);
  const { tokens = 0, usd = 0 } = reservationFor(ceiling, output, costOf(model, prices));
  return tokens <= left.tokens && usd <= left.usd;
}
