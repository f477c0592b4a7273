/** A call setting in memory, for tests. Its clock advances only by sleeping, and it records each action as a line. */
import type { Amounts, Journal, RunEvent } from '../../core/index.ts';
import { memoryLedger, openPool } from '../../core/pools.ts';
import { openSteps } from '../../store/index.ts';
import type { Model } from '../model.ts';
import type { CallSetting } from './call.ts';

export interface MemoryOptions extends Partial<Omit<CallSetting, 'model' | 'step'>> {
  readonly limits?: Amounts;
  readonly journal?: Journal;
  readonly stop?: AbortSignal;
}

export function memoryJournal(): Journal & { readonly kept: ReadonlyMap<string, unknown> } {
  const kept = new Map<string, unknown>();
  return {
    kept,
    recall: (key) => kept.get(key),
    record(key, value) {
      if (!kept.has(key)) kept.set(key, value);
      return kept.get(key);
    },
  };
}

export function memorySetting(model: Model, options: MemoryOptions = {}) {
  const { limits = {}, journal = memoryJournal(), stop = new AbortController().signal, ...over } = options;
  const lines: string[] = [];
  const events: RunEvent[] = [];
  const slept: number[] = [];
  const open = new Set<string>();
  let now = 0;
  const clock = { now: () => now };
  const pool = openPool(memoryLedger(), { account: 'run', run: 'run', fence: 1, limits, clock });
  const step = openSteps({
    journal: {
      recall: journal.recall,
      record(key, value) {
        lines.push(`record ${key}`);
        return journal.record(key, value);
      },
    },
    log: {
      append(_key, event) {
        lines.push(event.kind);
        events.push(event);
        return true;
      },
    },
    pool: {
      ...pool,
      reserve(name, amounts, more) {
        const answer = pool.reserve(name, amounts, more);
        if (answer.kind === 'exhausted') {
          lines.push(`exhausted ${answer.resource}`);
          return answer;
        }
        lines.push(`reserve ${name}`);
        open.add(name);
        return {
          ...answer,
          settle(actual) {
            open.delete(name);
            lines.push(`settle ${name}${actual === 'unknown' ? ' unknown' : ''}`);
            return answer.settle(actual);
          },
        };
      },
    },
    atomic(work) {
      lines.push('begin');
      const value = work();
      lines.push('end');
      return value;
    },
    commit: async () => void lines.push('commit'),
    signal: stop,
  });
  return {
    model,
    step,
    clock,
    number: 1,
    name: 'test',
    random: () => 1,
    sleep: async (ms: number) => {
      slept.push(ms);
      now += ms;
    },
    ...over,
    // For the tests to look at.
    spent: (resource: 'tokens' | 'usd' | 'calls') => pool.spent()[resource],
    open,
    lines,
    events,
    slept,
  };
}
