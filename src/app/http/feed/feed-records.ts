/** Stores the steps of all runs in one order, so that a reader who reconnects misses nothing. */
import type { Database, Migration, Row } from '../../../store/index.ts';

/** A step of a run, as clients that follow the whole workspace see it. */
export interface FeedStep {
  /** The number of the step in the common order of all runs. */
  readonly n: number;
  readonly run: string;
  readonly shape: string;
  readonly thread: string | null;
  /** The number of the step in the log of its run. */
  readonly seq: number;
  readonly at: number;
  /** True: the run belongs to no conversation. */
  readonly own: boolean;
  readonly event: { readonly kind: string; readonly [field: string]: unknown };
}

export interface FeedRecords {
  /** The time from which on steps are stored; the first call sets it to `now`. Earlier steps are in no feed. */
  startedAt(now: number): number;
  /** The number of the last stored step; 0: none. */
  last(): number;
  /** The number of the first step that is still stored; 0 if none was ever stored. */
  first(): number;
  after(n: number, limit: number): readonly FeedStep[];
  /** The number of the last event of a run that was read; null: none was read yet. */
  position(run: string): number | null;
  /** Stores the steps together with how far the log was read. */
  store(run: string, place: number, steps: readonly Omit<FeedStep, 'n'>[]): void;
}

export const feedMigration: Migration = {
  name: 'steps of runs',
  sql: `
    CREATE TABLE steps (
      workspace TEXT NOT NULL,
      n INTEGER NOT NULL,                  -- 1, 2, 3 … within the workspace
      run TEXT NOT NULL,
      step TEXT NOT NULL,                  -- JSON
      PRIMARY KEY (workspace, n)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE step_places (
      workspace TEXT NOT NULL,
      run TEXT NOT NULL,                   -- '' is a special row: its place is the time from which steps are stored
      place INTEGER NOT NULL,              -- number of the last event that was read
      PRIMARY KEY (workspace, run)
    ) STRICT, WITHOUT ROWID;
  `,
};

/** Maximum number of steps stored per workspace. */
const maxSteps = 20_000;

export function openFeedRecords(db: Database, workspace: string): FeedRecords {
  const readNumber = (row: Row | undefined): number => Number(row?.['n'] ?? 0);
  const readLast = (): number =>
    readNumber(db.get('SELECT MAX(n) AS n FROM steps WHERE workspace = ?', workspace));
  const readPosition = (run: string): number | null => {
    const row = db.get('SELECT place FROM step_places WHERE workspace = ? AND run = ?', workspace, run);
    return row === undefined ? null : Number(row['place']);
  };
  return {
    startedAt(now) {
      db.run("INSERT OR IGNORE INTO step_places VALUES (?, '', ?)", workspace, now);
      return readPosition('') ?? now;
    },
    last: readLast,
    first: () => readNumber(db.get('SELECT MIN(n) AS n FROM steps WHERE workspace = ?', workspace)),
    after: (n, limit) =>
      db
        .all('SELECT * FROM steps WHERE workspace = ? AND n > ? ORDER BY n LIMIT ?', workspace, n, limit)
        .map((row) => ({ n: Number(row['n']), ...JSON.parse(String(row['step'])) })),
    position: readPosition,
    store(run, at, steps) {
      db.atomic(() => {
        db.run('INSERT OR REPLACE INTO step_places VALUES (?, ?, ?)', workspace, run, at);
        if (steps.length === 0) return;
        let lastNumber = readLast();
        for (const step of steps)
          db.run('INSERT INTO steps VALUES (?, ?, ?, ?)', workspace, ++lastNumber, run, JSON.stringify(step));
        db.run('DELETE FROM steps WHERE workspace = ? AND n <= ?', workspace, lastNumber - maxSteps);
      });
    },
  };
}
