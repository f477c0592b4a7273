import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase, openStoreIn } from '../store/index.ts';
import { checkMemory } from './memory.contract.ts';
import type { Memory, Tier } from './memory.ts';
import { openMemory } from './open-memory.ts';

let folder: string;
const open: Database[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-memory-'));
});
afterEach(() => {
  for (const db of open.splice(0)) db.close();
  rmSync(folder, { recursive: true });
});

function database(name: string): Database {
  const db = openDatabase({ path: join(folder, name), schemas: [], busyMs: 1000 });
  open.push(db);
  return db;
}

const memoryOf = (file: string, workspaceId: string): Memory =>
  openMemory({ workspace: database(file), workspaceId, account: database('account.db') });

checkMemory((limits) =>
  openMemory({
    workspace: database('w.db'),
    workspaceId: 'w',
    account: database('account.db'),
    ...(limits !== undefined && { limits }),
  }),
);

const place = { thread: 't1', channel: 'c1' };
const put = (memory: Memory, tier: Tier, key: string, text: string) =>
  memory
    .viewFrom(place)
    .put({ tier, key, text }, { writer: 'agent test', idempotencyKey: `${tier} ${key} ${text}` });

/** Which files of the folder hold these bytes. */
const filesWith = (text: string): string[] =>
  readdirSync(folder)
    .filter((file) => readFileSync(join(folder, file)).includes(text))
    .sort();

describe('stores', () => {
  // world.md: Memory 4 and 5.
  it.each([
    ['in a file of its own', 'b.db'],
    ['in the same file', 'a.db'],
  ])('another workspace %s sees the account, and nothing else', (_name, file) => {
    const [a, b] = [memoryOf('a.db', 'a'), memoryOf(file, 'b')];
    for (const tier of ['conversation', 'channel', 'workspace', 'account'] as const) put(a, tier, 'k', tier);
    expect(b.listAll().map(({ text }) => text)).toEqual(['account']);
    expect(b.viewFrom(place).list('workspace', 10)).toEqual([]);
    expect(b.scrub({ tier: 'workspace' }).items).toBe(0);
    expect(a.listAll()).toHaveLength(4);
  });

  it('the account stands in its own file, the rest in that of the workspace', () => {
    const memory = memoryOf('a.db', 'a');
    for (const tier of ['conversation', 'channel', 'workspace', 'account'] as const)
      put(memory, tier, 'k', `<${tier}>`);
    for (const db of open) db.all('PRAGMA wal_checkpoint(TRUNCATE)');
    expect(filesWith('<account>')).toEqual(['account.db']);
    for (const tier of ['conversation', 'channel', 'workspace'])
      expect(filesWith(`<${tier}>`)).toEqual(['a.db']);
  });

  it('what is written is there for the next process, beside what else the file holds', async () => {
    put(memoryOf('a.db', 'a'), 'conversation', 'k', 'kept');
    await openStoreIn(open[0]!).runs.create({
      id: 'run-a',
      shape: 's',
      question: 'q',
      root: '/',
      params: {},
    });
    for (const db of open.splice(0)) db.close();
    const again = memoryOf('a.db', 'a');
    expect(again.viewFrom(place).get('conversation', 'k')?.text).toBe('kept');
    again.scrub();
    expect(await openStoreIn(open[0]!).runs.list(10)).toHaveLength(1);
  });

  it('refuses limits that are none', () => {
    const options = { workspace: database('a.db'), workspaceId: 'a', account: database('account.db') };
    expect(() => openMemory({ ...options, limits: { account: { items: 0 } } })).toThrow(/items.*account.*0/);
  });
});

describe('scrub', () => {
  it('leaves no byte in any file: rows, replaced texts, free pages, log', () => {
    const memory = memoryOf('a.db', 'a');
    const mark = 'xyzzy-confidential';
    for (const tier of ['conversation', 'channel', 'workspace', 'account'] as const)
      for (let n = 0; n < 60; n += 1) {
        put(memory, tier, `k${n}`, `${mark} first ${n} ${'x'.repeat(3000)}`);
        // Replaced and forgotten before the scrub.
        if (n % 3 === 0) put(memory, tier, `k${n}`, `${mark} second ${n}`);
        if (n % 4 === 0)
          memory.viewFrom(place).forget(tier, `k${n}`, { writer: 'agent test', idempotencyKey: null });
      }
    put(memory, 'workspace', 'other', 'a text that stays');
    expect(filesWith(mark).length).toBeGreaterThan(0);
    const shown = memory.listAll({ match: mark });
    expect(memory.scrub({ match: mark })).toEqual({ items: shown.length, erased: true });
    expect(filesWith(mark)).toEqual([]);
    expect(memory.listAll().map(({ key }) => key)).toEqual(['other']);
  });

  it('leaves nothing of what SQLite moved between pages while texts were replaced by longer ones', () => {
    const mark = 'xyzzy-moved';
    let state = 1;
    const random = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 32;
    };
    // Where it moves them is its own affair: of these files, two would hold some if they were not rewritten.
    for (let file = 0; file < 16; file += 1) {
      const memory = memoryOf(`moved-${file}.db`, 'a');
      for (let n = 0; n < 100; n += 1) {
        const key = random() < 0.5 ? Math.floor(random() * n) : n;
        const padding = 'x'.repeat(random() * 700);
        put(memory, 'workspace', `k${key}`, `${random() < 0.5 ? mark : 'stays'} ${n} ${padding}`);
      }
      expect(memory.scrub({ match: mark })).toMatchObject({ erased: true });
      expect(memory.listAll().length).toBeGreaterThan(20);
    }
    expect(filesWith(mark)).toEqual([]);
  });

  it('says where another process is still reading, and is done when repeated', () => {
    const memory = memoryOf('a.db', 'a');
    put(memory, 'workspace', 'k', 'xyzzy-held');
    const reader = database('a.db');
    const rows = reader.each('SELECT * FROM memory_items')[Symbol.iterator]();
    rows.next();
    expect(memory.scrub()).toEqual({ items: 1, erased: false });
    expect(memory.listAll()).toEqual([]);
    rows.return?.();
    expect(memory.scrub()).toEqual({ items: 0, erased: true });
    expect(filesWith('xyzzy-held')).toEqual([]);
  });
});
