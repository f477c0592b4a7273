/** Computes the reservation of a call, and its final cost. */
import type { Amounts, BudgetEnd, Resource } from '../../core/index.ts';
import type { Model, ModelReply, ModelRequest, Usage } from '../model.ts';
import { type Cost, usdOf } from '../prices.ts';
import { estimateInput } from './usage.ts';

/** If the pool can pay for fewer output tokens than this, no call is made. */
export const minUsefulOutput = 256;

/** The cost of an attempt: tokens, usd and calls. */
export interface AttemptCost {
  readonly amounts: Amounts;
  /**
   * Resources whose amount the provider did not report. `usd` alone: the tokens are reported, and the dollars are
   * those tokens at the dearest known price. `tokens`: no usage was reported, and the tokens are those reserved.
   * Both: nothing is known, and the ledger charges the whole reservation.
   */
  readonly unknown: readonly Resource[];
}

/**
 * The output limit that fits into the window beside the estimated input. The upper bound `inputCeiling` would leave too
 * little room.
 */
export function outputRoom(
  request: Pick<ModelRequest, 'messages' | 'schema' | 'maxOutputTokens'>,
  model: Pick<Model, 'contextWindow' | 'maxOutput'>,
  inputCeiling: number,
): number {
  const estimatedInput = Math.min(inputCeiling, estimateInput(request));
  const room = Math.max(model.contextWindow - estimatedInput, minUsefulOutput);
  return Math.min(request.maxOutputTokens, model.maxOutput, room);
}

/** Assumes that the whole input is written to the cache, if that costs more. */
export function reservationFor(input: number, output: number, cost: Cost): Amounts {
  const usd = Math.max(
    usdOf({ input, output, cacheRead: 0, cacheWrite: 0, estimated: true }, cost.price),
    usdOf({ input, output, cacheRead: 0, cacheWrite: input, estimated: true }, cost.price),
  );
  return { tokens: input + output, usd, calls: 1 };
}

/** The maximum rounding error of a pool that counts in micro-dollars. US dollars. */
const maxRounding = 2e-6;

/**
 * The number of output tokens that the rest of an exhausted resource can pay for. Undefined: this resource does not
 * limit the output.
 */
export function payableOutput(
  { resource, limit, spent, held }: BudgetEnd,
  input: number,
  output: number,
  cost: Cost,
): number | undefined {
  const remaining = limit - spent - held;
  if (resource === 'tokens') return Math.floor(remaining - input);
  if (resource !== 'usd') return undefined;
  const inputUsd = reservationFor(input, 0, cost).usd ?? 0;
  const usdPerToken = ((reservationFor(input, output, cost).usd ?? 0) - inputUsd) / output;
  return usdPerToken > 0 ? Math.floor((remaining - inputUsd - maxRounding) / usdPerToken) : undefined;
}

/** The usage that the provider reported, even above the reservation; without a report the reservation. */
export function costOfReply(
  { usage, usd: reported }: Pick<ModelReply, 'usage' | 'usd'>,
  cost: Cost,
  reserved: Amounts,
): AttemptCost {
  if (usage.estimated && reported === undefined) return wholeReservation(reserved);
  if (usage.estimated) return { amounts: { ...reserved, usd: reported ?? 0 }, unknown: ['tokens'] };
  const amounts = { tokens: budgetTokens(usage), usd: reported ?? usdOf(usage, cost.price), calls: 1 };
  return { amounts, unknown: reported === undefined && cost.kind === 'unknown' ? ['usd'] : [] };
}

/**
 * The weight of a cached input token, which is about its share of the price. A dialogue sends all of its earlier text
 * each time.
 */
const cachedWeight = 0.1;

/** Tokens as a budget counts them. */
function budgetTokens({ input, output, cacheRead }: Usage): number {
  const cachedInput = Math.min(cacheRead, input);
  return input - cachedInput + Math.ceil(cachedInput * cachedWeight) + output;
}

export function wholeReservation(amounts: Amounts): AttemptCost {
  return { amounts, unknown: ['tokens', 'usd'] };
}
