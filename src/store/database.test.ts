import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from './database.ts';

let folder: string;
let db: Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-database-'));
  const steps = [{ name: 'notes', sql: 'CREATE TABLE notes (text TEXT NOT NULL) STRICT' }];
  db = openDatabase({ path: join(folder, 'sonde.db'), schemas: [{ name: 'notes', steps }], busyMs: 100 });
});

afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

const note = (text: string) => db.run('INSERT INTO notes VALUES (?)', text);
const notes = () => db.all('SELECT text FROM notes').map(({ text }) => text);

function failing(work: () => unknown): () => never {
  return () => {
    work();
    throw new Error('half way');
  };
}

describe('what is done all at once', () => {
  it('is kept whole', () => {
    expect(db.atomic(() => [note('a'), note('b')])).toEqual([1, 1]);
    expect(notes()).toEqual(['a', 'b']);
  });

  it('is undone whole, also what was done within another', () => {
    expect(() => db.atomic(failing(() => note('a')))).toThrow('half way');
    expect(() => db.atomic(() => db.atomic(failing(() => note('a'))))).toThrow('half way');
    expect(() => db.atomic(failing(() => db.atomic(() => note('a'))))).toThrow('half way');
    expect(notes()).toEqual([]);
    db.atomic(() => note('b'));
    expect(notes()).toEqual(['b']);
  });

  it('cannot wait', () => {
    const work = async () => {
      note('a');
    };
    expect(() => db.atomic(work)).toThrow(expect.objectContaining({ code: 'internal' }));
    expect(notes()).toEqual([]);
  });
});

it('says so when there is no space left, and keeps what it had', () => {
  note('first');
  db.get('PRAGMA max_page_count = 8');
  const fill = () => db.atomic(() => Array.from({ length: 1000 }, () => note('x'.repeat(4000))));
  expect(fill).toThrow(expect.objectContaining({ code: 'store_unusable' }));
  expect(notes()).toEqual(['first']);
  expect(db.get('PRAGMA max_page_count = 1000')).toBeDefined();
  note('second');
  expect(notes()).toEqual(['first', 'second']);
});

it('keeps several schemas in one file, each at its own version', () => {
  const tags = (count: number) => ({
    name: 'tags',
    steps: [
      { name: 'tags', sql: 'CREATE TABLE tags (tag TEXT NOT NULL) STRICT' },
      { name: 'times', sql: 'ALTER TABLE tags ADD COLUMN at INTEGER' },
    ].slice(0, count),
  });
  db.include(tags(1));
  db.include(tags(2));
  db.include(tags(2));
  expect(
    db.all('SELECT part, version FROM versions ORDER BY part, version').map((row) => ({ ...row })),
  ).toEqual([
    { part: 'notes', version: 1 },
    { part: 'tags', version: 1 },
    { part: 'tags', version: 2 },
  ]);
  expect(() => db.include(tags(1))).toThrow(expect.objectContaining({ code: 'store_version' }));
});

it('reads row by row', () => {
  for (const text of ['a', 'b']) note(text);
  expect([...db.each('SELECT text FROM notes')].map(({ text }) => text)).toEqual(['a', 'b']);
});

describe('what waits to be written', () => {
  /** One that waits, and writes itself down. */
  function waiting(text: string) {
    let waits = true;
    const heard: string[] = [];
    db.addPendingWrites({
      hasWaiting: () => waits,
      begin() {
        heard.push('begin');
        if (waits) note(text);
        waits = false;
      },
      finish: () => heard.push('finish'),
      onCommit: () => heard.push('committed'),
      onRollback() {
        heard.push('rolled back');
        waits = true;
      },
    });
    return { heard, waits: () => waits };
  }

  it.each<[string, () => unknown]>([
    ['a transaction', () => db.atomic(() => note('b'))],
    ['a part of one', () => db.undoable(() => note('b'))],
    ['a statement', () => note('b')],
    ['one that makes rows', () => db.insert('INSERT INTO notes VALUES (?)', 'b')],
    ['one that gives back what it made', () => db.all('INSERT INTO notes VALUES (?) RETURNING text', 'b')],
    ['one that gives back one row', () => db.get('INSERT INTO notes VALUES (?) RETURNING text', 'b')],
  ])('goes before %s', (_what, write) => {
    const { waits } = waiting('a');
    write();
    expect([notes(), waits()]).toEqual([['a', 'b'], false]);
  });

  it('waits while others only read', () => {
    const { heard } = waiting('a');
    expect([notes(), heard]).toEqual([[], []]);
  });

  it('waits again where the transaction that took it along fails', () => {
    const { heard, waits } = waiting('a');
    const fails = () =>
      db.atomic(() => {
        note('b');
        throw new Error('half way');
      });
    expect(fails).toThrow('half way');
    expect([notes(), waits(), heard]).toEqual([[], true, ['begin', 'rolled back']]);
    db.atomic(() => {});
    expect([notes(), heard.slice(2)]).toEqual([['a'], ['begin', 'finish', 'committed']]);
  });
});
