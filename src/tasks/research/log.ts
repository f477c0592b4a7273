/** Writes the events of a research run to its log, under keys that are the same after each resume. */
import type { BudgetEnd } from '../../core/index.ts';
import type { RunContext } from './run-context.ts';

export function logExhausted({ tell }: RunContext, step: number, exhausted: BudgetEnd): void {
  tell(`step-${step}/exhausted-${exhausted.resource}`, { kind: 'budget_exhausted', step, exhausted });
}

export function logNote({ tell }: RunContext, key: string, level: 'info' | 'warning', text: string): void {
  tell(key, { kind: 'note', level, text });
}
