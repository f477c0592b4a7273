import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mayImport } from '../.dependency-cruiser.mjs';
import { architecturePath, arrowsOf, drawRooms, withRooms } from './room-graph.ts';

it('ARCHITECTURE.md draws the rooms of the table (node scripts/room-graph.ts)', () => {
  const document = readFileSync(architecturePath, 'utf8');
  expect(document).toContain(' --> core');
  expect(withRooms(document)).toBe(document);
});

it('draws each room of the table, and nothing else', () => {
  const drawn = new Set(
    [...drawRooms().matchAll(/^ {2}(\w+) --> (\w+)$/gm)].flatMap(([, from, to]) => [from!, to!]),
  );
  expect([...drawn].sort()).toEqual(Object.keys(mayImport).sort());
});

it('leaves out the arrows that others imply', () => {
  expect(arrowsOf({ low: [], middle: ['low'], high: ['low', 'middle'] })).toEqual([
    'middle --> low',
    'high --> middle',
  ]);
});
