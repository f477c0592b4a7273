/** What a call is reserved at, and what it comes to. */
import type { Amounts, Exhausted, Reserved } from '../core/index.ts';
import { byteCeiling } from './input-ceiling.ts';
import type { Meter, Spent } from './meter.ts';
import type { Model, ModelReply, ModelRequest, Usage } from './model.ts';
import { type Cost, usdOf } from './prices.ts';
import { estimateInput } from './usage.ts';

/** An output limit that the pool forces below this is not worth a call. Tokens. */
export const smallestUsefulOutput = 256;

export interface Granted {
  readonly kind: 'granted';
  readonly reservation: Reserved;
  readonly maxOutputTokens: number;
}

/**
 * Asks for the whole request first. Where the pool cannot pay it now, it waits while other calls are under way: they
 * give back what they don't use. When none is, it asks for as much output as what is left pays, down to the least
 * that is worth a call.
 */
export async function reserveCall(
  request: ModelRequest,
  attempt: string,
  cost: Cost,
  { model, meter }: { readonly model: Model; readonly meter: Meter },
): Promise<Granted | Exhausted | { readonly kind: 'cancelled' }> {
  for (;;) {
    // Counted anew each time: the calls that ended may have told more of the tokenizer.
    const input = model.maxInput?.(request) ?? byteCeiling(request);
    const output = outputRoom(request, model, input);
    const whole = meter.reserve(attempt, reservationFor(input, output, cost));
    if (whole.kind === 'reserved') return { kind: 'granted', reservation: whole, maxOutputTokens: output };
    const freed = meter.freed?.(whole) ?? null;
    if (freed === null) return lowered(whole, { attempt, input, output, cost, meter });
    await Promise.race([freed, aborted(request.signal)]);
    if (request.signal?.aborted) return { kind: 'cancelled' };
  }
}

/** The window is filled by what the input likely is, not by what it is at most. */
export function outputRoom(
  request: Pick<ModelRequest, 'messages' | 'schema' | 'maxOutputTokens'>,
  model: Pick<Model, 'contextWindow' | 'maxOutput'>,
  input: number,
): number {
  const likely = Math.min(input, estimateInput(request));
  const room = Math.max(model.contextWindow - likely, smallestUsefulOutput);
  return Math.min(request.maxOutputTokens, model.maxOutput, room);
}

interface Wish {
  readonly attempt: string;
  readonly input: number;
  readonly output: number;
  readonly cost: Cost;
  readonly meter: Meter;
}

function lowered(
  refused: Exhausted,
  { attempt, input, output: asked, cost, meter }: Wish,
): Granted | Exhausted {
  const least = Math.min(asked, smallestUsefulOutput);
  let output = asked;
  for (let answer = refused; ; ) {
    const payable = payableOutput(answer, input, output, cost);
    if (payable === undefined || payable < least || payable >= output) return answer;
    output = payable;
    const again = meter.reserve(attempt, reservationFor(input, output, cost));
    if (again.kind === 'reserved') return { kind: 'granted', reservation: again, maxOutputTokens: output };
    answer = again;
  }
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
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
  { resource, limit, spent, held }: Exhausted,
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

/** What the provider reported, even above the reservation; the reservation where it reported nothing. */
export function spentOn(
  { usage, usd: reported }: Pick<ModelReply, 'usage' | 'usd'>,
  cost: Cost,
  reserved: Amounts,
): Spent {
  if (usage.estimated && reported === undefined) return wholeReservation(reserved);
  if (usage.estimated) return { amounts: { ...reserved, usd: reported ?? 0 }, unknown: ['tokens'] };
  const amounts = { tokens: tokensOf(usage), usd: reported ?? usdOf(usage, cost.price), calls: 1 };
  return { amounts, unknown: reported === undefined && cost.kind === 'unknown' ? ['usd'] : [] };
}

/** What was read from the cache counts as a tenth: it costs about that, and a dialogue sends all of itself each time. */
const cachedPart = 0.1;

/** Tokens as a budget counts them. */
function tokensOf({ input, output, cacheRead }: Usage): number {
  const read = Math.min(cacheRead, input);
  return input - read + Math.ceil(read * cachedPart) + output;
}

export function wholeReservation(amounts: Amounts): Spent {
  return { amounts, unknown: ['tokens', 'usd'] };
}
