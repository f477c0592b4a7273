/** What the log is told, under keys that are the same on every resume. */
import type { Exhausted } from '../../core/index.ts';
import type { Crew } from './crew.ts';

export function logExhausted({ log }: Crew, step: number, exhausted: Exhausted): void {
  log.append(`step-${step}/exhausted-${exhausted.resource}`, { kind: 'budget_exhausted', step, exhausted });
}

export function logNote({ log }: Crew, key: string, level: 'info' | 'warning', text: string): void {
  log.append(key, { kind: 'note', level, text });
}
