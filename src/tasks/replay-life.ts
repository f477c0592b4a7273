/**
 * The life of a finished run that is worked through again from its records: whatever its work asks for is there,
 * or a hole in them. Nothing is asked, nothing is written.
 */
import { type AllAmounts, memoryLedger, openPool, SondeError, systemClock } from '../core/index.ts';
import { extractive, isExtractive, type Model } from '../model/index.ts';
import { type RunRow, replayedSteps, type Store } from '../store/index.ts';
import type { Life } from './run-life.ts';

/** `firstRecord` is what every run of the kind records. Throws `run_state` where it is missing. */
export function replayLife(
  row: RunRow,
  store: Store,
  { firstRecord, spent }: { readonly firstRecord: string; readonly spent: AllAmounts },
): Life {
  const { recall } = store.recorded(row.id);
  if (recall(firstRecord) === undefined)
    throw new SondeError('run_state', {
      message: `${row.id} kept no records to replay`,
      remedy: 'Run it again without store_artifacts: false, and replay that run.',
    });
  const { signal } = new AbortController();
  const pool = openPool(memoryLedger(), { account: row.id, run: row.id, fence: 1 });
  return {
    pool,
    recorded: { recall },
    // A replay that began at a snapshot would take it on trust.
    snapshots: { load: () => null, save: () => {}, drop: () => {} },
    step: replayedSteps(store, row.id, { pool, hole: (key) => holeIn(row.id, key) }),
    tell: () => false,
    told: () => [],
    clock: systemClock,
    signal,
    stop: signal,
    lost: signal,
    random: () => 0,
    sleep: async () => {},
    spent: () => spent,
    replayed: true,
  };
}

export function holeIn(run: string, what: string): SondeError {
  return new SondeError('run_state', {
    message: `The records of ${run} lack ${what}, which its replay needs`,
    remedy: 'It may have been written by another version: ask the question again.',
  });
}

/** The model of a run by its name: the extractive one as it is, any other with all its replies in the journal. */
export function silentModel(name: string, run: string): Model {
  if (isExtractive({ name })) return extractive;
  return {
    name,
    real: false,
    local: true,
    maxOutput: 64_000,
    contextWindow: 1_000_000,
    generate: () => Promise.reject(holeIn(run, 'a reply of the model')),
  };
}
