/** The steps of a run that is gone through again from its records: nothing is run, paid or written. */
import type { Pool, Step } from '../core/index.ts';
import { openSteps } from './steps.ts';
import type { Store } from './store.ts';

/** `hole` makes what is thrown where a step is to be recorded that is not in the records: it is not to be made up. */
export function replayedSteps(
  store: Store,
  run: string,
  { pool, hole }: { readonly pool: Pool; readonly hole: (key: string) => Error },
): Step {
  const { recall } = store.recorded(run);
  return openSteps({
    journal: {
      recall,
      record(key) {
        const found = recall(key);
        if (found === undefined) throw hole(key);
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
