import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { serverSentEvents } from './server-sent.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it.each([
  ['was revoked', () => false],
  [
    'can no longer be looked up',
    () => {
      throw new Error('the store is closed');
    },
  ],
])('a stream ends when the token of its reader %s', async (_, mayListen) => {
  const left = vi.fn();
  const response = serverSentEvents({
    signal: new AbortController().signal,
    mayListen,
    begin: () => left,
  });
  const text = response.text();
  vi.advanceTimersByTime(1_000);
  expect(await text).toBe(': there\n\n');
  expect(left).toHaveBeenCalledOnce();
});
