/** What a worker holds of its run in memory: the journal and the log, as they stand with what it has added. */
import {
  type Clock,
  type Journal,
  type LoggedEvent,
  leaseLost,
  type RunLog,
  SondeError,
} from '../core/index.ts';
import type { Collected, Hold } from './collected.ts';
import type { Database } from './database.ts';
import type { Snapshot, Snapshots } from './store.ts';

export interface HeldRun {
  readonly hold: Hold;
  readonly journal: Journal;
  readonly log: RunLog;
  readonly snapshots: Snapshots;
  /** Number of the last event of the log, kept or not yet. */
  lastEvent(): number;
}

/** Reads the journal and the log of the run. */
export function heldRun(db: Database, collected: Collected, clock: Clock, hold: Hold): HeldRun {
  const { run, fence } = hold;
  const records = readRecords(db, run);
  const events: LoggedEvent[] = [...readEvents(db, run)];
  const told = new Set(events.map(({ key }) => key));
  const lastEvent = () => events.at(-1)?.seq ?? 0;

  const recall = recallFrom(records);

  function live(): void {
    if (hold.ended) leaseLost(run, fence);
  }

  return {
    hold,
    lastEvent,
    journal: {
      recall,
      record(key, value) {
        const text = json(key, value ?? null);
        live();
        if (!records.has(key)) {
          collected.add(hold, { do: 'record', run, key, value: text }, () => records.delete(key));
          records.set(key, text);
        }
        // What stands is read back, so that this process sees what a later one will.
        return recall(key);
      },
    },
    log: {
      append(key, event) {
        const text = json(key, event);
        live();
        if (told.has(key)) return false;
        const logged = { seq: lastEvent() + 1, at: clock.now(), key, event: JSON.parse(text) };
        collected.add(hold, { do: 'append', run, ...logged, event: text }, () => {
          events.pop();
          told.delete(key);
        });
        events.push(Object.freeze(logged));
        told.add(key);
        return true;
      },
      read: (after = 0) => events.filter(({ seq }) => seq > after),
    },
    snapshots: snapshotsOf(db, collected, hold),
  };
}

function snapshotsOf(db: Database, collected: Collected, hold: Hold): Snapshots {
  const { run } = hold;
  const keep = (node: string, snapshot: Snapshot | null) =>
    collected.add(hold, { do: 'snapshot', run, node, snapshot }, () => {});
  return {
    save: keep,
    async load(node) {
      // They are too large to be held in memory for the rare case that one is read again.
      collected.flush();
      return savedSnapshot(db, run, node);
    },
    drop: (node) => keep(node, null),
  };
}

function savedSnapshot(db: Database, run: string, node: string): Snapshot | null {
  const row = db.get('SELECT cells, bytes FROM snapshots WHERE run = ? AND node = ?', run, node);
  if (row === undefined) return null;
  return Object.freeze({ cells: Number(row['cells']), bytes: row['bytes'] as Uint8Array });
}

export function readEvents(db: Database, run: string, after = 0): readonly LoggedEvent[] {
  return db
    .all('SELECT seq, at, key, event FROM events WHERE run = ? AND seq > ? ORDER BY seq', run, after)
    .map(({ seq, at, key, event }) =>
      Object.freeze({
        seq: Number(seq),
        at: Number(at),
        key: String(key),
        event: JSON.parse(String(event)),
      }),
    );
}

export function readRecords(db: Database, run: string): Map<string, string> {
  const rows = db.all('SELECT key, value FROM journal WHERE run = ?', run);
  return new Map(rows.map(({ key, value }) => [String(key), String(value)]));
}

export function recallFrom(records: ReadonlyMap<string, string>): Journal['recall'] {
  return (key) => {
    const text = records.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  };
}

function json(key: string, value: unknown): string {
  try {
    const text = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch (cause) {
    throw unfit(key, cause);
  }
  throw unfit(key, undefined);
}

function unfit(key: string, cause: unknown): SondeError {
  return new SondeError('bad_argument', {
    message: `What is to be recorded as ${key} is not JSON`,
    remedy: 'Record plain objects, lists, strings, numbers, booleans and null.',
    cause,
  });
}
