import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { architecturePath, withRooms } from './room-graph.ts';

it('ARCHITECTURE.md draws the rooms as they are (node scripts/room-graph.ts)', () => {
  const document = readFileSync(architecturePath, 'utf8');
  expect(document).toContain(' --> core');
  expect(withRooms(document)).toBe(document);
});
