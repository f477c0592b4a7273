/** Steps of work that is never resumed. They are paid for like all others, and recorded only in memory. */
import type { Journal, Step } from '../../core/index.ts';
import { openSteps, type StepPorts } from './steps.ts';

export interface TransientSteps {
  readonly step: Step;
  readonly recorded: Pick<Journal, 'recall'>;
}

export function openTransientSteps({ pool, signal }: Pick<StepPorts, 'pool' | 'signal'>): TransientSteps {
  const records = new Map<string, unknown>();
  const journal: Journal = {
    recall: (key) => records.get(key),
    record(key, value) {
      if (!records.has(key)) records.set(key, value ?? null);
      return records.get(key);
    },
  };
  const step = openSteps({
    ...{ journal, pool, signal, log: { append: () => true } },
    commit: async () => {},
    atomic: (work) => work(),
  });
  return { step, recorded: journal };
}
