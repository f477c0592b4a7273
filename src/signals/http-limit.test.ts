import { expect, test } from 'vitest';
import { readRetryAfter } from './http-limit.ts';

const date = 'Sun, 11 Jul 2026 12:00:00 GMT';
const noon = String(Date.parse(date) / 1_000 + 90);

// Headers as GitHub, GitLab, Datadog, Sentry, Kubernetes and Loki have them.
test.each<[number, Record<string, string>, number | null]>([
  [200, { 'x-ratelimit-remaining': '0' }, null],
  [401, {}, null],
  [403, { 'x-ratelimit-remaining': '4999', 'x-ratelimit-reset': noon, date }, null],
  [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': noon, date }, 90_000],
  [403, { 'retry-after': '60' }, 60_000],
  [429, { 'ratelimit-reset': noon, date }, 90_000],
  [429, { 'retry-after': 'Sun, 11 Jul 2026 12:00:30 GMT', date }, 30_000],
  [429, { 'retry-after': 'Sun, 11 Jul 2026 11:00:00 GMT', date }, 0],
  [429, { 'retry-after': 'soon', date }, 1_000],
  [429, { 'x-ratelimit-limit': '100', 'x-ratelimit-period': '60', 'x-ratelimit-reset': '12' }, 12_000],
  [429, { 'x-sentry-rate-limit-reset': noon, date }, 90_000],
  [429, { 'x-ratelimit-reset': noon }, 1_000],
  [429, { 'retry-after': '1' }, 1_000],
  [503, { 'retry-after': '2' }, 2_000],
  [503, {}, null],
  [429, {}, 1_000],
])('%d %j waits %j', (status, headers, expected) => {
  expect(readRetryAfter(status, new Headers(headers))).toBe(expected);
});
