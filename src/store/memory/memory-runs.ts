/** The runs of a store in memory. */
import type { Clock } from '../../core/index.ts';
import type { Engine } from '../engine.ts';
import { thisProcess } from '../holder.ts';
import { createRunRow } from '../runs/run-columns.ts';
import {
  createUnfinishedRunError,
  payingRunError,
  requireSingleMatch,
  runExistsError,
} from '../runs/run-rules.ts';
import type { NewRun, RunRow } from '../store.ts';
import type { MemoryTables } from './memory-engine.ts';

export interface MemoryRunsPorts {
  readonly clock: Clock;
  readonly isAlive: (run: string) => boolean;
  /** Stores the waiting writes. Called before every other write. */
  readonly keepWaiting: () => Promise<void>;
  readonly askRuns: <Value>(work: () => Value) => Promise<Value>;
}

export function memoryRuns(
  tables: MemoryTables,
  { clock, isAlive, keepWaiting: storeWaiting, askRuns: ask }: MemoryRunsPorts,
): Engine['runs'] & { readonly insertRun: (run: NewRun) => RunRow } {
  const { runs, events, records, snapshots, leases, ledger } = tables;

  function get(id: string): RunRow {
    const prefixMatches = id === '' ? [] : [...runs.keys()].filter((each) => each.startsWith(id)).sort();
    const run = runs.has(id) ? id : requireSingleMatch(id, prefixMatches, ':memory:');
    const row = runs.get(run)!;
    // `updated` is at least the time of the run's last event.
    return Object.freeze({ ...row, updated: Math.max(row.updated, events.get(run)?.at(-1)?.at ?? 0) });
  }

  function requireFinished(id: string): string {
    const run = get(id);
    if (run.status === 'finished' && !isAlive(run.id)) return run.id;
    throw createUnfinishedRunError(run.id);
  }

  function insertRun(run: NewRun): RunRow {
    if (runs.has(run.id)) throw runExistsError(run.id);
    runs.set(run.id, createRunRow(run, clock.now()));
    return get(run.id);
  }

  async function runAfterWaiting<Value>(work: () => Value): Promise<Value> {
    await storeWaiting();
    return ask(work);
  }

  return {
    insertRun,
    create: (run) => runAfterWaiting(() => insertRun(run)),
    get: (id) => ask(() => get(id)),
    list: (limit = 50) =>
      ask(() =>
        [...runs.keys()]
          .map(get)
          .sort((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1))
          .slice(0, limit),
      ),
    isHeld: (id) => ask(() => isAlive(get(id).id)),
    holder: (id) => ask(() => (isAlive(get(id).id) ? thisProcess() : null)),
    prune: (id) =>
      runAfterWaiting(() => {
        const run = requireFinished(id);
        records.delete(run);
        snapshots.delete(run);
        for (const { id: reservation, key, state } of ledger.reservations.values())
          if (key.run === run && state !== 'open') ledger.reservations.delete(reservation);
        events.set(
          run,
          (events.get(run) ?? []).filter((_, at, all) => at === 0 || at === all.length - 1),
        );
      }),
    size: (id) =>
      ask(() => {
        const run = get(id).id;
        const storedTexts = [...(records.get(run) ?? [])].concat(
          (events.get(run) ?? []).map(({ key, event }) => [key, JSON.stringify(event)]),
        );
        const text = storedTexts.reduce((sum, [key, value]) => sum + key.length + value.length, 0);
        const snapshotList = [...(snapshots.get(run)?.values() ?? [])];
        return snapshotList.reduce((sum, { bytes }) => sum + bytes.length, text);
      }),
    remove: (id) =>
      runAfterWaiting(() => {
        const run = requireFinished(id);
        const isOwnAccount = (account: string): boolean => account === run || account.startsWith(`${run}/`);
        const affectedReservations = [...ledger.reservations.values()].filter(
          ({ account, key }) => isOwnAccount(account) || key.run === run,
        );
        for (const { account, state, key } of affectedReservations)
          if (
            isOwnAccount(account) &&
            (state === 'open' || (key.run !== run && runs.get(key.run)?.status === 'running'))
          )
            throw payingRunError(run, key.run);
        for (const reservation of affectedReservations) ledger.reservations.delete(reservation.id);
        for (const account of [...ledger.accounts.keys()].filter(isOwnAccount)) {
          ledger.accounts.delete(account);
          ledger.lines.delete(account);
        }
        ledger.fences.delete(run);
        for (const table of [events, records, snapshots, leases, runs]) table.delete(run);
      }),
    compact: async () => true,
  };
}
