/** A process that is given some tables of a file reaches no others, whatever it asks. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase } from '../database.ts';
import { openStoreIn } from '../open-store.ts';
import { openSessionsIn } from '../sessions/open-sessions.ts';
import { sessionSchema } from '../sessions/session-schema.ts';
import { sessionsContract } from '../sessions/sessions.contract.ts';
import { storeContract } from '../store.contract.ts';
import { runsSchema } from './migrations.ts';

const secretSchema = {
  name: 'secret',
  steps: [
    {
      name: 'pages',
      sql: `CREATE TABLE secret_pages (text TEXT NOT NULL) STRICT;
        CREATE VIEW secret_view AS SELECT text FROM secret_pages;
        INSERT INTO secret_pages VALUES ('hidden')`,
    },
  ],
};

let folder: string;
let agent: Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-only-'));
  const path = join(folder, 'workspace.db');
  const schemas = [secretSchema, runsSchema, sessionSchema];
  openDatabase({ path, schemas, busyMs: 1000 }).close();
  agent = openDatabase({ path, schemas: [], busyMs: 1000, only: [runsSchema, sessionSchema] });
});

afterEach(() => {
  agent.close();
  rmSync(folder, { recursive: true });
});

// world.md: MCP tools 1.
const refused = [
  'SELECT * FROM secret_pages',
  'SELECT count(*) FROM secret_pages',
  'SELECT * FROM secret_view',
  'SELECT (SELECT max(text) FROM secret_pages) FROM runs',
  'WITH s AS (SELECT text FROM secret_pages) SELECT * FROM s',
  "INSERT INTO secret_pages VALUES ('x')",
  "INSERT INTO channels SELECT text, '', 0 FROM secret_pages",
  "UPDATE secret_pages SET text = ''",
  'DELETE FROM secret_pages',
  'DROP TABLE secret_pages',
  'ALTER TABLE runs ADD COLUMN more TEXT',
  'CREATE TABLE mine (a TEXT)',
  'CREATE TEMP TABLE mine AS SELECT * FROM secret_pages',
  'CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM secret_pages; END',
  "ATTACH 'other.db' AS other",
  "VACUUM INTO 'copy.db'",
  'PRAGMA writable_schema = 1',
  'PRAGMA journal_mode = DELETE',
  'PRAGMA application_id = 1',
  'SELECT * FROM pragma_database_list',
  'SELECT * FROM dbstat',
];
for (const sql of refused)
  it(`refuses ${sql}`, () => {
    expect(() => agent.all(sql)).toThrow();
  });

it('names the file, and not as a fault of the program', () => {
  expect(() => agent.all('SELECT * FROM secret_pages')).toThrow(
    expect.objectContaining({ code: 'store_unusable', message: expect.stringContaining(agent.path) }),
  );
});

function restricted() {
  const place = mkdtempSync(join(tmpdir(), 'sonde-only-'));
  const path = join(place, 'workspace.db');
  openDatabase({ path, schemas: [secretSchema, runsSchema, sessionSchema], busyMs: 1000 }).close();
  const opened: Database[] = [];
  return {
    database() {
      const db = openDatabase({ path, schemas: [], busyMs: 1000, only: [runsSchema, sessionSchema] });
      opened.push(db);
      return db;
    },
    remove() {
      for (const db of opened) db.close();
      rmSync(place, { recursive: true });
    },
  };
}

// What it may reach works as ever.
sessionsContract(
  'SQLite, of a process that may reach no more',
  () => {
    const { database, remove } = restricted();
    return { open: (options) => openSessionsIn(database(), options), remove };
  },
  { mayQueue: false },
);

storeContract('SQLite, of a process that may reach no more', () => {
  const { database, remove } = restricted();
  return { open: (options) => openStoreIn(database(), options), remove };
});
