/** The requests to the agent, as they are kept. */
import type { Amounts, Clock, ErrorCode } from '../../core/index.ts';
import type { Database, Row } from '../../store/index.ts';
import { deskSchema } from './desk-schema.ts';

export type DeskRequest =
  | {
      readonly kind: 'message';
      readonly text: string;
      /** The schedule it comes from; null: a person or a program. */
      readonly schedule: string | null;
      readonly event: { readonly name: string; readonly payload: unknown } | null;
      readonly limits: Amounts | null;
    }
  | { readonly kind: 'answer'; readonly question: string; readonly value: unknown }
  | { readonly kind: 'continue' };

export interface DeskOutcome {
  /** How the turn ended, or `refused`. */
  readonly status: string;
  readonly text: string;
  /** Where it came to no end of its own. */
  readonly error?: { readonly code: ErrorCode; readonly remedy: string; readonly deaths: number };
}

export interface DeskRow {
  readonly id: string;
  readonly thread: string;
  readonly request: DeskRequest;
  readonly state: 'waiting' | 'running' | 'done';
  readonly outcome: DeskOutcome | null;
  /** How often the agent, or the host with it, died while it was at it. */
  readonly deaths: number;
  /** Of those the last ones, in which nothing more was kept of its thread's work than before. */
  readonly stuck: number;
}

export interface DeskRows {
  /** False: it was there. */
  add(row: Pick<DeskRow, 'id' | 'thread' | 'request'>): boolean;
  get(id: string): DeskRow | null;
  /** Whether there is any, done or not. */
  knows(thread: string): boolean;
  /** The one that is to be sent next: answers come before messages that wait behind the question. */
  next(thread: string): DeskRow | null;
  /** Threads for which something waits. */
  waiting(): readonly string[];
  mark(id: string, state: DeskRow['state'], outcome?: DeskOutcome): void;
  /**
   * What was with an agent that is gone waits again, and counts one more death; returns those. `progress`: how much of
   * a thread's work is kept.
   */
  recover(progress: (thread: string) => number): readonly DeskRow[];
  /** What is with an agent that is ended in order waits again, and counts no death. */
  release(): void;
  /** How far something was read; null before the first time. */
  readMark(name: string): number | null;
  setMark(name: string, value: number): void;
}

export function deskRows(db: Database, clock: Clock): DeskRows {
  db.include(deskSchema);
  return {
    add({ id, thread, request }) {
      const sql = `INSERT INTO desk_requests (id, thread, request, state, created, updated)
        VALUES (?, ?, ?, 'waiting', ?, ?) ON CONFLICT (id) DO NOTHING`;
      return db.run(sql, id, thread, JSON.stringify(request), clock.now(), clock.now()) > 0;
    },
    knows: (thread) =>
      db.get('SELECT 1 AS there FROM desk_requests WHERE thread = ? LIMIT 1', thread) !== undefined,
    get(id) {
      const row = db.get('SELECT * FROM desk_requests WHERE id = ?', id);
      return row === undefined ? null : rowOf(row);
    },
    next(thread) {
      const row = db.get(
        `SELECT * FROM desk_requests WHERE thread = ? AND state = 'waiting'
         ORDER BY json_extract(request, '$.kind') = 'message', seq LIMIT 1`,
        thread,
      );
      return row === undefined ? null : rowOf(row);
    },
    waiting: () =>
      db
        .all("SELECT DISTINCT thread FROM desk_requests WHERE state = 'waiting'")
        .map(({ thread }) => String(thread)),
    mark(id, state, outcome) {
      const sql = 'UPDATE desk_requests SET state = ?, outcome = ?, updated = ? WHERE id = ?';
      db.run(sql, state, outcome === undefined ? null : JSON.stringify(outcome), clock.now(), id);
    },
    recover(progress) {
      // The first death says nothing of how far it came.
      const sql = `UPDATE desk_requests SET state = 'waiting', deaths = deaths + 1, progress = ?2,
          stuck = CASE WHEN progress < ?2 THEN 0 ELSE stuck + 1 END
        WHERE id = ?1 RETURNING *`;
      return db
        .all("SELECT id, thread FROM desk_requests WHERE state = 'running'")
        .flatMap(({ id, thread }) => db.all(sql, String(id), progress(String(thread))).map(rowOf));
    },
    release() {
      db.run("UPDATE desk_requests SET state = 'waiting', updated = ? WHERE state = 'running'", clock.now());
    },
    readMark(name) {
      const row = db.get('SELECT value FROM desk_marks WHERE name = ?', name);
      return row === undefined ? null : Number(row['value']);
    },
    setMark(name, value) {
      const sql =
        'INSERT INTO desk_marks VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value';
      db.run(sql, name, value);
    },
  };
}

function rowOf({ id, thread, request, state, outcome, deaths, stuck }: Row): DeskRow {
  return Object.freeze({
    id: String(id),
    thread: String(thread),
    request: JSON.parse(String(request)),
    state: String(state) as DeskRow['state'],
    outcome: outcome === null ? null : JSON.parse(String(outcome)),
    deaths: Number(deaths),
    stuck: Number(stuck),
  });
}
