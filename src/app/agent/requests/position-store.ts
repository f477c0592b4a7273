/** Stores the position up to which the host has read each log, in the workspace's file. */
import type { Database } from '../../../store/index.ts';
import { requestSchema } from './request-schema.ts';

export interface PositionStore {
  /** Null before the first `set`. */
  read(name: string): number | null;
  set(name: string, value: number): void;
}

export function openPositionStore(db: Database): PositionStore {
  db.include(requestSchema);
  return {
    read(name) {
      const row = db.get('SELECT value FROM desk_marks WHERE name = ?', name);
      return row === undefined ? null : Number(row['value']);
    },
    set(name, value) {
      const sql =
        'INSERT INTO desk_marks VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value';
      db.run(sql, name, value);
    },
  };
}
