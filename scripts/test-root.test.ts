import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { roomFor } from './test-root.ts';

it('files of a run are in memory only where there is enough of it', () => {
  expect(roomFor('/var/tmp', '/nonexistent')).toBe('/var/tmp');
  expect(roomFor('/var/tmp', tmpdir(), 0)).toBe(tmpdir());
  expect(roomFor('/var/tmp', tmpdir(), Number.MAX_SAFE_INTEGER)).toBe('/var/tmp');
});
