/** Computes the reservation of a call, and its final cost. */
import type { Amounts, BudgetEnd, Resource } from '../../core/index.ts';
import type { Model, ModelReply, ModelRequest, Usage } from '../model.ts';
import { type Cost, usdOf } from '../prices.ts';
import { estimateInput } from './usage.ts';

/** An output limit that the pool forces below this is not worth a call. Tokens. */
export const minUsefulOutput = 256;

/** The cost of an attempt: tokens, usd and calls. */
export interface AttemptCost {
  readonly amounts: Amounts;
  /**
   * Resources whose amount the provider did not report. `usd` alone: the tokens are reported, and the dollars are
   * those tokens at the dearest known price. `tokens`: no usage was reported, and the tokens are those reserved.
   * Both: the whole reservation, as core's ledger settles `unknown`.
   */
  readonly unknown: readonly Resource[];
}

/** The window is filled by the likely size of the input, not by its ceiling. */
export function outputRoom(
  request: Pick<ModelRequest, 'messages' | 'schema' | 'maxOutputTokens'>,
  model: Pick<Model, 'contextWindow' | 'maxOutput'>,
  input: number,
): number {
  const likely = Math.min(input, estimateInput(request));
  const room = Math.max(model.contextWindow - likely, minUsefulOutput);
  return Math.min(request.maxOutputTokens, model.maxOutput, room);
}

/** A request whose whole input is written to the cache costs the most. */
export function reservationFor(input: number, output: number, cost: Cost): Amounts {
  const usd = Math.max(
    usdOf({ input, output, cacheRead: 0, cacheWrite: 0, estimated: true }, cost.price),
    usdOf({ input, output, cacheRead: 0, cacheWrite: input, estimated: true }, cost.price),
  );
  return { tokens: input + output, usd, calls: 1 };
}

/** A pool that keeps money in micro-dollars rounds what is asked for up, and its ceiling down. US dollars. */
const roundedUp = 2e-6;

export function payableOutput(
  { resource, limit, spent, held }: BudgetEnd,
  input: number,
  output: number,
  cost: Cost,
): number | undefined {
  const left = limit - spent - held;
  if (resource === 'tokens') return Math.floor(left - input);
  if (resource !== 'usd') return undefined;
  const fixed = reservationFor(input, 0, cost).usd ?? 0;
  const each = ((reservationFor(input, output, cost).usd ?? 0) - fixed) / output;
  return each > 0 ? Math.floor((left - fixed - roundedUp) / each) : undefined;
}

/** The usage that the provider reported, even above the reservation; without a report the reservation. */
export function costOfReply(
  { usage, usd: reported }: Pick<ModelReply, 'usage' | 'usd'>,
  cost: Cost,
  reserved: Amounts,
): AttemptCost {
  if (usage.estimated && reported === undefined) return wholeReservation(reserved);
  if (usage.estimated) return { amounts: { ...reserved, usd: reported ?? 0 }, unknown: ['tokens'] };
  const amounts = { tokens: tokensOf(usage), usd: reported ?? usdOf(usage, cost.price), calls: 1 };
  return { amounts, unknown: reported === undefined && cost.kind === 'unknown' ? ['usd'] : [] };
}

/** Cached input counts a tenth, which is about its price; a dialogue sends all of its earlier text each time. */
const cachedPart = 0.1;

/** Tokens as a budget counts them. */
function tokensOf({ input, output, cacheRead }: Usage): number {
  const read = Math.min(cacheRead, input);
  return input - read + Math.ceil(read * cachedPart) + output;
}

export function wholeReservation(amounts: Amounts): AttemptCost {
  return { amounts, unknown: ['tokens', 'usd'] };
}
