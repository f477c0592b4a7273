/** The records of the files in synchronised folders. */
import type { Database, Row } from '../../store/index.ts';
import { syncSchema } from '../vault/ledger-schema.ts';

/** A change of a file in progress, recorded before it begins. */
export type Effect =
  | { readonly kind: 'write'; readonly part: string; readonly hash: string; readonly seen: string | null }
  | {
      readonly kind: 'move';
      readonly to: string;
      readonly path: string;
      /** The file's inode and hash at the move; absent in records of older versions. */
      readonly inode?: string;
      readonly hash?: string;
      /** A second file of the same note, and the place in the trash to which it is moved. */
      readonly aside?: { readonly file: string; readonly to: string };
    }
  | { readonly kind: 'trash'; readonly to: string; readonly seen: string };

export interface KnownFile {
  readonly n: number;
  readonly file: string;
  readonly page: string;
  readonly path: string;
  readonly revision: number;
  readonly stamp: string;
  readonly hash: string | null;
  readonly deviation: string | null;
  readonly effect: Effect | null;
}

export interface SyncedVault {
  readonly n: number;
  readonly id: string;
  readonly root: string;
  readonly into: string;
}

export interface KnownFiles {
  vaults(): readonly SyncedVault[];
  addVault(vault: Omit<SyncedVault, 'n'>): SyncedVault;
  moveVault(n: number, root: string): void;
  all(vault: number): readonly KnownFile[];
  /** Adds a row, without a text. */
  add(vault: number, known: Omit<KnownFile, 'n' | 'effect' | 'deviation'>): number;
  set(n: number, change: Partial<Omit<KnownFile, 'n'>>): void;
  /** The last text that file and page had in common. */
  text(n: number): string | null;
  setText(n: number, text: string): void;
  /**
   * The old text (`replacedText`) and the new text (`writtenText`) of a file that is being replaced; otherwise null.
   */
  replacedText(n: number): string | null;
  writtenText(n: number): string | null;
  planWrite(n: number, text: string): void;
  dropPlan(n: number): void;
  drop(n: number): void;
}

const columns = ['file', 'page', 'path', 'revision', 'stamp', 'hash', 'deviation', 'effect'] as const;

export function openKnownFiles(db: Database): KnownFiles {
  db.include(syncSchema);
  const readText = (n: number, role: 'agreed' | 'replaced' | 'written'): string | null => {
    const row = db.get('SELECT text FROM sync_texts WHERE file = ? AND role = ?', n, role);
    return row === undefined ? null : String(row['text']);
  };
  return {
    vaults: () => db.all('SELECT * FROM sync_vaults ORDER BY n').map(toVault),
    addVault({ id, root, into }) {
      const sql = 'INSERT INTO sync_vaults (id, root, into_path) VALUES (?, ?, ?)';
      return { n: db.insert(sql, id, root, into), id, root, into };
    },
    moveVault: (n, root) => {
      db.run('UPDATE sync_vaults SET root = ? WHERE n = ?', root, n);
    },
    all: (vault) => db.all('SELECT * FROM sync_files WHERE vault = ?', vault).map(toKnownFile),
    add: (vault, { file, page, path, revision, stamp, hash }) =>
      db.insert(
        'INSERT INTO sync_files (vault, file, page, path, revision, stamp, hash) VALUES (?, ?, ?, ?, ?, ?, ?)',
        ...[vault, file, page, path, revision, stamp, hash],
      ),
    set(n, change) {
      const names = columns.filter((name) => Object.hasOwn(change, name));
      if (names.length === 0) return;
      const values = names.map((name) => {
        const value = change[name] ?? null;
        return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
      });
      db.run(
        `UPDATE sync_files SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE n = ?`,
        ...values,
        n,
      );
    },
    text: (n) => readText(n, 'agreed'),
    setText: (n, text) => {
      db.run("INSERT OR REPLACE INTO sync_texts (file, role, text) VALUES (?, 'agreed', ?)", n, text);
    },
    replacedText: (n) => readText(n, 'replaced'),
    writtenText: (n) => readText(n, 'written'),
    planWrite(n, text) {
      const insertSql = 'INSERT OR REPLACE INTO sync_texts (file, role, text)';
      db.run(
        `${insertSql} SELECT file, 'replaced', text FROM sync_texts WHERE file = ? AND role = 'agreed'`,
        n,
      );
      db.run(`${insertSql} VALUES (?, 'written', ?)`, n, text);
    },
    dropPlan: (n) => {
      db.run("DELETE FROM sync_texts WHERE file = ? AND role <> 'agreed'", n);
    },
    drop: (n) => {
      db.run('DELETE FROM sync_files WHERE n = ?', n);
    },
  };
}

function toVault(row: Row): SyncedVault {
  return {
    n: Number(row['n']),
    id: String(row['id']),
    root: String(row['root']),
    into: String(row['into_path']),
  };
}

const textOrNull = (value: Row[string] | undefined): string | null =>
  value === null || value === undefined ? null : String(value);

function toKnownFile(row: Row): KnownFile {
  const effect = textOrNull(row['effect']);
  return {
    n: Number(row['n']),
    file: String(row['file']),
    page: String(row['page']),
    path: String(row['path']),
    revision: Number(row['revision']),
    stamp: String(row['stamp']),
    hash: textOrNull(row['hash']),
    deviation: textOrNull(row['deviation']),
    effect: effect === null ? null : JSON.parse(effect),
  };
}
