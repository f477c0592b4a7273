import { expect, test } from 'vitest';
import { manualClock, type Signal } from '../../core/index.ts';
import { askQuestion } from '../asking.contract.ts';
import { type DoubleAnswer, type DoubleRequest, httpDouble } from '../http-double.contract.ts';
import { httpSignalContract } from '../http-signal.contract.ts';
import { readRecordedBody, readRecording } from '../recording.contract.ts';
import { openLoki } from './loki.ts';

const start = Date.UTC(2026, 6, 11, 12);
const minute = 60_000;
const window = {
  from: start + 30 * minute,
  to: start + 60 * minute,
  baseline_from: start,
  derivation: 'a test',
};

interface Entry {
  readonly ns: bigint;
  readonly labels: Readonly<Record<string, string>>;
  readonly text: string;
}

const at = (k: number): bigint => BigInt(start + k * minute) * 1_000_000n;
const entries: readonly Entry[] = Array.from({ length: 60 }, (_, k): readonly Entry[] => [
  {
    ns: at(k),
    labels: { service_name: 'shop', level: k < 30 ? 'info' : 'error' },
    text: k < 30 ? `served ${k}` : `charge ${k} failed token=abc-secret-123`,
  },
  // Several lines of one instant, so that a page can end within it.
  { ns: at(k), labels: { service_name: 'cart', detected_level: 'warn' }, text: `{"msg":"slow","took":${k}}` },
  { ns: at(k), labels: { service_name: 'cart', detected_level: 'warn' }, text: `slow again ${k}` },
]).flat();

const { data } = readRecordedBody<{ data: { stats: unknown } }>(
  readRecording(import.meta.dirname),
  'loki_lines',
);

/** As Loki does it: matchers and line filters, start inclusive, end exclusive, a cap on lines, errors as text. */
function answerOf(max = 5_000) {
  return ({ path, query, headers }: DoubleRequest): DoubleAnswer => {
    // This is told to everybody.
    if (path === '/loki/api/v1/status/buildinfo') return { json: { version: '3.1.0' } };
    if (headers['x-scope-orgid'] !== 'tenant-1') return { text: 'no org id\n', status: 401 };
    if (path === '/loki/api/v1/labels')
      return { json: { status: 'success', data: ['level', 'service_name'] } };
    if (path.endsWith('/service_name/values')) return { json: { status: 'success', data: ['cart', 'shop'] } };
    if (path !== '/loki/api/v1/query_range') return null;
    const logql = query.get('query') ?? '';
    const limit = Number(query.get('limit'));
    const [from, to] = [BigInt(query.get('start')!), BigInt(query.get('end')!)];
    if (limit > max)
      return {
        text: `max entries limit per query exceeded, limit > max_entries_limit_per_query (${limit} > ${max})`,
        status: 400,
      };
    if (logql.startsWith('sum'))
      return {
        json: {
          status: 'success',
          data: {
            resultType: 'matrix',
            result: [
              {
                metric: { app: 'shop' },
                values: [
                  [start / 1_000, '3'],
                  [(start + 40 * minute) / 1_000, '9'],
                ],
              },
            ],
            stats: data.stats,
          },
        },
      };
    const selector = /^\{([^}]*)\}(?: \|~ "(.*)")?$/.exec(logql);
    if (selector === null)
      return { text: 'parse error at line 1, col 1: syntax error: unexpected IDENTIFIER', status: 400 };
    const service = /service_name="(\w+)"/.exec(selector[1]!)?.[1];
    const pattern =
      selector[2] === undefined ? null : new RegExp(JSON.parse(`"${selector[2]}"`).replace('(?i)', ''), 'i');
    const found = entries
      .filter((one) => one.ns >= from && one.ns < to)
      .filter((one) => service === undefined || one.labels['service_name'] === service)
      .filter((one) => pattern === null || pattern.test(one.text))
      .slice(0, limit);
    const streams = Map.groupBy(found, (one) => JSON.stringify(one.labels));
    const result = [...streams].map(([labels, list]) => ({
      stream: JSON.parse(labels),
      values: list.map((one) => [String(one.ns), one.text]),
    }));
    return { json: { status: 'success', data: { resultType: 'streams', result, stats: data.stats } } };
  };
}

const loki = (max?: number) => httpDouble(answerOf(max));

const open = (base: string, more = {}): Signal =>
  openLoki({ base, fetch, clock: manualClock(start), tenant: 'tenant-1', ...more });

httpSignalContract('loki', {
  answer: answerOf(),
  open: (base) =>
    open(base, {
      authorization: { kind: 'basic', user: 'reader', password: { reveal: () => 'loki-password' } },
    }),
  openStranger: (base) => open(base, { tenant: 'another' }),
  window,
  ask: {
    loki_lines: { service: 'shop' },
    loki_patterns: {},
    loki_query: { query: '{service_name="shop"}' },
    loki_labels: { label: 'service_name' },
  },
  plentiful: ['loki_lines', 'loki_patterns', 'loki_query', 'loki_labels'],
  timed: ['loki_lines', 'loki_patterns', 'loki_query', 'loki_labels'],
  secrets: ['loki-password', 'abc-secret-123'],
});

const ask = async (signal: Signal, name: string, args: unknown) => {
  const reply = await askQuestion(signal, name, args, window);
  if (reply.kind === 'failure') throw new Error(`${reply.reason}: ${reply.message}`);
  return reply;
};

test.each([1, 2, 3, 7, 10, 91, 5_000])('every line is seen once by pages of %d', async (pageLines) => {
  const server = await loki();
  const signal = open(server.base, { pageLines, pages: 1_000 });
  const { rows, completeness } = await ask(signal, 'loki_lines', {});
  if (rows.kind !== 'lines') throw new Error(rows.kind);
  // A page of one line cannot hold three of one instant: the server gives the same one again and again.
  const expected = pageLines < 3 ? 'fewer' : 90;
  if (expected === 90) expect([rows.lines.length, completeness]).toEqual([90, 'complete']);
  else expect(rows.lines.length).toBeLessThan(90);
  expect(new Set(rows.lines.map((line) => `${line.at} ${line.text}`)).size).toBe(rows.lines.length);
  await server.close();
});

test('where the pages end before the lines do, it says so', async () => {
  const server = await loki();
  const reply = await ask(open(server.base, { pageLines: 10, pages: 2 }), 'loki_lines', {});
  expect(reply).toMatchObject({ completeness: 'partial', notes: ['Only the first 20 lines were read.'] });
  expect(reply.truncated?.total).toBeNull();
  await server.close();
});

test('service and text become part of the query, levels come from labels', async () => {
  const server = await loki();
  const reply = await ask(
    open(server.base, { selector: '{service_name=~".+", namespace="x"}' }),
    'loki_lines',
    {
      service: 'shop',
      contains: 'FAILED t',
    },
  );
  expect(server.requests[0]?.query.get('query')).toBe(
    '{namespace="x", service_name="shop"} |~ "(?i)FAILED t"',
  );
  expect(reply.rows).toMatchObject({ kind: 'lines' });
  if (reply.rows.kind === 'lines') expect(reply.rows.lines).toHaveLength(30);
  expect(reply.text).toContain('shop ERROR charge 30 failed token=[secret]');
  await server.close();
});

test('a metric query gives series; a wrong one, and too many lines, are told as Loki tells them', async () => {
  const server = await loki(100);
  const signal = open(server.base, { pageLines: 100 });
  expect((await ask(signal, 'loki_query', { query: 'sum by (app) (rate({a="b"}[1m]))' })).rows).toMatchObject(
    {
      kind: 'series',
      series: [
        {
          labels: { app: 'shop' },
          points: [
            [start, 3],
            [start + 40 * minute, 9],
          ],
        },
      ],
    },
  );
  expect(await askQuestion(signal, 'loki_query', { query: 'nonsense' }, window)).toMatchObject({
    reason: 'bad_query',
    message: expect.stringContaining('parse error'),
  });
  const greedy = open(server.base, { pageLines: 5_000 });
  expect(await askQuestion(greedy, 'loki_lines', {}, window)).toMatchObject({
    reason: 'bad_query',
    message: expect.stringContaining('max entries limit'),
  });
  await server.close();
});

// incident.md: gather_evidence 10: what was cut is told.
test('a warning, and a page that fails, are told with the lines that were read', async () => {
  let pages = 0;
  const whole = answerOf();
  const server = await httpDouble((request) => {
    const answer = whole(request);
    if (!request.path.endsWith('query_range') || answer === null || !('json' in answer)) return answer;
    pages++;
    if (pages === 3) return { text: 'too many outstanding requests', status: 500 };
    return { json: { ...(answer.json as object), warnings: ['a querier is away'] } };
  });
  const reply = await ask(open(server.base, { pageLines: 10 }), 'loki_lines', {});
  expect(reply).toMatchObject({
    completeness: 'partial',
    notes: ['Loki: a querier is away', expect.stringMatching(/could not be read: .* answered 500. too many/)],
  });
  expect(reply.rows.kind === 'lines' && reply.rows.lines.length).toBeGreaterThan(10);
  await server.close();
});
