import { expect, it } from 'vitest';
import { createWindow } from './window.ts';

const minute = 60_000;
const now = Date.UTC(2026, 2, 5, 12);

it.each([
  ['fires now', now, null, now],
  ['fired a moment ago', now - 1_000, null, now],
  ['fired half an hour and more ago', now - 45 * minute, null, now - 15 * minute],
  ['names no time', null, null, now],
  ['fires in the future', now + 5 * minute, null, now],
  ['ended in the future', now - 5 * minute, now + 5 * minute, now],
  ['ended before it began', now - 5 * minute, now - 9 * minute, now - 4 * minute],
  ['ended as it began', now, now, now],
])('of an alert that %s the window ends when it should, and never past now', (_, started, ended, to) => {
  const window = createWindow({ started, ended }, now);
  expect(window.to).toBe(to);
  expect(window.from).toBeLessThan(window.to);
});
