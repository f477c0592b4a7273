/** Maintains the shared store: makes the daily tables in advance, and removes old runs (setting `retention`). */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../core/index.ts';
import { type Configuration, formatDuration, storeAddress } from '../config/index.ts';

export interface StoreMaintenance {
  stop(): void;
  /** Resolves when it has stopped. */
  readonly ended: Promise<void>;
}

const everyMs = 60 * 60_000;
/** The wait after a failure. Milliseconds. */
const retryMs = 60_000;

export function openStoreMaintenance(
  configuration: Configuration,
  tell: (line: string) => void,
): StoreMaintenance {
  const stopping = new AbortController();
  const { signal } = stopping;
  async function run(): Promise<void> {
    let lastProblem = '';
    while (!signal.aborted) {
      let problem = '';
      try {
        for (const line of await maintainOnce(configuration, () => signal.throwIfAborted())) tell(line);
      } catch (thrown) {
        problem = signal.aborted ? '' : `tidying the store: ${messageOf(thrown)}`;
        if (problem !== '' && problem !== lastProblem) tell(problem);
      }
      lastProblem = problem;
      await sleep(problem === '' ? everyMs : retryMs, undefined, { signal }).catch(() => {});
    }
  }
  return { stop: () => stopping.abort(), ended: run() };
}

/** Returns lines about what was done. `check` is called between steps; if it throws, the maintenance ends. */
async function maintainOnce({ values }: Configuration, check: () => void): Promise<readonly string[]> {
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
