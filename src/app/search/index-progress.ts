import type { IndexProgress } from '../../search/index.ts';

const phases = {
  walk: 'looking for files',
  index: 'indexing',
  history: 'reading git history',
  vectors: 'computing vectors',
  write: 'writing the index',
} as const;

/** The least time between two lines of the same phase. Milliseconds. */
const quiet = 1_000;

/** Lines about the progress of one index: the begin of each phase, and then at most one a second. */
export function indexLines(now: () => number = Date.now): (progress: IndexProgress) => string | null {
  let [phase, next] = ['', 0];
  return (progress) => {
    if (progress.phase === phase && now() < next) return null;
    phase = progress.phase;
    next = now() + quiet;
    return indexLine(progress);
  };
}

/** One line about the progress. */
export function indexLine({ phase, done, total }: IndexProgress): string {
  if (done === 0) return phases[phase];
  return total > 0 ? `${phases[phase]} ${done} of ${total}` : `${phases[phase]} ${done}`;
}
