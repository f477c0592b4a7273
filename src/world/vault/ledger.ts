/** Records in the database of the world what was imported from which file, for later imports. */
import { randomBytes } from 'node:crypto';
import { SondeError } from '../../core/index.ts';
import type { Database, Row } from '../../store/index.ts';
import { ledgerSchema } from './ledger-schema.ts';
import type { ImportRun } from './vault.ts';
import type { FileStamp } from './vault-file.ts';

export interface KnownPage {
  readonly page: string;
  readonly hash: string;
  readonly revision: number;
  readonly told: string | null;
}

export interface KnownAttachment extends FileStamp {
  readonly path: string;
  readonly hash: string;
}

export interface Change {
  readonly file: string;
  readonly page: string | null;
  readonly revision: number;
  readonly before: { readonly text: string; readonly hash: string } | null;
}

/** A stored import run. */
export interface RunRow extends ImportRun {
  readonly n: number;
  readonly vault: number;
}

export interface Ledger {
  /** The number of a vault. If it has none: null, or with `createMissing` a new number. */
  vault(root: string, into: string, createMissing?: boolean): number | null;
  vaults(): readonly { readonly vault: number; readonly root: string; readonly into: string }[];
  page(vault: number, file: string): KnownPage | null;
  /** The newest record of a page in any vault. */
  findByPage(page: string): KnownPage | null;
  files(vault: number): { readonly pages: readonly string[]; readonly attachments: readonly string[] };
  putPage(vault: number, file: string, known: KnownPage): void;
  dropPage(vault: number, file: string): void;
  attachment(vault: number, file: string): KnownAttachment | null;
  putAttachment(vault: number, file: string, known: KnownAttachment): void;
  dropAttachment(vault: number, file: string): void;

  /** Whether the file had these bytes when it was imported or exported. */
  isOwn(root: string, file: string, hash: string): boolean;
  /** Called before the file is written, so that a crash leaves no unknown file. */
  willExport(root: string, file: string, hash: string): void;
  didExport(root: string, file: string, hash: string): void;

  /** Returns the unfinished import of a vault, or begins a new one. */
  begin(vault: number, now: number): { readonly run: RunRow; readonly resumed: boolean };
  finish(run: RunRow, now: number): void;
  run(id: string): RunRow;
  runs(): readonly RunRow[];
  putChange(run: RunRow, change: Change): void;
  changes(run: RunRow): readonly Change[];
  dropChange(run: RunRow, file: string): void;
  /** Called after `before` was undone: records the present revision of the page in the import before that one. */
  moveRevision(page: string, before: RunRow, revision: number): void;
  /** Records the new revision of a page after a change other than of its text, such as an attachment. */
  follow(page: string, from: number, to: number): void;
  markUndone(run: RunRow, now: number): void;
}

/** Opens the ledger; null if the database has none. */
export function openExistingLedger(db: Database): Ledger | null {
  const table = db.get("SELECT 1 FROM sqlite_schema WHERE name = 'vault_roots'");
  return table === undefined ? null : openLedger(db);
}

export function openLedger(db: Database): Ledger {
  db.include(ledgerSchema);
  const runRows = `SELECT r.n, r.run, r.vault, v.root, v.into_path, r.started, r.finished, r.undone
    FROM vault_runs r JOIN vault_roots v ON v.n = r.vault`;
  return {
    vault(root, into, createMissing = false) {
      const find = () => db.get('SELECT n FROM vault_roots WHERE root = ? AND into_path = ?', root, into);
      const found = find();
      if (found !== undefined || !createMissing) return found === undefined ? null : Number(found['n']);
      db.run('INSERT OR IGNORE INTO vault_roots (root, into_path) VALUES (?, ?)', root, into);
      return Number(find()!['n']);
    },
    vaults: () =>
      db.all('SELECT * FROM vault_roots ORDER BY n').map((row) => ({
        vault: Number(row['n']),
        root: String(row['root']),
        into: String(row['into_path']),
      })),
    page: (vault, file) =>
      toKnownPage(db.get('SELECT * FROM vault_pages WHERE vault = ? AND file = ?', vault, file)),
    findByPage: (page) =>
      toKnownPage(db.get('SELECT * FROM vault_pages WHERE page = ? ORDER BY revision DESC LIMIT 1', page)),
    files: (vault) => ({
      pages: db
        .all('SELECT file FROM vault_pages WHERE vault = ? ORDER BY file', vault)
        .map(({ file }) => String(file)),
      attachments: db
        .all('SELECT file FROM vault_attachments WHERE vault = ? ORDER BY file', vault)
        .map(({ file }) => String(file)),
    }),
    putPage(vault, file, { page, hash, revision, told }) {
      db.run(
        'INSERT OR REPLACE INTO vault_pages (vault, file, page, hash, revision, told) VALUES (?, ?, ?, ?, ?, ?)',
        ...[vault, file, page, hash, revision, told],
      );
    },
    dropPage: (vault, file) => {
      db.run('DELETE FROM vault_pages WHERE vault = ? AND file = ?', vault, file);
    },
    attachment(vault, file) {
      const row = db.get('SELECT * FROM vault_attachments WHERE vault = ? AND file = ?', vault, file);
      if (row === undefined) return null;
      return {
        path: String(row['path']),
        bytes: Number(row['bytes']),
        modified: Number(row['modified']),
        hash: String(row['hash']),
      };
    },
    putAttachment(vault, file, { path, bytes, modified, hash }) {
      db.run(
        'INSERT OR REPLACE INTO vault_attachments (vault, file, path, bytes, modified, hash) VALUES (?, ?, ?, ?, ?, ?)',
        ...[vault, file, path, bytes, modified, hash],
      );
    },
    dropAttachment: (vault, file) => {
      db.run('DELETE FROM vault_attachments WHERE vault = ? AND file = ?', vault, file);
    },

    isOwn(root, file, hash) {
      const row = db.get(
        `SELECT 1 FROM vault_exports WHERE root = ?1 AND file = ?2 AND hash = ?3
         UNION ALL SELECT 1 FROM vault_pages p JOIN vault_roots v ON v.n = p.vault
         WHERE v.root = ?1 AND v.into_path = '' AND p.file = ?2 AND p.hash = ?3`,
        ...[root, file, hash],
      );
      return row !== undefined;
    },
    willExport: (root, file, hash) => {
      db.run('INSERT OR IGNORE INTO vault_exports (root, file, hash) VALUES (?, ?, ?)', root, file, hash);
    },
    didExport: (root, file, hash) => {
      db.run('DELETE FROM vault_exports WHERE root = ? AND file = ? AND hash <> ?', root, file, hash);
    },

    begin(vault, now) {
      const unfinished = db.get(
        `${runRows} WHERE r.vault = ? AND r.finished IS NULL AND r.undone IS NULL`,
        vault,
      );
      if (unfinished !== undefined) return { run: toRunRow(unfinished), resumed: true };
      const run = `imp-${now.toString(36).padStart(9, '0')}${randomBytes(4).toString('hex')}`;
      db.run('INSERT INTO vault_runs (run, vault, started) VALUES (?, ?, ?)', run, vault, now);
      return { run: toRunRow(db.get(`${runRows} WHERE r.run = ?`, run)!), resumed: false };
    },
    finish: (run, now) => {
      db.run('UPDATE vault_runs SET finished = ? WHERE n = ?', now, run.n);
    },
    run(id) {
      const row = db.get(`${runRows} WHERE r.run = ?`, id);
      if (row !== undefined) return toRunRow(row);
      throw new SondeError('not_found', {
        message: `There is no import ${id} in this workspace`,
        remedy: 'sonde world undo, without a run, lists them.',
      });
    },
    runs: () => db.all(`${runRows} ORDER BY r.n DESC`).map(toRunRow),
    putChange(run, { file, page, revision, before }) {
      // If a run changes a file several times, the first record has the state before the run.
      db.run(
        `INSERT INTO vault_changes (run, file, page, revision, before_text, before_hash) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (run, file) DO UPDATE SET revision = excluded.revision`,
        ...[run.n, file, page, revision, before?.text ?? null, before?.hash ?? null],
      );
    },
    changes: (run) =>
      db.all('SELECT * FROM vault_changes WHERE run = ? ORDER BY file', run.n).map((row) => ({
        file: String(row['file']),
        page: row['page'] === null ? null : String(row['page']),
        revision: Number(row['revision']),
        before:
          row['before_text'] === null
            ? null
            : { text: String(row['before_text']), hash: String(row['before_hash']) },
      })),
    dropChange: (run, file) => {
      db.run('DELETE FROM vault_changes WHERE run = ? AND file = ?', run.n, file);
    },
    moveRevision(page, before, revision) {
      db.run(
        `UPDATE vault_changes SET revision = ? WHERE page = ? AND run =
           (SELECT max(run) FROM vault_changes WHERE page = ? AND run < ?)`,
        ...[revision, page, page, before.n],
      );
    },
    follow(page, from, to) {
      db.run('UPDATE vault_pages SET revision = ? WHERE page = ? AND revision = ?', to, page, from);
      db.run('UPDATE vault_changes SET revision = ? WHERE page = ? AND revision = ?', to, page, from);
    },
    markUndone: (run, now) => {
      db.run('UPDATE vault_runs SET undone = coalesce(undone, ?) WHERE n = ?', now, run.n);
    },
  };
}

function toKnownPage(row: Row | undefined): KnownPage | null {
  if (row === undefined) return null;
  return {
    page: String(row['page']),
    hash: String(row['hash']),
    revision: Number(row['revision']),
    told: row['told'] === null ? null : String(row['told']),
  };
}

const toTime = (value: Row[string] | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

function toRunRow(row: Row): RunRow {
  return {
    n: Number(row['n']),
    vault: Number(row['vault']),
    run: String(row['run']),
    root: String(row['root']),
    into: String(row['into_path']),
    started: Number(row['started']),
    finished: toTime(row['finished']),
    undone: toTime(row['undone']),
  };
}
