/** Steps of work that is never resumed. They are paid for like all others, and recorded only in memory. */
import type { Journal, Step } from '../../core/index.ts';
import { openSteps, type StepPorts } from './steps.ts';

export interface TransientSteps {
  readonly step: Step;
  readonly recorded: Pick<Journal, 'recall'>;
}

export function openTransientSteps({ pool, signal }: Pick<StepPorts, 'pool' | 'signal'>): TransientSteps {
  const kept = new Map<string, unknown>();
  const journal: Journal = {
    recall: (key) => kept.get(key),
    record(key, value) {
      if (!kept.has(key)) kept.set(key, value ?? null);
      return kept.get(key);
    },
  };
  const step = openSteps({
    ...{ journal, pool, signal, log: { append: () => true } },
    commit: async () => {},
    atomic: (work) => work(),
  });
  return { step, recorded: journal };
}
