import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isSondeError, type SondeError } from '../core/index.ts';
import { openDatabase } from './database.ts';
import { openStore, openStoreIn } from './open-store.ts';
import { runsSchema } from './sqlite/migrations.ts';

const { steps } = runsSchema;

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-open-'));
  path = join(folder, 'sonde.db');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function failure(act: () => unknown): Promise<SondeError> {
  try {
    await act();
  } catch (error) {
    if (isSondeError(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

function sql(...statements: readonly string[]): void {
  const db = new DatabaseSync(path);
  for (const statement of statements) db.exec(statement);
  db.close();
}

describe('opening', () => {
  it('makes the directory and a file that only its owner can read', async () => {
    path = join(folder, 'a', 'b', 'sonde.db');
    const store = openStore(path);
    await store.runs.create({ id: 'run-a', shape: 's', question: 'q', root: '/', params: {} });
    const modes = [path, `${path}-wal`, `${path}-shm`].map((file) => statSync(file).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700);
    await store.close();
    await store.close();
  });

  it('waits for nobody in WAL and survives the loss of power', () => {
    const db = openDatabase({ path, schemas: [runsSchema], busyMs: 100 });
    expect(Object.values(db.get('PRAGMA journal_mode')!)).toEqual(['wal']);
    expect(Object.values(db.get('PRAGMA synchronous')!)).toEqual([2]);
    expect(Object.values(db.get('PRAGMA foreign_keys')!)).toEqual([1]);
    db.close();
  });

  it('unsynced: waits for the disk only where a commit says so, refused or not', async () => {
    const db = openDatabase({ path, schemas: [], busyMs: 100 });
    const level = () => Object.values(db.get('PRAGMA synchronous')!)[0];
    const levels: unknown[] = [];
    const watched = {
      ...db,
      atomic<Value>(work: () => Value) {
        levels.push(level());
        return db.atomic(work);
      },
    };
    const store = openStoreIn(watched, { unsynced: true });
    await store.runs.create({ id: 'run-a', shape: 's', question: 'q', root: '/', params: {} });
    const lease = await store.runs.acquire('run-a');
    levels.length = 0;
    for (const onDisk of [false, true]) {
      store.journal(lease).record(String(onDisk), 1);
      await store.commit(lease, { onDisk });
    }
    expect(levels).toEqual([1, 2]);
    await lease.release();
    await expect(store.commit(lease, { onDisk: true })).rejects.toMatchObject({ code: 'lease_lost' });
    expect(level()).toBe(1);
    await store.close();
    db.close();
  });

  it.each<[string, () => unknown, string]>([
    [
      'a file that is no database',
      () => writeFileSync(path, 'not a database at all '.repeat(500)),
      'store_corrupt',
    ],
    [
      'a database with damaged pages',
      async () => {
        await openStore(path).close();
        const size = statSync(path).size;
        writeFileSync(path, Buffer.alloc(size - 4096, 0xaa), { flag: 'r+', flush: true });
      },
      'store_corrupt',
    ],
    ['the database of another program', () => sql('CREATE TABLE bookmarks (url TEXT)'), 'store_unusable'],
    [
      'the store of a newer program',
      async () => {
        await openStore(path).close();
        sql(`INSERT INTO versions VALUES ('runs', ${steps.length + 1}, 'from the future', 0)`);
      },
      'store_version',
    ],
    ['a directory', () => mkdirSync(path), 'store_unusable'],
  ])('refuses %s', async (_what, make, code) => {
    await make();
    const error = await failure(() => openStore(path));
    expect([error.code, error.message.includes(path), (error.remedy ?? '').length > 10]).toEqual([
      code,
      true,
      true,
    ]);
  });

  it('refuses a path below a file', async () => {
    writeFileSync(path, '');
    expect((await failure(() => openStore(join(path, 'sonde.db')))).code).toBe('store_unusable');
  });

  it('refuses a directory that it may not write, and a file that it may not', async () => {
    await openStore(path).close();
    chmodSync(path, 0o444);
    chmodSync(folder, 0o555);
    const door = pathToFileURL(join(import.meta.dirname, 'index.ts')).href;
    const script = `
      const { openStore } = await import(${JSON.stringify(door)});
      for (const path of process.argv.slice(1)) {
        try { openStore(path); console.log('opened'); } catch (error) { console.log(error.code, error.remedy.length > 10); }
      }`;
    const args = ['--input-type=module', '-e', script, join(folder, 'new.db'), path];
    // Permissions say nothing to root: then another user tries.
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const { stdout, stderr } = spawnSync(process.execPath, args, { ...user, encoding: 'utf8', cwd: '/' });
    chmodSync(folder, 0o755);
    expect([stdout.trim().split('\n'), stderr]).toEqual([['store_unusable true', 'store_unusable true'], '']);
  });

  it('says so when another process writes for too long', async () => {
    const store = openStore(path, { busyMs: 20 });
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const create = () => store.runs.create({ id: 'run-a', shape: 's', question: 'q', root: '/', params: {} });
    expect((await failure(create)).code).toBe('store_locked');
    other.exec('ROLLBACK');
    expect((await create()).id).toBe('run-a');
    other.close();
    await store.close();
  });

  it('says so when a store is damaged while it is open', async () => {
    const store = openStore(path);
    for (let i = 0; i < 200; i += 1) {
      await store.runs.create({
        id: `run-${i}`,
        shape: 's',
        question: 'q'.repeat(500),
        root: '/',
        params: {},
      });
    }
    await store.close();
    const again = openStore(path);
    // Every page but the first. By another process: to close the file here would drop SQLite's locks on it.
    const script = `
      const { openSync, statSync, writeSync } = require('node:fs');
      const path = process.argv[1];
      const size = statSync(path).size - 4096;
      writeSync(openSync(path, 'r+'), Buffer.alloc(size, 0xaa), 0, size, 4096);`;
    spawnSync(process.execPath, ['-e', script, path]);
    expect((await failure(() => again.runs.list(1000))).code).toBe('store_corrupt');
    await again.close();
  });
});

describe('migrations', () => {
  it('take over a file from when it had one part only', async () => {
    await openStore(path).close();
    sql(`ALTER TABLE versions RENAME TO parts`);
    sql(
      `CREATE TABLE versions (version INTEGER PRIMARY KEY, name TEXT NOT NULL, at INTEGER NOT NULL) STRICT`,
    );
    sql(`INSERT INTO versions SELECT version, name, at FROM parts`);
    sql(`DROP TABLE parts`);
    await openStore(path).close();
    const notes = { name: 'notes', steps: [{ name: 'notes', sql: 'CREATE TABLE notes (text TEXT)' }] };
    const db = openDatabase({ path, schemas: [runsSchema, notes], busyMs: 100 });
    expect(
      db.all('SELECT part, count(*) AS steps FROM versions GROUP BY part').map((row) => ({ ...row })),
    ).toEqual([
      { part: 'notes', steps: 1 },
      { part: 'runs', steps: steps.length },
    ]);
    db.close();
  });

  it('take an old store to the newest version, keeping its rows', async () => {
    openDatabase({ path, schemas: [{ name: 'runs', steps: steps.slice(0, 1) }], busyMs: 100 }).close();
    const store = openStore(path);
    await store.accounts.open({ id: 'a', parent: null, limits: {}, reserve: {} });
    await store.close();
    const db = openDatabase({ path, schemas: [runsSchema], busyMs: 100 });
    expect(db.all('SELECT version, name FROM versions').map((row) => ({ ...row }))).toEqual(
      steps.map(({ name }, index) => ({ version: index + 1, name })),
    );
    db.close();
  });

  it('are done whole or not at all', async () => {
    const half = { name: 'broken', sql: 'CREATE TABLE half (a); CREATE TABLE half (a)' };
    const broken = { name: 'runs', steps: [...steps, half] };
    await openStore(path).close();
    expect(() => openDatabase({ path, schemas: [broken], busyMs: 100 })).toThrow('half');
    const db = openDatabase({ path, schemas: [runsSchema], busyMs: 100 });
    expect(db.get(`SELECT name FROM sqlite_schema WHERE name = 'half'`)).toBeUndefined();
    db.close();
  });
});
