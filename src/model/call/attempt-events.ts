/** The events about a request to a model, for the log of a run. */
import type { Amounts } from '../../core/index.ts';
import type { ModelFailure, ModelReply } from '../model.ts';
import type { AttemptCost } from './reserve-call.ts';

interface AttemptFacts {
  readonly number: number;
  readonly call: string;
  readonly reserved: Amounts;
  readonly spent: AttemptCost;
}

export function createRepliedEvent(
  { overran, usage }: Pick<ModelReply, 'overran' | 'usage'>,
  {
    number,
    call,
    reserved,
    spent,
    wallMs,
    text,
  }: AttemptFacts & { readonly wallMs: number; readonly text: string },
) {
  return {
    kind: 'model_replied' as const,
    step: number,
    call,
    spent: spent.amounts,
    unknown: spent.unknown.length > 0,
    wall_ms: wallMs,
    text,
    ...findOverspending(reserved, spent.amounts),
    ...(!usage.estimated && { input: usage.input, output: usage.output }),
    ...(usage.cacheRead > 0 && { cached: usage.cacheRead }),
    ...(overran && { stopped: true as const }),
  };
}

export function createFailedEvent(
  { code, message, remedy }: ModelFailure,
  { number, call, reserved, spent }: AttemptFacts,
) {
  return {
    kind: 'model_failed' as const,
    step: number,
    call,
    code,
    message,
    remedy,
    ...findOverspending(reserved, spent.amounts),
  };
}

/** The amounts charged above the reservation. */
function findOverspending(reserved: Amounts, spent: Amounts): { readonly over?: Amounts } {
  const excess = (['tokens', 'usd'] as const)
    .map((name) => [name, (spent[name] ?? 0) - (reserved[name] ?? 0)] as const)
    .filter(([, amount]) => amount > 0);
  return excess.length === 0 ? {} : { over: Object.fromEntries(excess) };
}
