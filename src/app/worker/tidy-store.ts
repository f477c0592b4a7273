/** Maintains the shared store: makes the daily tables in advance, and removes old runs (setting `retention`). */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../core/index.ts';
import { type Configuration, formatDuration, storeAddress } from '../config/index.ts';

export interface Tidying {
  stop(): void;
  /** Resolves when it has stopped. */
  readonly ended: Promise<void>;
}

const everyMs = 60 * 60_000;
/** After a failure. */
const retryMs = 60_000;

export function keepStoreTidy(configuration: Configuration, tell: (line: string) => void): Tidying {
  const stopped = new AbortController();
  const { signal } = stopped;
  async function keep(): Promise<void> {
    let lastTrouble = '';
    while (!signal.aborted) {
      let trouble = '';
      try {
        for (const line of await tidyOnce(configuration, () => signal.throwIfAborted())) tell(line);
      } catch (thrown) {
        trouble = signal.aborted ? '' : `tidying the store: ${messageOf(thrown)}`;
        if (trouble !== '' && trouble !== lastTrouble) tell(trouble);
      }
      lastTrouble = trouble;
      await sleep(trouble === '' ? everyMs : retryMs, undefined, { signal }).catch(() => {});
    }
  }
  return { stop: () => stopped.abort(), ended: keep() };
}

/** Lines about what was done. `check` is called between steps, and may throw. */
async function tidyOnce({ values }: Configuration, check: () => void): Promise<readonly string[]> {
  const { makeDays, pruneShared } = await import('../../store/postgres/index.ts');
  const url = storeAddress(values);
  await makeDays({ url });
  const { retention } = values;
  if (retention === 'off') return [];
  const { runs, days, notes } = await pruneShared(
    { url },
    { olderThan: retention, keep: 0, remove: true, onBatch: async () => check() },
  );
  if (runs.length + days.length === 0) return notes.map((note) => `retention: ${note}`);
  return [
    ...notes.map((note) => `retention: ${note}`),
    `retention ${formatDuration(retention)}: removed ${runs.length} finished run(s)${days.length === 0 ? '' : `, and dropped ${days.length} day(s): ${days.map(({ schema, day }) => `${day} of ${schema}`).join(', ')}`}`,
  ];
}
