import { expect, test } from 'vitest';
import { manualClock, type Signal, type Span } from '../../core/index.ts';
import { askQuestion, fromNoon, noon, noonWindow as window } from '../asking.contract.ts';
import { type DoubleAnswer, type DoubleRequest, httpDouble } from '../http-double.contract.ts';
import { httpSignalContract } from '../http-signal.contract.ts';
import { chooseSpans, idOf } from './spans.ts';
import { openTempo } from './tempo.ts';
import { type MadeSpan, traceServer } from './trace-double.contract.ts';

const token = 'tempo-token-0123456789';
const hex = (n: number, length: number): string => n.toString(16).padStart(length, '0');

/** Each minute one request over three services; since 12:05 the last of them is slow, and every second one fails. */
const made = Array.from({ length: 60 }, (_, n): readonly MadeSpan[] => {
  const k = n - 30;
  const trace = hex(n + 1, 32);
  const isSlow = k >= 5;
  const fails = isSlow && k % 2 === 0;
  const took = isSlow ? 900 : 40 + n;
  const at = fromNoon(k);
  const failed = fails ? { failed: `pool exhausted with password=hunter2-secret` } : {};
  return [
    { trace, id: hex(n * 8 + 1, 16), service: 'web', name: 'GET /cart', at, took: took + 20, ...failed },
    {
      trace,
      id: hex(n * 8 + 2, 16),
      parent: hex(n * 8 + 1, 16),
      service: 'cart',
      name: 'load cart',
      at: at + 5,
      took: took + 10,
      ...failed,
    },
    {
      trace,
      id: hex(n * 8 + 3, 16),
      parent: hex(n * 8 + 2, 16),
      service: 'stock',
      name: 'SELECT stock',
      at: at + 8,
      took,
      attributes: { 'db.system': 'postgresql', 'db.statement': 'SELECT * FROM stock', 'thread.id': '4' },
      ...failed,
      ...(fails && { stack: 'Error: pool exhausted\n    at take (src/pool.ts:41:9)' }),
    },
  ];
}).flat();

const double = traceServer(made);
function tempo(request: DoubleRequest): DoubleAnswer {
  if (request.path === '/api/status/buildinfo') return double(request);
  if (request.headers.authorization !== `Bearer ${token}`) return { text: 'no org id', status: 401 };
  return double(request);
}

const open = (base: string, own = token, now = fromNoon(90)): Signal =>
  openTempo({
    base,
    fetch,
    clock: manualClock(now),
    authorization: { kind: 'bearer', token: { reveal: () => own } },
  });

httpSignalContract('tempo', {
  answer: tempo,
  open,
  openStranger: (base) => open(base, 'another-token-0123456789'),
  window,
  ask: {
    tempo_spans: { service: 'stock' },
    tempo_rates: {},
    tempo_search: { query: '{ status = error }' },
    tempo_trace: { trace_id: hex(37, 32) },
  },
  plentiful: ['tempo_spans', 'tempo_rates', 'tempo_search', 'tempo_trace'],
  timed: ['tempo_spans', 'tempo_rates', 'tempo_search', 'tempo_trace'],
  secrets: [token, 'hunter2-secret'],
});

const ask = async (signal: Signal, name: string, args: object) => {
  const reply = await askQuestion(signal, name, args, window);
  if (reply.kind === 'failure') throw new Error(`${reply.reason}: ${reply.message}`);
  return reply;
};
const spansIn = async (base: string, name: string, args: object): Promise<readonly Span[]> => {
  const { rows } = await ask(open(base), name, args);
  if (rows.kind !== 'spans') throw new Error(rows.kind);
  return rows.spans;
};

test('failing and slow requests are read whole, with who called whom and what went wrong', async () => {
  const server = await httpDouble(tempo);
  const { rows, notes, completeness, query } = await ask(open(server.base), 'tempo_spans', {
    service: 'stock',
  });
  if (rows.kind !== 'spans') throw new Error(rows.kind);
  const inside = rows.spans.filter(({ at }) => at >= noon);
  expect(new Set(inside.map(({ trace }) => trace)).size).toBe(9);
  expect(inside.filter(({ failed }) => failed)).toHaveLength(15);
  const failed = inside.find(({ failed: isFailed, service }) => isFailed && service === 'stock')!;
  expect(inside.find(({ id, trace }) => id === failed.parent && trace === failed.trace)).toMatchObject({
    service: 'cart',
  });
  expect(failed).toMatchObject({
    name: 'SELECT stock',
    duration_ms: 900,
    attributes: {
      'status.message': 'pool exhausted with password=[secret]',
      'db.system': 'postgresql',
      'exception.stacktrace': expect.stringContaining('src/pool.ts:41:9'),
    },
  });
  expect(failed.attributes).not.toHaveProperty('thread.id');
  // Of the calm two, to know what is usual.
  expect(new Set(rows.spans.filter(({ at }) => at < noon).map(({ trace }) => trace)).size).toBe(2);
  expect([completeness, query]).toEqual([
    'partial',
    'traces of stock that failed or took over 132 ms, 2026-07-11T12:00:00Z to 2026-07-11T12:30:00Z',
  ]);
  expect(notes).toEqual([
    '12 traces failed.',
    '13 traces that did not took over 132 ms. Before it nearly all took less than 88 ms.',
  ]);
  await server.close();
});

test('without a calm before it nobody knows what is slow, and it says so', async () => {
  const server = await httpDouble((request) => {
    if (request.path === '/api/search' && request.query.get('q')!.includes('status != error'))
      return { json: { traces: null } };
    return tempo(request);
  });
  const { notes } = await ask(open(server.base), 'tempo_spans', {});
  expect(notes).toContain('Before the incident there were no traces: which are slow is not known.');
  await server.close();
});

test('rates are zero where nothing failed, and durations have gaps where nothing was measured', async () => {
  const server = await httpDouble(tempo);
  const { rows } = await ask(open(server.base), 'tempo_rates', { service: 'stock' });
  if (rows.kind !== 'series') throw new Error(rows.kind);
  const [errors, took] = ['span_errors_per_second', 'request_duration_p95_seconds'].map(
    (name) => rows.series.find((one) => one.name === name)!,
  );
  expect(errors!.labels).toEqual({ service: 'stock' });
  expect([errors!.points.length, errors!.points.filter(([, value]) => value > 0).length]).toEqual([120, 12]);
  expect(took!.points).toHaveLength(60);
  expect(Math.max(...took!.points.map(([, value]) => value))).toBe(0.9);
  // Steps are of 30 s: the one that began at 12:10 is not over.
  const early = await ask(open(server.base, token, fromNoon(10) + 20_000), 'tempo_rates', {
    service: 'stock',
  });
  if (early.rows.kind !== 'series') throw new Error(early.rows.kind);
  const counted = early.rows.series.find(({ name }) => name === 'span_errors_per_second')!;
  expect(counted.points.at(-1)![0]).toBe(fromNoon(9.5));
  await server.close();
});

test.each<[string, object, string]>([
  ['a trace that is not whole', { status: 'PARTIAL', message: 'trace exceeds max size' }, 'exceeds max size'],
  ['a trace of an old server', { trace: { batches: [] } }, ''],
])('%s', async (_, more, note) => {
  const server = await httpDouble((request) => {
    const answer = tempo(request);
    if (!request.path.startsWith('/api/v2/traces/') || answer === null || !('json' in answer)) return answer;
    return { json: { ...(answer.json as object), ...more } };
  });
  const reply = await ask(open(server.base), 'tempo_trace', { trace_id: '25' });
  if (note !== '')
    expect([reply.completeness, reply.notes[0]]).toEqual(['partial', expect.stringContaining(note)]);
  else expect(reply.rows).toEqual({ kind: 'spans', spans: [] });
  await server.close();
});

test('a trace that is gone is told, and the others are shown', async () => {
  let count = 0;
  const server = await httpDouble((request) =>
    request.path.startsWith('/api/v2/traces/') && count++ === 0
      ? { text: 'trace not found', status: 404 }
      : tempo(request),
  );
  const { notes } = await ask(open(server.base), 'tempo_spans', {});
  expect(notes).toContainEqual(expect.stringMatching(/^1 of 9 traces could not be read: .* 404/));
  await server.close();
});

test('a search shows the service of a span where it is told, and one id however it is written', async () => {
  const server = await httpDouble(tempo);
  const found = await spansIn(server.base, 'tempo_search', { query: '{ status = error }' });
  expect(found[0]).toMatchObject({ trace: hex(37, 32), service: 'web', failed: true, at: fromNoon(6) });
  expect(idOf('W47/95gDgQPSabYzgT/HAA==')).toBe('5b8efff798038103d269b633813fc700');
  expect(idOf('5B8EFFF798038103D269B633813FC700')).toBe('5b8efff798038103d269b633813fc700');
  expect(await askQuestion(open(server.base), 'tempo_search', { query: 'nonsense' }, window)).toMatchObject({
    reason: 'bad_query',
    message: expect.stringContaining('parse error'),
  });
  await server.close();
});

test('of a large trace those that failed and the longest are kept, with their callers', () => {
  const span = (k: number, more: Partial<Span>): Span => ({
    trace: 't',
    id: String(k),
    parent: k === 0 ? null : String(Math.floor((k - 1) / 2)),
    service: 's',
    name: 'n',
    at: k,
    duration_ms: 1,
    failed: false,
    attributes: {},
    ...more,
  });
  const spans = Array.from({ length: 1_000 }, (_, k) =>
    span(k, k === 998 ? { failed: true } : k === 500 ? { duration_ms: 70 } : {}),
  );
  const kept = chooseSpans(spans, 40);
  const ids = new Set(kept.map(({ id }) => id));
  expect([ids.has('998'), ids.has('500')]).toEqual([true, true]);
  expect(kept.every(({ parent }) => parent === null || ids.has(parent))).toBe(true);
  expect(kept.length).toBeLessThan(60);
});
