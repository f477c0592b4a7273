/** Prometheus and Alertmanager as doubles that answer in the shapes of their documentation; the real ones: the long tests. */
import { expect, test } from 'vitest';
import { manualClock, type Signal } from '../../core/index.ts';
import { openAlertmanager } from '../alertmanager/alertmanager.ts';
import { askQuestion } from '../asking.contract.ts';
import { type DoubleAnswer, type DoubleRequest, httpDouble } from '../http-double.contract.ts';
import { httpSignalContract } from '../http-signal.contract.ts';
import { openPrometheus } from './prometheus.ts';

const start = Date.UTC(2026, 6, 11, 12);
const minute = 60_000;
const window = {
  from: start + 30 * minute,
  to: start + 60 * minute,
  baseline_from: start,
  derivation: 'a test',
};
const password = 'prometheus-password';
const authorization = {
  kind: 'basic',
  user: 'reader',
  password: { reveal: () => password },
} as const;
const allowed = `Basic ${Buffer.from(`reader:${password}`).toString('base64')}`;
const stranger = { kind: 'basic', user: 'reader', password: { reveal: () => 'another-one' } } as const;

const ok = (data: unknown): DoubleAnswer => ({ json: { status: 'success', data } });

/** A gauge that stands at 1 and goes to 9 half an hour in; one value is no number. */
const pairs = (from: number, to: number, step: number): [number, string][] => {
  const points: [number, string][] = [];
  for (let at = Math.max(from, start / 1_000); at <= to; at += step)
    points.push([at, at * 1_000 < window.from ? '1' : points.length % 50 === 49 ? 'NaN' : '9']);
  return points;
};

function answer({ path, query, headers }: DoubleRequest): DoubleAnswer {
  if (headers.authorization !== allowed) return { text: 'Unauthorized\n', status: 401 };
  if (path === '/api/v1/status/buildinfo') return ok({ version: '2.53.1', revision: 'x' });
  const asked = query.get('query') ?? '';
  const wrong = { json: { status: 'error', errorType: 'bad_data', error: 'parse error' }, status: 400 };
  const metric = { __name__: 'queue_depth', job: 'shop', note: 'token=abc-secret-123' };
  if (path === '/api/v1/query_range') {
    if (asked.includes('(((')) return wrong;
    const [from, to, step] = ['start', 'end', 'step'].map((name) => Number(query.get(name)));
    if ((to! - from!) / step! > 11_000)
      return { json: { status: 'error', errorType: 'bad_data', error: 'exceeded maximum' }, status: 400 };
    return ok({ resultType: 'matrix', result: [{ metric, values: pairs(from!, to!, step!) }] });
  }
  if (path === '/api/v1/query') {
    const at = Number(query.get('time') ?? start / 1_000);
    if (asked === 'scalar(1)') return ok({ resultType: 'scalar', result: [at, '1'] });
    return ok({
      resultType: 'vector',
      result: at * 1_000 < start ? [] : [{ metric, value: [at, '9'] }],
    });
  }
  if (path === '/api/v1/series') return ok([metric, { __name__: 'up', job: 'shop' }]);
  if (path === '/api/v1/labels') return ok(['__name__', 'job']);
  if (path === '/api/v1/label/__name__/values') return ok(['queue_depth', 'up']);
  if (path === '/api/v1/rules')
    return ok({
      groups: [
        {
          name: 'shop',
          rules: [
            { name: 'QueueDeep', query: 'queue_depth > 5', type: 'alerting', state: 'firing', alerts: [{}] },
            { name: 'shop:up:sum', query: 'sum(up)', type: 'recording', health: 'ok' },
          ],
        },
      ],
    });
  if (path === '/api/v1/alerts')
    return ok({
      alerts: [
        {
          labels: { alertname: 'QueueDeep', service: 'shop' },
          annotations: { summary: 'the queue is deep' },
          state: 'firing',
          activeAt: new Date(window.from).toISOString(),
        },
        { labels: {}, annotations: {}, state: 'pending', activeAt: 'never' },
      ],
    });
  return null;
}

const open = (base: string, more = {}): Signal =>
  openPrometheus({ base, fetch, clock: manualClock(start), authorization, ...more });

httpSignalContract('prometheus', {
  answer,
  open,
  openStranger: (base) => open(base, { authorization: stranger }),
  window,
  ask: {
    prometheus_range: { query: 'queue_depth' },
    prometheus_instant: { query: 'queue_depth' },
    prometheus_series: { match: 'queue_depth' },
    prometheus_labels: { label: '__name__' },
    prometheus_rules: {},
    prometheus_alerts: {},
  },
  timed: ['prometheus_range', 'prometheus_instant', 'prometheus_series', 'prometheus_labels'],
  secrets: [password],
});

const ask = async (signal: Signal, name: string, args: unknown) => {
  const reply = await askQuestion(signal, name, args, window);
  if (reply.kind === 'failure') throw new Error(`${reply.reason}: ${reply.message}`);
  return reply;
};

test('a range has its onset, and says how many values were no numbers', async () => {
  const server = await httpDouble(answer);
  const { rows, notes } = await ask(open(server.base), 'prometheus_range', { query: 'queue_depth' });
  if (rows.kind !== 'series') throw new Error(rows.kind);
  expect(rows.series).toHaveLength(1);
  expect(rows.series[0]?.name).toBe('queue_depth');
  expect(notes?.join(' ')).toMatch(/\d values were no finite numbers/);
  await server.close();
});

test('a peak of one scrape is seen where the series are few, and no step was asked for', async () => {
  const peak = start + 40 * minute + 15_000;
  const labels = (count: number) => Array.from({ length: count }, (_, n) => ({ __name__: 'q', n: `${n}` }));
  const seen = async (count: number, step?: number): Promise<number> => {
    const server = await httpDouble(({ query }) => {
      const [from, to, by] = ['start', 'end', 'step'].map((name) => Number(query.get(name)));
      const values = Array.from({ length: Math.floor((to! - from!) / by!) }, (_, k) => {
        const at = from! + k * by!;
        return [at, at * 1_000 >= peak && at * 1_000 < peak + 15_000 ? '180' : '4'];
      });
      return ok({ resultType: 'matrix', result: labels(count).map((metric) => ({ metric, values })) });
    });
    const reply = await askQuestion(
      open(server.base),
      'prometheus_range',
      { query: 'q', ...(step !== undefined && { step_seconds: step }) },
      { ...window, baseline_from: start - 180 * minute },
    );
    await server.close();
    if (reply.kind === 'failure' || reply.rows.kind !== 'series') throw new Error(reply.kind);
    return Math.max(...reply.rows.series.flatMap(({ points }) => points.map(([, value]) => value)));
  };
  expect([await seen(1, 60), await seen(1), await seen(9)]).toEqual([4, 180, 4]);
});

test.each([1, 0.001, 600])('a step of %d s stays within what the server allows', async (step_seconds) => {
  const server = await httpDouble(answer);
  const { rows } = await ask(open(server.base), 'prometheus_range', { query: 'x', step_seconds });
  expect(rows.kind).toBe('series');
  const step = Number(server.requests.find(({ path }) => path === '/api/v1/query_range')?.query.get('step'));
  expect(step).toBeGreaterThanOrEqual(Math.max(1, Math.min(step_seconds, 600)) * 0.99);
  await server.close();
});

test('a selector alone shows counters as rates, across a restart, and nothing of the scrapes; a function does not', async () => {
  const at = (k: number) => start / 1_000 + 60 * k;
  const of = (name: string, values: readonly number[]) => ({
    metric: { __name__: name, job: 'shop' },
    values: values.map((value, k) => [at(k), String(value)]),
  });
  const double = await httpDouble(({ path }) =>
    path === '/api/v1/query_range'
      ? ok({
          resultType: 'matrix',
          result: [
            of('orders_total', [600, 720, 840, 60]),
            of('queue_depth', [4, 5, 4, 5]),
            of('scrape_duration_seconds', [1, 2, 3, 4]),
          ],
        })
      : { text: '', status: 404 },
  );
  const signal = openPrometheus({ base: double.base, fetch, clock: manualClock(window.to) });
  const seriesOf = async (query: string) => {
    const { rows, notes } = await ask(signal, 'prometheus_range', { query });
    if (rows.kind !== 'series') throw new Error(rows.kind);
    return { all: rows.series.map(({ name, points }) => [name, points.map(([, value]) => value)]), notes };
  };
  const rated = await seriesOf('{job="shop"}');
  expect(rated.all).toContainEqual(['orders_per_second', [2, 2, 1]]);
  expect(rated.all).toContainEqual(['queue_depth', [4, 5, 4, 5]]);
  expect(rated.all).toHaveLength(2);
  expect(rated.notes?.join()).toMatch(/increase per second/);
  expect((await seriesOf('sum by (job) ({job="shop"})')).all).toHaveLength(3);
  await double.close();
});

test('alerts carry the expression of their rule, and go without it where rules are away', async () => {
  let rulesAway = false;
  const server = await httpDouble((request) =>
    rulesAway && request.path === '/api/v1/rules' ? { text: 'no', status: 500 } : answer(request),
  );
  const [with_, without] = [[], []].map(() => ask(open(server.base), 'prometheus_alerts', {}));
  await with_;
  const { rows } = await without!;
  if (rows.kind !== 'alerts') throw new Error(rows.kind);
  expect(rows.alerts).toMatchObject([
    { name: 'QueueDeep', state: 'firing', since: window.from, query: 'queue_depth > 5' },
    { name: 'alert', state: 'pending', since: null, query: null },
  ]);
  rulesAway = true;
  const later = await ask(open(server.base), 'prometheus_alerts', {});
  expect(later.notes).toContain('The rules could not be read.');
  await server.close();
});

test('rules and labels are narrowed by a text', async () => {
  const server = await httpDouble(answer);
  const rules = await ask(open(server.base), 'prometheus_rules', { contains: 'queue_depth' });
  expect(rules.rows).toMatchObject({
    kind: 'table',
    rows: [{ name: 'QueueDeep', group: 'shop', active: 1 }],
  });
  const labels = await ask(open(server.base), 'prometheus_labels', { label: '__name__', contains: 'up' });
  expect(labels.rows).toMatchObject({ rows: [{ __name__: 'up' }] });
  await server.close();
});

test('one that does not tell its version is healthy where it answers', async () => {
  const server = await httpDouble((request) =>
    request.path === '/api/v1/status/buildinfo' ? null : answer(request),
  );
  const signal = open(server.base);
  expect(await signal.health()).toMatchObject({
    kind: 'healthy',
  });
  await server.close();
});

const alertmanagerAnswer = ({ path, headers }: DoubleRequest): DoubleAnswer => {
  if (headers.authorization !== allowed) return { text: 'Unauthorized\n', status: 401 };
  if (path === '/api/v2/status') return { json: { versionInfo: { version: '0.27.0' } } };
  const starts = new Date(window.from).toISOString();
  if (path === '/api/v2/alerts')
    return {
      json: [
        {
          labels: { alertname: 'QueueDeep', service: 'shop' },
          annotations: { summary: 'the queue is deep' },
          startsAt: starts,
          endsAt: new Date(window.to).toISOString(),
          generatorURL: 'http://prometheus/graph?g0.expr=queue_depth+%3E+5&g0.tab=1',
          receivers: [{ name: 'page' }],
          status: { state: 'suppressed', silencedBy: ['silence-1'], inhibitedBy: [] },
        },
        {
          labels: {},
          annotations: {},
          startsAt: 'never',
          endsAt: new Date(start - minute).toISOString(),
          status: { state: 'active' },
        },
      ],
    };
  if (path === '/api/v2/silences') {
    const silence = (id: string, startsAt: number, endsAt: number) => ({
      id,
      startsAt: new Date(startsAt).toISOString(),
      endsAt: new Date(endsAt).toISOString(),
      createdBy: 'ines',
      comment: 'known',
      status: { state: 'active' },
      matchers: [
        { name: 'service', value: 'shop', isRegex: false, isEqual: true },
        { name: 'severity', value: 'a|b', isRegex: true, isEqual: false },
      ],
    });
    return {
      json: [
        silence('silence-1', window.from, window.to),
        silence('of-last-year', start - 2 * minute, start - minute),
      ],
    };
  }
  return null;
};
const openManager = (base: string, more = {}): Signal =>
  openAlertmanager({ base, fetch, clock: manualClock(start), authorization, ...more });

httpSignalContract('alertmanager', {
  answer: alertmanagerAnswer,
  open: openManager,
  openStranger: (base) => openManager(base, { authorization: stranger }),
  window,
  ask: { alertmanager_alerts: {}, alertmanager_silences: {} },
  timed: [],
  secrets: [password],
});

test('an alert says who silenced it, who is told, and the expression of its rule', async () => {
  const server = await httpDouble(alertmanagerAnswer);
  const { rows } = await ask(openManager(server.base), 'alertmanager_alerts', {
    matchers: ['service="shop"'],
  });
  if (rows.kind !== 'alerts') throw new Error(rows.kind);
  expect(rows.alerts).toMatchObject([
    {
      state: 'firing',
      since: window.from,
      query: 'queue_depth > 5',
      annotations: { silenced_by: 'silence-1', receivers: 'page' },
    },
    { name: 'alert', state: 'resolved', since: null, query: null },
  ]);
  expect(server.requests[0]?.query.getAll('filter')).toEqual(['service="shop"']);
  await server.close();
});

test('silences are those in force in the window, with their matchers as people write them', async () => {
  const server = await httpDouble(alertmanagerAnswer);
  const { rows } = await ask(openManager(server.base), 'alertmanager_silences', {});
  expect(rows).toMatchObject({
    kind: 'table',
    rows: [{ id: 'silence-1', by: 'ines', matchers: 'service="shop", severity!~"a|b"' }],
  });
  await server.close();
});
