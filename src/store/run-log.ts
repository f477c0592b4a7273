import { type Clock, type Journal, type LoggedEvent, type RunLog, SondeError } from '../core/index.ts';
import type { Database } from './database.ts';
import type { Leases } from './leases.ts';
import type { Lease } from './store.ts';

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

export function sqliteRunLog(db: Database, leases: Leases, clock: Clock, lease: Lease): RunLog {
  return {
    append(key, event) {
      const text = json(key, event);
      return db.atomic(() => {
        leases.check(lease);
        const sql = `
          INSERT INTO events (run, seq, at, key, event)
          VALUES (?1, (SELECT coalesce(max(seq), 0) + 1 FROM events WHERE run = ?1), ?2, ?3, ?4)
          ON CONFLICT (run, key) DO NOTHING`;
        return db.run(sql, lease.run, clock.now(), key, text) === 1;
      });
    },
    read: (after) => readEvents(db, lease.run, after),
  };
}

export function recallFrom(db: Database, run: string): Pick<Journal, 'recall'> {
  return {
    recall(key) {
      const row = db.get('SELECT value FROM journal WHERE run = ? AND key = ?', run, key);
      return row === undefined ? undefined : JSON.parse(String(row['value']));
    },
  };
}

export function sqliteJournal(db: Database, leases: Leases, lease: Lease): Journal {
  const { recall } = recallFrom(db, lease.run);
  return {
    recall,
    record(key, value) {
      const text = json(key, value ?? null);
      return db.atomic(() => {
        leases.check(lease);
        const sql =
          'INSERT INTO journal (run, key, value) VALUES (?, ?, ?) ON CONFLICT (run, key) DO NOTHING';
        // What stands is read back, so that this process sees what a later one will.
        return db.run(sql, lease.run, key, text) === 1 ? JSON.parse(text) : recall(key);
      });
    },
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
