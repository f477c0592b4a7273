/** Counters that leave their rest, targets that go down, and what looks alike. */
import { describe, expect, it } from 'vitest';
import { readCounter } from './counters.ts';

const series = (name: string, values: readonly number[]) => ({
  name,
  labels: {},
  points: values.map((value, k) => [k * 60_000, value] as const),
});
const rest = (value: number, then: readonly number[]) => [value, value, value, value, value, value, ...then];

describe('what is counted only when something is refused or lost', () => {
  it.each([
    ['evicted_keys', rest(0, [4, 90, 200]), 'memory that is used up'],
    ['evicted_keys', rest(731, [744, 900, 1200]), 'memory that is used up'],
    ['rejected_connections_total', rest(0, [1, 5, 9]), 'connections that are used up'],
    ['deadlocks_total', rest(2, [3, 6, 8]), 'locks that are waited for'],
    ['disk_io_errors', rest(0, [1, 2, 4]), 'hardware that fails'],
    ['rabbitmq_mem_alarm', rest(0, [1, 1, 1]), 'memory that is used up'],
    ['master_link_up', rest(1, [0, 0, 0]), 'a replica without its primary'],
    ['up', rest(1, [0, 0, 0]), 'a target that is down'],
    ['tls_cert_seconds_left', rest(100, [40, -20, -80]), 'a certificate that has expired'],
  ])('%s %j: %s', (name, values, condition) => {
    const found = readCounter(series(name, values));
    expect(found?.condition.name).toBe(condition);
    expect(found!.since).toBeGreaterThanOrEqual(6 * 60_000);
  });
  it.each([
    ['evicted_keys', rest(12, [12, 12, 12])],
    ['evicted_keys_per_min', rest(0, [3, 0, 0])],
    ['orders_total', rest(0, [3, 6, 9])],
    ['up', [0, 0, 0, 0, 0, 0, 0]],
    ['up', rest(1, [0, 1, 1])],
    ['tls_cert_seconds_left', rest(500, [400, 300, 200])],
    ['deadlocks_total', [0, 1, 2, 3, 4, 5, 6, 7]],
  ])('nothing: %s %j', (name, values) => {
    expect(readCounter(series(name, values))).toBeNull();
  });
});
