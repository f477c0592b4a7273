/** Each kind of record that leads from one thing to another, and beside it what looks alike and leads nowhere. */
import { describe, expect, it } from 'vitest';
import type { Change, LogLine, Series } from '../../../../core/index.ts';
import type { Facts, WithEvidence } from '../facts.ts';
import { buildCallGraph } from '../outside/call-graph.ts';
import { listEntities } from '../subject.ts';
import { findEdges } from './edges.ts';
import { computeReach, type Reach } from './reach.ts';

const start = Date.parse('2026-05-04T06:00:00Z');
const none: Facts = {
  series: [],
  lines: [],
  patterns: [],
  changes: [],
  spans: [],
  alerts: [],
  texts: [],
  tables: [],
};
const series = (service: string, name = 'requests_per_sec', labels = {}): WithEvidence<Series> => ({
  name,
  labels: { service, ...labels },
  points: [[start, 1]],
  evidence: `ev-${service}`,
});
const line = (service: string, text: string, level = 'ERROR'): WithEvidence<LogLine> => ({
  at: start,
  service,
  level,
  text,
  evidence: `ev-line-${service}`,
});
const reached = (facts: Partial<Facts>, subject = 'basket'): Reach => {
  const whole = { ...none, ...facts };
  const entities = listEntities(whole, []);
  return computeReach(new Set([subject]), findEdges(whole, buildCallGraph(whole.spans), entities, []));
};
const both = [series('basket'), series('vault-sync')];

describe('names in messages', () => {
  it.each([
    ['a name of two parts', 'vault-sync', 'could not read from vault-sync in time'],
    ['as a host', 'vault-sync', 'dial tcp vault-sync-0.internal:8200: i/o timeout'],
    ['written with underscores', 'vault-sync', 'vault_sync: no answer'],
    ['a plain word that is called', 'tax', 'GET http://tax:8080/rates failed'],
    ['a plain word that a proxy routes to', 'tax', '"GET /tax/7 HTTP/1.1" upstream prematurely closed'],
    ['a plain word that answers', 'tax', 'tax returned 503'],
    ['what is its own in the name, in a message of trouble', 'waf-engine', 'worker stalled in waf phase'],
  ])('%s leads there', (_, name, text) => {
    expect(
      reached({ series: [series('basket'), series(name)], lines: [line('basket', text)] }).of(name),
    ).toBeGreaterThan(0.5);
  });
  it.each([
    ['a plain word of the language', 'tax', 'the tax of the line is negative'],
    ['another name that begins with it', 'ledger', 'GET http://ledgers:80 failed'],
    ['what kind of thing it is', 'mail-worker', 'worker 7 stalled'],
  ])('%s leads nowhere', (_, name, text) => {
    expect(
      reached({ series: [series('basket'), series(name)], lines: [line('basket', text)] }).of(name),
    ).toBe(0);
  });
  it('who speaks of the alerted one is reached, too', () => {
    expect(
      reached({ series: both, lines: [line('vault-sync', 'told basket', 'INFO')] }).of('vault-sync'),
    ).toBe(0);
    expect(
      reached({ series: both, lines: [line('vault-sync', 'rotated; signalled to basket', 'INFO')] }).of(
        'vault-sync',
      ),
    ).toBeGreaterThan(0.5);
  });
});

describe('other records', () => {
  const quote = 'could not extend file base/16384/16386: No space left on device';
  it('one message that both write', () => {
    const lines = [line('basket', `insert failed: ${quote}`), line('pgbox', `ERROR: ${quote}`)];
    expect(reached({ lines }).of('pgbox')).toBeGreaterThan(0.5);
    expect(reached({ lines: [lines[0]!, line('pgbox', 'ERROR: deadlock detected')] }).of('pgbox')).toBe(0);
  });
  it('a table, queue or key that both name; not what looks like one', () => {
    const speaks = (here: string, there: string) =>
      reached({ lines: [line('basket', here, 'INFO'), line('pgbox', there, 'INFO')] }).of('pgbox');
    expect(speaks('INSERT INTO device_events', 'vacuum of device_events skipped')).toBeGreaterThan(0.5);
    expect(speaks('request_id=7 ok', 'request_id=8 ok')).toBe(0);
    expect(speaks('order_9912873 sold', 'order_9912873 shipped')).toBe(0);
  });
  it('the only server of a product that a client names', () => {
    const own = line('store-7', '10943:M * Ready to accept connections', 'INFO');
    const told = line('basket', 'redis TimeoutError: Timeout reading from socket');
    expect(reached({ lines: [own, told] }).of('store-7')).toBeGreaterThan(0.5);
    expect(reached({ lines: [own, line('store-9', own.text, 'INFO'), told] }).of('store-7')).toBe(0);
  });
  it('labels of one series, and a series that is called after another', () => {
    const labelled = series('basket', 'up', { node: 'n7' });
    expect(reached({ series: [labelled, series('n7')] }).of('n7')).toBeGreaterThan(0.5);
    expect(
      reached({ series: [series('basket', 'recs_error_pct'), series('recs')] }).of('recs'),
    ).toBeGreaterThan(0.5);
    expect(reached({ series: [series('basket', 'error_pct'), series('recs')] }).of('recs')).toBe(0);
  });
  it('one object that names both', () => {
    const rows = [
      { name: 'basket', node: 'n7' },
      { name: 'n8', ready: 'True' },
    ];
    const near = reached({ tables: [{ rows, evidence: 'ev-rows' }] });
    expect([near.of('n7') > 0.5, near.of('n8')]).toEqual([true, 0]);
  });
  it('a change of the one that names the other', () => {
    const change: WithEvidence<Change> = {
      kind: 'commit',
      id: 'a'.repeat(40),
      at: start,
      service: 'vault-sync',
      author: null,
      title: 'rotate',
      commits: [],
      paths: ['policy.yaml'],
      diff: '-restart: [quota-store, basket-api]\n+restart: [quota-store]',
      evidence: 'ev-change',
    };
    const facts = { series: [series('basket-api'), series('vault-sync')], changes: [change] };
    expect(reached(facts, 'basket-api').of('vault-sync')).toBeGreaterThan(0.5);
    expect(
      reached({ ...facts, changes: [{ ...change, diff: '-a\n+b' }] }, 'basket-api').of('vault-sync'),
    ).toBe(0);
  });
  it('what is called after the same; not what is of the same kind', () => {
    expect(
      reached({ series: [series('stock-api'), series('stock-db')] }, 'stock-api').of('stock-db'),
    ).toBeGreaterThan(0.5);
    expect(reached({ series: [series('stock-api'), series('mail-api')] }, 'stock-api').of('mail-api')).toBe(
      0,
    );
  });
});

it('a chain is as weak as all of its records, and a stranger stays one', () => {
  const lines = [line('basket', 'tax returned 503'), line('tax', 'no answer of rate-store')];
  const { of, path } = reached({ lines, series: [series('rate-store'), series('printer')] });
  expect(of('rate-store')).toBeLessThan(of('tax'));
  expect(path('rate-store').map(({ from, to }) => [from, to])).toEqual([
    ['basket', 'tax'],
    ['tax', 'rate-store'],
  ]);
  expect(of('printer')).toBe(0);
});
