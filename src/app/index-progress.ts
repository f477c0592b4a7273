import type { IndexProgress } from '../search/index.ts';

const phases = {
  walk: 'looking for files',
  index: 'indexing',
  history: 'reading git history',
  vectors: 'computing vectors',
  write: 'writing the index',
} as const;

/** One line for somebody who watches an index being brought up to date. */
export function indexLine({ phase, done, total }: IndexProgress): string {
  if (done === 0) return phases[phase];
  return total > 0 ? `${phases[phase]} ${done} of ${total}` : `${phases[phase]} ${done}`;
}
