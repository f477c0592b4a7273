/** What the log of a run is told of a call. */
import type { Amounts, RunLog } from '../core/index.ts';
import type { CallEvent } from './call.ts';

/** Under keys that are the same on every replay, so that a run that is taken up again tells nothing twice. */
export function logCall(
  log: Pick<RunLog, 'append'>,
  step: number,
  signature: string,
  event: CallEvent,
): void {
  switch (event.kind) {
    case 'called':
      log.append(`${event.attempt}/called`, {
        kind: 'model_called',
        step,
        call: event.attempt,
        model: event.model,
        signature,
        reserved: event.reserved,
      });
      return;
    case 'replied':
      log.append(`${event.attempt}/replied`, {
        kind: 'model_replied',
        step,
        call: event.attempt,
        spent: event.spent.amounts,
        unknown: event.spent.unknown.length > 0,
        wall_ms: event.wallMs,
        text: event.reply.text,
        ...overspent(event.reserved, event.spent.amounts),
        ...(event.reply.overran && { stopped: true as const }),
      });
      return;
    case 'failed':
      log.append(`${event.attempt}/failed`, {
        kind: 'model_failed',
        step,
        call: event.attempt,
        code: event.failure.code,
        message: event.failure.message,
        remedy: event.failure.remedy,
        ...overspent(event.reserved, event.spent.amounts),
      });
  }
}

/** What was charged beyond the reservation. */
export function overspent(reserved: Amounts, spent: Amounts): { readonly over?: Amounts } {
  const over = (['tokens', 'usd'] as const)
    .map((name) => [name, (spent[name] ?? 0) - (reserved[name] ?? 0)] as const)
    .filter(([, amount]) => amount > 0);
  return over.length === 0 ? {} : { over: Object.fromEntries(over) };
}
