/**
 * The records of the HTTP interface, in a database that only its owner may read: sessions of browsers and the codes
 * that open them, answers to requests that may be repeated, and the author's reasons for decisions.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Clock, SondeError, sha256, systemClock } from '../../core/index.ts';
import { openDatabase, type Row, type Schema } from '../../store/index.ts';
import type { Directories } from '../config/index.ts';
import { type FeedRecords, feedMigration, openFeedRecords } from './feed/feed-records.ts';

const recordsSchema: Schema = {
  name: 'http',
  steps: [
    {
      name: 'sessions, answers, decisions',
      sql: `
        CREATE TABLE codes (
          hash TEXT PRIMARY KEY,               -- hexadecimal SHA-256, as of all that is shown to come in
          workspace TEXT NOT NULL,             -- id
          expires INTEGER NOT NULL             -- milliseconds since the Unix epoch, as every time here
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE sessions (
          hash TEXT PRIMARY KEY,
          workspace TEXT NOT NULL,
          name TEXT NOT NULL,
          expires INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE answers (
          asker TEXT NOT NULL,
          key TEXT NOT NULL,
          request TEXT NOT NULL,               -- hash of method, address and body
          status INTEGER NOT NULL,
          body TEXT NOT NULL,
          at INTEGER NOT NULL,
          PRIMARY KEY (asker, key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX answers_by_age ON answers (at);
        CREATE TABLE decisions (
          n INTEGER PRIMARY KEY,
          workspace TEXT NOT NULL,
          write_id TEXT NOT NULL,
          at INTEGER NOT NULL,
          person TEXT NOT NULL,
          act TEXT NOT NULL,
          item TEXT NOT NULL,                  -- id of the candidate, deviation or flag
          path TEXT NOT NULL,
          reason TEXT                          -- NULL: none was given
        ) STRICT;
        CREATE INDEX decisions_of ON decisions (workspace, n);
      `,
    },
    {
      name: 'events of conversations',
      sql: `
        CREATE TABLE thread_events (
          workspace TEXT NOT NULL,
          thread TEXT NOT NULL,
          seq INTEGER NOT NULL,                -- 1, 2, 3 … within the thread
          at INTEGER NOT NULL,
          event TEXT NOT NULL,                 -- JSON
          PRIMARY KEY (workspace, thread, seq)
        ) STRICT, WITHOUT ROWID;
      `,
    },
    {
      name: 'where a workspace is served',
      sql: `
        CREATE TABLE servers (
          workspace TEXT PRIMARY KEY,          -- id
          address TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
      `,
    },
    {
      name: 'decisions that complete another write',
      sql: 'ALTER TABLE decisions ADD COLUMN before TEXT;            -- write_id; NULL: none',
    },
    feedMigration,
    {
      name: 'what a decision was about, and whether it stands',
      sql: `
        ALTER TABLE decisions ADD COLUMN gist TEXT;                            -- NULL: of an earlier version
        ALTER TABLE decisions ADD COLUMN undone INTEGER NOT NULL DEFAULT 0;    -- 1: it was taken back
      `,
    },
  ],
};

export interface ThreadEvent {
  readonly seq: number;
  readonly at: number;
  readonly event: { readonly kind: string };
}

export interface Session {
  readonly name: string;
  readonly expires: number;
}

export interface StoredAnswer {
  readonly request: string;
  readonly status: number;
  readonly body: string;
}

export interface Decision {
  readonly n: number;
  readonly write_id: string;
  readonly at: number;
  readonly person: string;
  readonly act: string;
  readonly item: string;
  readonly path: string;
  readonly reason: string | null;
  /** An earlier write of the same decision: the edit, if the rest of its page was accepted with it. */
  readonly before: string | null;
  /** The beginning of the text that was decided on. */
  readonly gist: string | null;
  /** Whether the decision was undone. */
  readonly undone: boolean;
}

export interface ApiRecords {
  /** The code works once, and expires soon. */
  createCode(workspace: string): string;
  /** Throws `unauthenticated` if the code is wrong, was used, or is too old. */
  openSession(code: string, workspace: string): { readonly token: string; readonly session: Session };
  findSession(token: string, workspace: string): Session | null;
  endSession(token: string): void;
  findAnswer(asker: string, key: string): StoredAnswer | null;
  storeAnswer(asker: string, key: string, answer: StoredAnswer): void;
  storeDecision(workspace: string, decision: Omit<Decision, 'n' | 'at' | 'undone'>): void;
  /** Marks the decision as undone. */
  markUndone(workspace: string, write: string): void;
  findDecision(workspace: string, write: string): Decision | null;
  /** Newest first. `before`: only those with a smaller number. */
  decisions(workspace: string, limit: number, before?: number): readonly Decision[];
  /** Stores an event. If a conversation has too many events, the oldest are removed. */
  storeThreadEvent(workspace: string, thread: string, event: ThreadEvent['event']): ThreadEvent;
  threadEvents(workspace: string, thread: string, after: number, limit: number): readonly ThreadEvent[];
  feed(workspace: string): FeedRecords;
  /** The address of a server, for `sonde ui`. It is valid while that server holds its lock. */
  storeAddress(workspace: string, address: string): void;
  address(workspace: string): string | null;
  close(): void;
}

/** Maximum events that are stored for one conversation. */
const maxThreadEvents = 5_000;
const codeMs = 60_000;
const sessionMs = 12 * 60 * 60_000;
/** How long an answer is stored for its idempotency key. */
const answerMs = 24 * 60 * 60_000;
const createSecret = (): string => randomBytes(32).toString('base64url');

/** Throws the errors of opening a database. */
export function openRecords(
  directories: Pick<Directories, 'data'> | { readonly path: string },
  clock: Clock = systemClock,
): ApiRecords {
  const path = 'path' in directories ? directories.path : join(directories.data, 'http.db');
  const db = openDatabase({ path, schemas: [recordsSchema], busyMs: 10_000 });
  return {
    createCode(workspace) {
      const code = createSecret();
      const now = clock.now();
      db.atomic(() => {
        db.run('DELETE FROM codes WHERE expires <= ?', now);
        db.run('INSERT INTO codes VALUES (?, ?, ?)', sha256(code), workspace, now + codeMs);
      });
      return code;
    },
    openSession(code, workspace) {
      const now = clock.now();
      return db.atomic(() => {
        const deletedCodes = db.run(
          'DELETE FROM codes WHERE hash = ? AND workspace = ? AND expires > ?',
          sha256(code),
          workspace,
          now,
        );
        if (deletedCodes === 0) throw invalidCodeError();
        const token = createSecret();
        const session = { name: `window-${sha256(token).slice(0, 8)}`, expires: now + sessionMs };
        db.run('DELETE FROM sessions WHERE expires <= ?', now);
        const { name, expires } = session;
        db.run('INSERT INTO sessions VALUES (?, ?, ?, ?)', sha256(token), workspace, name, expires);
        return { token, session };
      });
    },
    findSession(token, workspace) {
      const sql = 'SELECT * FROM sessions WHERE hash = ? AND workspace = ? AND expires > ?';
      const row = db.get(sql, sha256(token), workspace, clock.now());
      return row === undefined ? null : { name: String(row['name']), expires: Number(row['expires']) };
    },
    endSession: (token) => void db.run('DELETE FROM sessions WHERE hash = ?', sha256(token)),
    findAnswer(asker, key) {
      const sql = 'SELECT * FROM answers WHERE asker = ? AND key = ? AND at > ?';
      const row = db.get(sql, asker, key, clock.now() - answerMs);
      if (row === undefined) return null;
      const { request, status, body } = row;
      return { request: String(request), status: Number(status), body: String(body) };
    },
    storeAnswer(asker, key, { request, status, body }) {
      const now = clock.now();
      db.atomic(() => {
        db.run('DELETE FROM answers WHERE at <= ?', now - answerMs);
        db.run(
          'INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)',
          asker,
          key,
          request,
          status,
          body,
          now,
        );
      });
    },
    storeDecision(workspace, { write_id, person, act, item, path: page, reason, before, gist }) {
      const sql = `INSERT INTO decisions (workspace, write_id, at, person, act, item, path, reason, before, gist)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
      db.run(sql, workspace, write_id, clock.now(), person, act, item, page, reason, before, gist);
    },
    markUndone: (workspace, write) =>
      void db.run('UPDATE decisions SET undone = 1 WHERE workspace = ? AND write_id = ?', workspace, write),
    findDecision(workspace, write) {
      const sql = 'SELECT * FROM decisions WHERE workspace = ? AND write_id = ?';
      const row = db.get(sql, workspace, write);
      return row === undefined ? null : toDecision(row);
    },
    decisions: (workspace, limit, before = Number.MAX_SAFE_INTEGER) =>
      db
        .all(
          'SELECT * FROM decisions WHERE workspace = ? AND n < ? ORDER BY n DESC LIMIT ?',
          workspace,
          before,
          limit,
        )
        .map(toDecision),
    storeThreadEvent(workspace, thread, event) {
      const at = clock.now();
      return db.atomic(() => {
        const lastRow = db.get(
          'SELECT MAX(seq) AS seq FROM thread_events WHERE workspace = ? AND thread = ?',
          workspace,
          thread,
        );
        const seq = Number(lastRow?.['seq'] ?? 0) + 1;
        db.run(
          'INSERT INTO thread_events VALUES (?, ?, ?, ?, ?)',
          workspace,
          thread,
          seq,
          at,
          JSON.stringify(event),
        );
        db.run(
          'DELETE FROM thread_events WHERE workspace = ? AND thread = ? AND seq <= ?',
          workspace,
          thread,
          seq - maxThreadEvents,
        );
        return { seq, at, event };
      });
    },
    threadEvents: (workspace, thread, after, limit) =>
      db
        .all(
          'SELECT * FROM thread_events WHERE workspace = ? AND thread = ? AND seq > ? ORDER BY seq LIMIT ?',
          workspace,
          thread,
          after,
          limit,
        )
        .map((row) => ({
          seq: Number(row['seq']),
          at: Number(row['at']),
          event: JSON.parse(String(row['event'])),
        })),
    feed: (workspace) => openFeedRecords(db, workspace),
    storeAddress: (workspace, address) =>
      void db.run('INSERT OR REPLACE INTO servers VALUES (?, ?)', workspace, address),
    address(workspace) {
      const row = db.get('SELECT address FROM servers WHERE workspace = ?', workspace);
      return row === undefined ? null : String(row['address']);
    },
    close: () => db.close(),
  };
}

const toDecision = (row: Row): Decision => ({
  n: Number(row['n']),
  write_id: String(row['write_id']),
  at: Number(row['at']),
  person: String(row['person']),
  act: String(row['act']),
  item: String(row['item']),
  path: String(row['path']),
  reason: row['reason'] === null ? null : String(row['reason']),
  before: row['before'] === null ? null : String(row['before']),
  gist: row['gist'] === null ? null : String(row['gist']),
  undone: row['undone'] === 1,
});

const invalidCodeError = (): SondeError =>
  new SondeError('unauthenticated', {
    message: 'This code was used before, or is older than a minute',
    remedy: 'Run sonde ui for a new one: each opens one window.',
  });
