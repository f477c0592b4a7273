import { describe, expect, test } from 'vitest';
import type { IncidentFields } from '../../core/index.ts';
import { checkFields } from './check-fields.ts';
import type { ChangeRecord, IncidentRecord, LogRecord, SeriesRecord } from './records.ts';
import { formatSentence } from './sentence.ts';

const wait: SeriesRecord = {
  ...{ kind: 'series', metric: 'db_pool_wait_ms', labels: 'service="orders"', direction: 'up' },
  ...{ onsets: ['2026-03-05T11:52:00Z'], turns: ['2026-03-05T12:10:00Z'], isOver: false },
  moves: [
    [2, 1840.4],
    [2, 2210],
  ],
  points: [
    ['11:50:00', 2],
    ['11:55:00', 640],
    ['12:00:00', 1840.4],
  ],
};
const ratio: SeriesRecord = {
  ...{ kind: 'series', metric: 'http_error_ratio', labels: 'service="cart"', direction: null },
  ...{ onsets: [], turns: [], isOver: false, moves: [[0.01, 0.02]], points: [] },
};
const mail: SeriesRecord = {
  ...{ kind: 'series', metric: 'depth', labels: 'queue="mail.out", service="broker"', direction: 'up' },
  ...{ onsets: ['2026-03-05T11:52:00Z'], turns: [], isOver: false, moves: [[3, 900]], points: [] },
};
const dead: SeriesRecord = {
  ...{ kind: 'series', metric: 'consumers{queue=mail.dead}', labels: 'service="broker"', direction: null },
  ...{ onsets: [], turns: [], isOver: false, moves: [[0, 0]], points: [] },
};
const commit: ChangeRecord = {
  ...{ kind: 'change', of: 'commit', id: '0fc0ffee0123456789abcdef0123456789abcdef' },
  ...{ at: '2026-03-05T10:14:00Z', service: null, title: 'chore: align the pool', brings: [] },
  ...{ paths: ['services/orders/db.go'], lines: ['-\tdb.SetMaxOpenConns(100)', '+\tdb.SetMaxOpenConns(10)'] },
  ...{ removed: ['db.SetMaxOpenConns(100)'], added: ['db.SetMaxOpenConns(10)'] },
};
const deploy: ChangeRecord = {
  ...{ kind: 'change', of: 'deploy', id: 'd-77', at: '2026-03-05T11:40:00Z', service: 'orders' },
  ...{ title: 'orders d-77', brings: [commit.id], paths: [], lines: [], removed: [], added: [] },
};
const flag: ChangeRecord = {
  ...{ kind: 'change', of: 'flag', id: 'new_cart', at: '2026-03-05T11:45:00Z', service: 'cart' },
  ...{ title: 'new_cart: off -> on', brings: [], paths: [], lines: [], removed: [], added: [] },
};
const pattern: LogRecord = {
  ...{ kind: 'log', owner: 'billing', text: 'throttled by <*> after <num> requests', count: 12, baseline: 0 },
  times: ['2026-03-05T11:53:10Z'],
};
const line: LogRecord = {
  ...{ kind: 'log', owner: 'orders', text: 'ERROR pool exhausted', count: null, baseline: null },
  times: ['2026-03-05T11:54:00Z'],
};
const all: readonly IncidentRecord[] = [wait, ratio, mail, dead, commit, deploy, flag, pattern, line];

const cases: readonly (readonly [IncidentFields, string])[] = [
  [
    { verb: 'rose', series: 'db_pool_wait_ms', actor: 'orders', from: '2', to: '1840', time: '11:52' },
    'shown',
  ],
  [{ verb: 'rose', series: 'db_pool_wait_ms', to: '1.84 s' }, 'shown'],
  [{ verb: 'rose', series: 'db_pool_wait_ms', to: '2210 ms' }, 'shown'],
  [{ verb: 'fell', series: 'db_pool_wait_ms' }, 'contradicted'],
  [{ verb: 'rose', series: 'db_pool_wait_ms', from: '1840', to: '2' }, 'contradicted'],
  [{ verb: 'rose', series: 'db_pool_wait_ms', to: '4711' }, 'contradicted'],
  [{ verb: 'rose', series: 'db_pool_wait_ms', time: '11:40' }, 'contradicted'],
  [{ verb: 'rose', series: 'db_pool_wait_ms', actor: 'cart' }, 'not shown'],
  [{ verb: 'rose', series: 'queue_depth' }, 'not shown'],
  [{ verb: 'rose', series: 'depth{queue="mail.out"}', actor: 'broker', to: '900' }, 'shown'],
  [{ verb: 'rose', series: 'depth{queue="mail.out", service="broker"}' }, 'shown'],
  [{ verb: 'rose', series: 'depth{queue=mail.out}' }, 'shown'],
  [{ verb: 'rose', series: 'depth{queue="mail.dead"}' }, 'not shown'],
  [{ verb: 'rose', series: 'depth{}' }, 'not shown'],
  [{ verb: 'stayed', series: 'consumers{queue=mail.dead}', actor: 'broker', to: '0' }, 'shown'],
  [{ verb: 'stayed', series: 'consumers{queue="mail.dead", service="broker"}' }, 'shown'],
  [{ verb: 'stayed', series: 'consumers{queue=mail.out}' }, 'not shown'],
  [{ verb: 'rose' }, 'unclear'],
  [{ verb: 'stayed', series: 'http_error_ratio', actor: 'cart' }, 'shown'],
  [{ verb: 'stayed', series: 'db_pool_wait_ms' }, 'contradicted'],
  [{ verb: 'rose', series: 'http_error_ratio' }, 'contradicted'],
  [{ verb: 'was', series: 'db_pool_wait_ms', to: '640', time: '11:55' }, 'shown'],
  [{ verb: 'was', series: 'db_pool_wait_ms', to: '640', time: '12:00' }, 'contradicted'],
  [{ verb: 'deployed', object: '0fc0ffee0123', actor: 'orders', time: '11:40' }, 'shown'],
  [{ verb: 'deployed', object: 'd-77', time: '2026-03-05T11:40:00Z' }, 'shown'],
  [{ verb: 'deployed', object: '0fc0ffee0123', actor: 'cart' }, 'contradicted'],
  [{ verb: 'deployed', object: '0fc0ffee0123', time: '10:14' }, 'contradicted'],
  [{ verb: 'deployed', object: 'deadbeef0123', actor: 'cart' }, 'not shown'],
  [{ verb: 'deployed', object: 'deadbeef0123', actor: 'orders' }, 'unclear'],
  [{ verb: 'brought', actor: 'd-77', object: '0fc0ffee0123' }, 'shown'],
  [{ verb: 'written', object: '0fc0ffee0123', time: '10:14' }, 'shown'],
  [{ verb: 'written', object: '0fc0ffee0123', time: '11:40' }, 'contradicted'],
  [{ verb: 'changed', object: 'SetMaxOpenConns', from: '100', to: '10' }, 'shown'],
  [{ verb: 'changed', object: 'SetMaxOpenConns', from: '10', to: '100' }, 'contradicted'],
  [{ verb: 'changed', object: 'SetMaxOpenConns', from: '100', to: '50' }, 'contradicted'],
  [{ verb: 'changed', object: 'SetMaxIdleConns', from: '100', to: '10' }, 'not shown'],
  [{ verb: 'changed', object: 'SetMaxOpenConns', actor: 'orders', time: '11:40' }, 'shown'],
  [{ verb: 'changed', object: 'SetMaxOpenConns', actor: 'cart' }, 'not shown'],
  [{ verb: 'changed', hunk: '-\tdb.SetMaxOpenConns(100)\n+\tdb.SetMaxOpenConns(10)' }, 'shown'],
  [{ verb: 'changed', hunk: '+\tdb.SetMaxOpenConns(100)' }, 'not shown'],
  [{ verb: 'added', object: 'SetMaxOpenConns(10)' }, 'shown'],
  [{ verb: 'removed', object: 'SetMaxOpenConns(10)' }, 'contradicted'],
  [{ verb: 'switched', object: 'new_cart', from: 'off', to: 'on', time: '11:45' }, 'shown'],
  [{ verb: 'switched', object: 'new_cart', to: 'true' }, 'shown'],
  [{ verb: 'switched', object: 'new_cart', to: 'off' }, 'contradicted'],
  [{ verb: 'switched', object: 'old_cart', to: 'on' }, 'not shown'],
  // Who did what to whom.
  [{ verb: 'logged', actor: 'billing', object: 'throttled by gateway after 40 requests', to: '12' }, 'shown'],
  [{ verb: 'logged', actor: 'gateway', object: 'throttled by billing after 40 requests' }, 'contradicted'],
  [{ verb: 'logged', actor: 'orders', object: 'pool exhausted', time: '11:54' }, 'shown'],
  [{ verb: 'logged', actor: 'cart', object: 'pool exhausted' }, 'contradicted'],
  [{ verb: 'logged', actor: 'billing', object: 'throttled by', to: '49' }, 'contradicted'],
  [{ verb: 'logged', actor: 'orders', object: 'disk full' }, 'not shown'],
  [{ verb: 'logged', object: 'a' }, 'not shown'],
  [{ verb: 'other', object: 'gateway throttled billing' }, 'unclear'],
];

describe('a claim in fields', () => {
  test.each(cases)('%j: %s', (fields, verdict) => {
    expect(checkFields(fields, all).verdict).toBe(verdict);
  });

  test('says why', () => {
    expect(checkFields({ verb: 'rose', series: 'db_pool_wait_ms', to: '4711' }, all).why).toBe(
      'db_pool_wait_ms did not go to 4711: it went from 2 to 1840.4',
    );
    expect(checkFields({ verb: 'logged', object: 'pool exhausted', actor: 'cart' }, all).why).toBe(
      'orders logged that, not cart',
    );
  });

  test('no record of its kind holds nothing of it', () => {
    expect(checkFields({ verb: 'logged', object: 'pool exhausted' }, [wait])).toEqual({
      verdict: 'not shown',
      why: 'what it names holds no line of a log',
    });
  });
});

test.each([
  [cases[0]![0], 'db_pool_wait_ms of orders rose from 2 to 1840 since 11:52.'],
  [
    { verb: 'deployed', object: 'd-77', actor: 'orders', time: '11:40' },
    'd-77 was deployed to orders at 11:40.',
  ],
  [
    { verb: 'changed', object: 'SetMaxOpenConns', from: '100', to: '10', hunk: '+ db.SetMaxOpenConns(10)' },
    'SetMaxOpenConns was changed from 100 to 10: `+ db.SetMaxOpenConns(10)`.',
  ],
  [
    { verb: 'logged', actor: 'orders', object: 'pool exhausted', to: '12' },
    'orders logged `pool exhausted`, 12 times.',
  ],
] as const)('the sentence of %j', (fields, text) => {
  expect(formatSentence(fields)).toBe(text);
});

describe('a line in the place of another', () => {
  const removed = [
    'ctx, cancel := context.WithTimeout(ctx, 5*time.Second)',
    'return c.grpc.List(ctx, ids)',
    'retries := 3',
  ];
  const added = [
    'callCtx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)',
    'return c.grpc.List(callCtx, ids)',
    'pause := 9',
  ];
  const deadline: ChangeRecord = { ...commit, title: 'refactor: one budget', removed, added, lines: [] };
  test.each<[string, string, string, string]>([
    ['callCtx', '5*time.Second', '300*time.Millisecond', 'shown'],
    ['context.WithTimeout', '5*time.Second', '300*time.Millisecond', 'shown'],
    ['callCtx', '300*time.Millisecond', '5*time.Second', 'contradicted'],
    ['callCtx', '5*time.Second', '900*time.Millisecond', 'contradicted'],
    ['retries', '5*time.Second', '300*time.Millisecond', 'contradicted'],
    ['retries', '3', '9', 'contradicted'],
  ])('%s from %s to %s is %s', (object, from, to, verdict) => {
    expect(checkFields({ verb: 'changed', object, from, to }, [deadline]).verdict).toBe(verdict);
  });
});
