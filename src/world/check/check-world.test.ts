import { expect, it } from 'vitest';
import type { Caller } from '../../core/index.ts';
import { type Database, openDatabase } from '../../store/index.ts';
import { openWorld } from '../open-world.ts';
import { worldWrite } from '../write/make-write.ts';
import { checkWorld } from './check-world.ts';

const person: Caller = { kind: 'user', name: 'ada', device: 'desk', thread: null, channel: null };

/** A page that was edited, one that links to it under an older name, and a deleted one. */
function made(): Database {
  const db = openDatabase({ path: ':memory:', schemas: [], busyMs: 0 });
  const world = openWorld(db, { name: 'notes' });
  let key = 0;
  const write = (operation: Parameters<typeof worldWrite>[0]['operation']): string => {
    key += 1;
    const result = world.submit(
      worldWrite({ operation, caller: person, source: 'test', idempotencyKey: `${key}` }),
    );
    if (result.kind === 'refused') throw new Error(result.message);
    return result.content_ids[0]!;
  };
  write({ op: 'create_page', path: 'Bread', text: '---\naliases: [Loaf]\n---\n# Bread #food\n\nBake it.\n' });
  const plan = write({ op: 'create_page', path: 'Plan', text: 'See [[Bread]] and [[Gone]].\n\nThen eat.\n' });
  const gone = write({ op: 'create_page', path: 'Gone', text: 'Nothing.\n' });
  write({ op: 'rename_page', page: world.page('Bread')!.id, name: 'Rye' });
  write({ op: 'update_block', block: world.read(plan)!.blocks.at(-1)!.id, text: 'Then eat it.\n' });
  write({ op: 'delete_page', page: gone });
  return db;
}

it('finds nothing in a workspace that was only written to', () => {
  expect(checkWorld(made())).toEqual({ ok: true, pages: 3, damaged: [] });
});

it.each<[string, string, RegExp]>([
  ['text', "UPDATE world_blocks SET text = replace(text, 'eat', 'eaT')", /^Plan bl-\w+ its text differs/],
  ['front matter', "UPDATE world_pages SET front = 'x' WHERE path = 'Rye'", /^Rye null its front/],
  ['a path', "UPDATE world_pages SET path = 'Ryf' WHERE path = 'Rye'", /^Ryf null its path/],
  ['an order', "UPDATE world_blocks SET place = place + 1 WHERE text LIKE 'Bake%'", /its place differs/],
  [
    'a lifecycle',
    "UPDATE world_blocks SET lifecycle = 'Draft' WHERE text LIKE 'Bake%'",
    /its lifecycle differs/,
  ],
  [
    'a block hidden',
    "UPDATE world_blocks SET deleted = 1 WHERE text LIKE 'Bake%'",
    /^Rye bl-\w+ the log says/,
  ],
  ['a block lost', "DELETE FROM world_blocks WHERE text LIKE 'Bake%'", /^Rye bl-\w+ it is missing/],
  [
    'properties',
    `UPDATE world_pages SET properties = '{' WHERE path = 'Plan'`,
    /not JSON|Unexpected|Expected/,
  ],
  [
    'a name',
    "UPDATE world_names SET whole = 'x' WHERE alias = 0 AND key = 'rye'",
    /^Rye null its indexed names/,
  ],
  ['an alias', 'DELETE FROM world_names WHERE alias = 1', /^Rye null its indexed names/],
  ['a tag', "UPDATE world_tags SET tag = 'fooe'", /^Rye null its indexed tags/],
  ['a link', "UPDATE world_links SET target = 'Breae' WHERE ordinal = 0", /^Plan bl-\w+ its indexed links/],
  ['a page lost', "DELETE FROM world_pages WHERE path = 'Gone'", /^Gone null pg-\w+ is missing/],
  ['a row without its parent', 'DELETE FROM world_sources', /^null null a row of world_pages belongs/],
])('finds that %s was changed behind its back', (_what, sql, expected) => {
  const db = made();
  db.run('PRAGMA foreign_keys = OFF');
  expect(db.run(sql)).toBeGreaterThan(0);
  const { ok, damaged } = checkWorld(db);
  expect(ok).toBe(false);
  const told = damaged.map(({ page, block, what }) => `${page} ${block} ${what}`);
  expect(new Set(told.filter((line) => expected.test(line))).size, told.join('\n')).toBe(1);
});

it('finds a log that was changed', () => {
  const db = made();
  db.run('DROP TRIGGER world_events_kept');
  db.run("UPDATE world_events SET after = replace(after, 'Bake', 'Cake')");
  expect(checkWorld(db).damaged.map(({ page, what }) => `${page} ${what}`)).toEqual([
    'Rye its text differs from the log',
  ]);
  db.run("UPDATE world_events SET after = replace(after, '{', '[')");
  const { damaged } = checkWorld(db);
  expect(damaged.map(({ page, what }) => `${page} ${what}`)).toContain(
    'Plan part of its log is not readable',
  );
});
