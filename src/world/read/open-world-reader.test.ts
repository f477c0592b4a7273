import { expect, it } from 'vitest';
import { openDatabase } from '../../store/index.ts';
import { openWorld } from '../open-world.ts';
import { memoryWorld } from '../scripted.ts';
import { worldWrite } from '../write/make-write.ts';
import { openWorldReader } from './open-world-reader.ts';

const caller = Object.freeze({
  kind: 'user',
  name: 'author',
  device: 'here',
  thread: null,
  channel: null,
} as const);

it('sees what is written beside it, and answers as the world does', () => {
  const db = openDatabase({ path: ':memory:', schemas: [] });
  // It makes the tables where it is the first to come.
  const reader = openWorldReader(db, { name: 'notes' });
  const world = openWorld(db);
  const operation = { op: 'create_page', path: 'Budget', text: 'Leads to [[Pool]].\n' } as const;
  world.submit(worldWrite({ operation, caller, source: 'test', idempotencyKey: null }));
  expect(reader.workspace).toEqual(world.workspace);
  const page = reader.page('Budget')!;
  expect(reader.read(page.id)).toEqual(world.read(page.id));
  expect(reader.links(page.id)).toEqual(world.links(page.id));
  expect(reader.history(page.id)).toEqual(world.history(page.id));
  expect([reader.head(), reader.events(0).length]).toEqual([1, 1]);
});

it('cannot change anything', () => {
  const changes = new Set(['submit', 'submitAll', 'inbox', 'shown', 'check', 'flags', 'deviations']);
  const reader = openWorldReader(openDatabase({ path: ':memory:', schemas: [] }));
  expect(Object.keys(memoryWorld()).filter((name) => changes.has(name))).toHaveLength(changes.size);
  expect(Object.keys(reader).filter((name) => changes.has(name))).toEqual([]);
});
