import type { IndexProgress } from '../../search/index.ts';

const phases = {
  walk: 'looking for files',
  index: 'indexing',
  history: 'reading git history',
  vectors: 'computing vectors',
  write: 'writing the index',
} as const;

/** Minimum time between two lines of the same phase. Milliseconds. */
const minIntervalMs = 1_000;

/** Returns a formatter for the progress of one index: a line when a phase begins, then at most one a second, else null. */
export function throttleProgress(now: () => number = Date.now): (progress: IndexProgress) => string | null {
  let [phase, nextAt] = ['', 0];
  return (progress) => {
    if (progress.phase === phase && now() < nextAt) return null;
    phase = progress.phase;
    nextAt = now() + minIntervalMs;
    return formatProgress(progress);
  };
}

/** One line about the progress. */
export function formatProgress({ phase, done, total }: IndexProgress): string {
  if (done === 0) return phases[phase];
  return total > 0 ? `${phases[phase]} ${done} of ${total}` : `${phases[phase]} ${done}`;
}
