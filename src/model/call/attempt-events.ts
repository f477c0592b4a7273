/** The events that a run's log gets about a request to a model. */
import type { Amounts } from '../../core/index.ts';
import type { ModelFailure, ModelReply } from '../model.ts';
import type { AttemptCost } from './reserve-call.ts';

interface AttemptNote {
  readonly number: number;
  readonly call: string;
  readonly reserved: Amounts;
  readonly spent: AttemptCost;
}

export function repliedEvent(
  { overran, usage }: Pick<ModelReply, 'overran' | 'usage'>,
  {
    number,
    call,
    reserved,
    spent,
    wallMs,
    text,
  }: AttemptNote & { readonly wallMs: number; readonly text: string },
) {
  return {
    kind: 'model_replied' as const,
    step: number,
    call,
    spent: spent.amounts,
    unknown: spent.unknown.length > 0,
    wall_ms: wallMs,
    text,
    ...overspent(reserved, spent.amounts),
    ...(!usage.estimated && { input: usage.input, output: usage.output }),
    ...(usage.cacheRead > 0 && { cached: usage.cacheRead }),
    ...(overran && { stopped: true as const }),
  };
}

export function failedEvent(
  { code, message, remedy }: ModelFailure,
  { number, call, reserved, spent }: AttemptNote,
) {
  return {
    kind: 'model_failed' as const,
    step: number,
    call,
    code,
    message,
    remedy,
    ...overspent(reserved, spent.amounts),
  };
}

/** The amounts charged above the reservation. */
function overspent(reserved: Amounts, spent: Amounts): { readonly over?: Amounts } {
  const over = (['tokens', 'usd'] as const)
    .map((name) => [name, (spent[name] ?? 0) - (reserved[name] ?? 0)] as const)
    .filter(([, amount]) => amount > 0);
  return over.length === 0 ? {} : { over: Object.fromEntries(over) };
}
