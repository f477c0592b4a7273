import { expect, it } from 'vitest';
import { manualClock } from '../../core/index.ts';
import { openDatabase } from '../../store/index.ts';
import { author } from '../contract/workbench.contract.ts';
import { openWorld } from '../open-world.ts';
import { worldWrite } from '../write/make-write.ts';
import { salvageWorld } from './salvage-world.ts';

it('a block that is made anew gets a number that no other block ever had', () => {
  const clock = manualClock(1_700_000_000_000);
  const db = openDatabase({ path: ':memory:', schemas: [], busyMs: 0 });
  const world = openWorld(db, { clock });
  const operation = { op: 'create_page', path: 'P', text: 'One.\n\nTwo.\n\nThree.\n' } as const;
  world.submit(worldWrite({ operation, caller: author, source: 'test', idempotencyKey: null }));
  const blocks = () => world.read(world.page('P')!.id)!.blocks;
  const before = blocks();
  // The last two are lost, so that their numbers look free.
  db.run('PRAGMA foreign_keys = OFF');
  db.run('DELETE FROM world_blocks WHERE n > 1');
  salvageWorld(db, 'lost.db', clock);
  const after = blocks();
  expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  expect(after[0]!.handle).toBe(before[0]!.handle);
  const numbers = db.all('SELECT n FROM world_blocks WHERE n > 1').map(({ n }) => Number(n));
  expect(Math.min(...numbers)).toBeGreaterThan(3);
  for (const { handle } of before.slice(1)) expect(world.block(handle)).toBeNull();
  const next = { op: 'add_block', page: world.page('P')!.id, text: 'Four.\n' } as const;
  world.submit(worldWrite({ operation: next, caller: author, source: 'test', idempotencyKey: null }));
  for (const { handle } of before.slice(1)) expect(world.block(handle)).toBeNull();
  db.close();
});
