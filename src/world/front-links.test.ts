/** Links that stand in properties are links, as those in the text. */
import { afterEach, expect, it } from 'vitest';
import { type Database, openDatabase } from '../store/index.ts';
import { joinPageText, openWorld, type World, type WorldOperation, worldWrite } from './index.ts';
import { findFrontLinks } from './markdown/index.ts';

const opened: Database[] = [];
afterEach(() => {
  for (const database of opened.splice(0)) database.close();
});

function worldOf(pages: Readonly<Record<string, string>>): { world: World; database: Database } {
  const database = openDatabase({ path: ':memory:', schemas: [], busyMs: 0 });
  opened.push(database);
  const world = openWorld(database);
  for (const [path, text] of Object.entries(pages)) write(world, { op: 'create_page', path, text });
  return { world, database };
}

function write(world: World, operation: WorldOperation): void {
  const caller = { kind: 'user', name: 'ada', device: 'desk', thread: null, channel: null } as const;
  const result = world.submit(worldWrite({ operation, caller, source: 'test', idempotencyKey: null }));
  expect(result).toMatchObject({ kind: 'accepted', applied: true });
}

const textOf = (world: World, path: string): string => joinPageText(world.read(world.page(path)!.id)!);

it.each<readonly [string, readonly string[]]>([
  ['---\nup: "[[Plan]]"\n---\n', ['Plan']],
  ["---\nup: '[[Plan|the plan]]'\nnext: [[Other]]\n---\n", ['Plan', 'Other']],
  ['---\npeople:\n  - "[[Ada#Work]]"\n  - "[[Bob]] and [[Cy]]"\n---\n', ['Ada', 'Bob', 'Cy']],
  ['---\nin: ["[[A]]", "[[B]]"]\r\n---\r\n', ['A', 'B']],
  ['---\nsee: "[a plan](Projects/Plan.md)"\n---\n', ['Projects/Plan']],
  ['---\nsite: "[home](https://example.com)"\n---\n', []],
  ['---\n# up: "[[Plan]]"\nn: 1 # see [[Other]]\n---\n', []],
  ['---\ncolor: "#fff, see [[Plan]]"\nname: C#[[Other]]\n---\n', ['Plan', 'Other']],
  ['---\nup: plan\n---\n', []],
])('%j', (front, wanted) => {
  expect(findFrontLinks(front).map(({ target }) => target)).toEqual(wanted);
});

it('are counted on both ends', () => {
  const { world } = worldOf({ Plan: '# Plan\n', A: '---\nup: "[[Plan#Scope]]"\n---\nSee [[Plan]].\n' });
  const [a, plan] = [world.page('A')!.id, world.page('Plan')!.id];
  expect(world.links(a)).toMatchObject([
    { from: a, from_page: a, to: plan, target: 'Plan#Scope', kind: 'wiki' },
    { from_page: a, to: plan, target: 'Plan' },
  ]);
  expect(world.backlinks(plan)).toHaveLength(2);
  expect(world.neighbours(['A'])).toEqual([{ from: 'A', to: 'Plan' }]);
});

it('follow a page that is renamed, in the text, in the properties, and in an edit of them', () => {
  const text = '---\nup: "[[Plan]]"\ntags: [x]\n---\nText.\n';
  const { world } = worldOf({ Plan: '# Plan\n', A: text });
  write(world, { op: 'rename_page', page: world.page('Plan')!.id, name: 'Goals' });
  const { id } = world.page('A')!;
  expect(textOf(world, 'A')).toBe(text.replace('Plan', 'Goals'));
  expect(world.read(id)!.properties).toEqual({ up: '[[Goals]]', tags: ['x'] });
  // A save of what was read changes nothing; one of another property keeps the new name.
  write(world, { op: 'update_page', page: id, text: textOf(world, 'A').replace('Text', 'Words') });
  write(world, { op: 'set_properties', page: id, set: { done: true } });
  expect(textOf(world, 'A')).toBe('---\nup: "[[Goals]]"\ntags: [x]\ndone: true\n---\nWords.\n');
  expect(world.backlinks(world.page('Goals')!.id)).toHaveLength(1);
  write(world, { op: 'rename_page', page: world.page('Goals')!.id, name: 'Aims' });
  expect(textOf(world, 'A')).toContain('up: "[[Aims]]"');
  expect(world.check()).toMatchObject({ damaged: [] });
});

it('a name that would break the properties leaves them readable', () => {
  const { world } = worldOf({ Plan: '# Plan\n', A: '---\nup: "[[Plan]]"\n---\nText.\n' });
  write(world, { op: 'rename_page', page: world.page('Plan')!.id, name: 'The "plan"' });
  expect(world.read(world.page('A')!.id)!.properties).toEqual({ up: '[[Plan]]' });
  expect(world.links(world.page('A')!.id)).toMatchObject([{ to: world.page('The "plan"')!.id }]);
});

it('are found in a workspace that was made before they were kept', () => {
  const { world, database } = worldOf({ Plan: '# Plan\n', A: '---\nup: "[[Plan]]"\n---\nText.\n' });
  database.run('DELETE FROM world_front_links');
  database.run('DELETE FROM world_fills');
  expect(world.backlinks(world.page('Plan')!.id)).toHaveLength(0);
  const again = openWorld(database);
  expect(again.backlinks(again.page('Plan')!.id)).toHaveLength(1);
  expect(again.check()).toMatchObject({ damaged: [] });
});
