/** Sentences for the result about providers that exceeded the reservation of their calls, from a run's log. */
import { fitResult } from '../answer-fit.ts';
import type { Resource } from '../budget/budget.ts';
import type { LoggedEvent } from '../event.ts';
import type { RunResult } from '../result.ts';

interface Overspend {
  tokens: number;
  usd: number;
  stopped: number;
}

/** Puts notes on overspending before the run's own notes: a reader must see a charge beyond the budget. */
export function addOverspendNotes(result: RunResult, log: readonly LoggedEvent[]): RunResult {
  const notes = listOverspendNotes(log);
  if (notes.length === 0) return result;
  const { coverage } = result;
  return fitResult({ ...result, coverage: { ...coverage, notes: [...notes, ...coverage.notes] } });
}

/** A note for each model that exceeded a reservation or its output limit. */
export function listOverspendNotes(log: readonly LoggedEvent[]): readonly string[] {
  const models = new Map<string, string>();
  const excess = new Map<string, Overspend>();
  for (const { event } of log) {
    if (event.kind === 'model_called') models.set(event.call, event.model);
    if (event.kind !== 'model_replied' && event.kind !== 'model_failed') continue;
    const stopped = event.kind === 'model_replied' && event.stopped === true;
    if (event.over === undefined && !stopped) continue;
    const model = models.get(event.call) ?? 'The model';
    const sum = excess.get(model) ?? { tokens: 0, usd: 0, stopped: 0 };
    sum.tokens += event.over?.tokens ?? 0;
    sum.usd += event.over?.usd ?? 0;
    sum.stopped += stopped ? 1 : 0;
    excess.set(model, sum);
  }
  return [...excess].flatMap(([model, sum]) => formatNotes(model, sum));
}

function formatNotes(model: string, { tokens, usd, stopped }: Overspend): readonly string[] {
  const over = [excessText('tokens', tokens), excessText('usd', usd)].filter((text) => text !== '');
  return [
    ...(over.length === 0
      ? []
      : [`${model} reported ${over.join(' and ')} more than was reserved for its calls: charged in full.`]),
    ...(stopped === 0
      ? []
      : [
          `${model} wrote beyond its output limit ${stopped === 1 ? 'once' : `${stopped} times`} and was stopped there.`,
        ]),
  ];
}

function excessText(resource: Extract<Resource, 'tokens' | 'usd'>, amount: number): string {
  if (amount === 0) return '';
  return resource === 'usd' ? `$${amount.toFixed(4)}` : `${amount} tokens`;
}
