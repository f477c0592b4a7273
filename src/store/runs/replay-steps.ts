/** The steps of a replay: their values are read from the run's records, and nothing is run, paid or written. */
import type { Journal, Pool, Step } from '../../core/index.ts';
import { openSteps } from './steps.ts';

/** `missingRecord` makes the error for a step without a record, since a replay must not invent a value. */
export function openReplaySteps(
  { recall }: Pick<Journal, 'recall'>,
  { pool, missingRecord }: { readonly pool: Pool; readonly missingRecord: (key: string) => Error },
): Step {
  return openSteps({
    journal: {
      recall,
      record(key) {
        const found = recall(key);
        if (found === undefined) throw missingRecord(key);
        return found;
      },
    },
    log: { append: () => false },
    pool,
    atomic: (work) => work(),
    commit: async () => {},
    signal: new AbortController().signal,
  });
}
