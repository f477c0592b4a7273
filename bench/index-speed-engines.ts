/** The engines that `index-speed.ts` compares, each behind the same few functions. */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { openTreeIndex, type SearchIndex } from '../src/bench.ts';
import { type Chunk, chunksOf } from './index-speed-material.ts';

export interface Engine {
  /** Milliseconds. Reading the files is part of it where the engine reads them itself. */
  build(root: string, files: readonly string[]): Promise<number>;
  open(): Promise<void>;
  /** Returns how many hits there are. */
  search(query: string, k: number): Promise<number>;
  /** Brings in one file that changed, until it can be found. Milliseconds. */
  update(root: string, path: string): Promise<number>;
  close(): void;
  /** Bytes on disk. */
  size(): number;
}

async function timed(work: () => unknown): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

function folderSize(path: string): number {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Sonde itself: walks and reads the tree on its own. */
export function sonde(root: string, directory: string): Engine {
  // A word that no tree holds, not even this one.
  const mark = `zz${randomUUID().replaceAll('-', '')}`;
  let index: SearchIndex = openTreeIndex({ root, directory });
  return {
    build: async () => {
      rmSync(directory, { recursive: true, force: true });
      return timed(() => index.refresh());
    },
    open: async () => {
      index = openTreeIndex({ root, directory });
      await index.search({ query: 'zzqqxx' });
    },
    search: async (query, k) => (await index.search({ query, k, wide: k > 100 })).hits.length,
    update: async (_root, path) => {
      const file = join(root, path);
      const before = readFileSync(file);
      writeFileSync(file, Buffer.concat([before, Buffer.from(`\n${mark}\n`)]));
      try {
        return await timed(async () => {
          await index.refresh({ paths: [path] });
          if ((await index.search({ query: mark })).hits.length !== 1) throw new Error('not found');
        });
      } finally {
        writeFileSync(file, before);
        await index.refresh({ paths: [path] });
      }
    },
    close: () => index.close(),
    size: () => folderSize(directory),
  };
}

/**
 * SQLite's full-text search, default tokens, without a copy of the text. Reading and cutting the files is not
 * counted.
 */
export function fts5(directory: string): Engine {
  const path = join(directory, 'fts5.db');
  let database = new DatabaseSync(':memory:');
  /** As big integers: FTS5 gives tombstones of deleted rows ids that no number can hold, and they count as "last". */
  const writer = (sql: string) => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement;
  };
  const add = (chunks: readonly Chunk[]) => {
    const place = writer('INSERT INTO chunks (path, start) VALUES (?, ?)');
    const insert = writer('INSERT INTO texts (rowid, path, text) VALUES (?, ?, ?)');
    for (const { path: of, start, text } of chunks)
      insert.run(place.run(of, start).lastInsertRowid, of, text);
  };
  const open = () => {
    database = new DatabaseSync(path);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
  };
  return {
    build: async (root, files) => {
      for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
      open();
      let total = 0;
      database.exec(`
        CREATE TABLE chunks (id INTEGER PRIMARY KEY, path TEXT, start INTEGER);
        CREATE INDEX chunks_by_path ON chunks (path);
        CREATE VIRTUAL TABLE texts USING fts5(path, text, content='', contentless_delete=1);
        BEGIN;`);
      for (const file of files) {
        const chunks = chunksOf(root, file);
        total += await timed(() => add(chunks));
      }
      return total + (await timed(() => database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE);')));
    },
    open: async () => {
      open();
      database.prepare('SELECT rowid FROM texts WHERE texts MATCH ? LIMIT 1').all('zzqqxx');
    },
    search: async (query, k) => {
      const match = (query.match(/\w+/g) ?? []).map((word) => `"${word}"`).join(' OR ');
      return database
        .prepare(
          `SELECT path, start, rank FROM (SELECT rowid, rank FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?) best
           JOIN chunks ON chunks.id = best.rowid ORDER BY rank`,
        )
        .all(match, k).length;
    },
    update: async (root, file) => {
      const chunks = chunksOf(root, file);
      return timed(() => {
        database.exec('BEGIN');
        writer('DELETE FROM texts WHERE rowid IN (SELECT id FROM chunks WHERE path = ?)').run(file);
        writer('DELETE FROM chunks WHERE path = ?').run(file);
        add(chunks);
        database.exec('COMMIT');
      });
    },
    close: () => database.close(),
    size: () => folderSize(directory),
  };
}

/** What is used of LanceDB, which is no dependency: it is taken from where it was installed. */
interface LanceTable {
  add(rows: readonly Chunk[]): Promise<unknown>;
  createIndex(column: string, options: unknown): Promise<unknown>;
  delete(predicate: string): Promise<unknown>;
  optimize(): Promise<unknown>;
  search(
    query: string,
    type: string,
    columns: string,
  ): { select(columns: string[]): { limit(k: number): { toArray(): Promise<unknown[]> } } };
}
interface Lance {
  connect(path: string): Promise<{
    createTable(name: string, rows: readonly Chunk[], options: unknown): Promise<LanceTable>;
    openTable(name: string): Promise<LanceTable>;
  }>;
  Index: { fts(options?: unknown): unknown };
}

const rowsOfBatch = 20_000;

/** LanceDB's full-text search, default tokens. Reading and cutting the files is not counted. */
export async function lancedb(directory: string, installed: string): Promise<Engine> {
  const require = createRequire(join(installed, 'package.json'));
  const lance = (await import(
    pathToFileURL(require.resolve(join(installed, 'node_modules', '@lancedb', 'lancedb'))).href
  )) as Lance;
  let table: LanceTable | undefined;
  const opened = () => {
    if (table === undefined) throw new Error('LanceDB is not open');
    return table;
  };
  return {
    build: async (root, files) => {
      rmSync(directory, { recursive: true, force: true });
      const database = await lance.connect(directory);
      let total = 0;
      let rows: Chunk[] = [];
      const flush = async () => {
        const batch = rows;
        rows = [];
        total += await timed(async () => {
          if (table === undefined) table = await database.createTable('chunks', batch, { mode: 'overwrite' });
          else await table.add(batch);
        });
      };
      for (const file of files) {
        rows.push(...chunksOf(root, file));
        if (rows.length >= rowsOfBatch) await flush();
      }
      if (rows.length > 0) await flush();
      return total + (await timed(() => opened().createIndex('text', { config: lance.Index.fts() })));
    },
    open: async () => {
      table = await (await lance.connect(directory)).openTable('chunks');
      await table.search('zzqqxx', 'fts', 'text').select(['path', '_score']).limit(1).toArray();
    },
    search: async (query, k) =>
      (await opened().search(query, 'fts', 'text').select(['path', 'start', '_score']).limit(k).toArray())
        .length,
    update: async (root, file) => {
      const chunks = chunksOf(root, file);
      return timed(async () => {
        await opened().delete(`path = '${file.replaceAll("'", "''")}'`);
        await opened().add(chunks);
        await opened().optimize();
      });
    },
    close: () => {},
    size: () => folderSize(directory),
  };
}
