import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findOnset } from '../../core/incidents.ts';
import { type IncidentWindow, type Observation, type Signal, systemClock } from '../../core/index.ts';
import { expressionOf, openAlertmanager } from '../alertmanager/alertmanager.ts';
import { contractLimits } from '../asking.contract.ts';
import { replyIfAuthorized } from '../http-double.contract.ts';
import { httpSignalContract } from '../http-signal.contract.ts';
import { eventually, missingPrograms } from '../real-server.contract.ts';
import { openPrometheus } from './prometheus.ts';
import { seriesOf } from './reply.ts';
import { startWatchedService, type WatchedService } from './servers.contract.ts';

const programs = ['prometheus', 'promtool', 'prometheus-alertmanager'];
const open = (base: string): Signal => openPrometheus({ base, fetch, clock: systemClock });
const openAlerts = (base: string): Signal => openAlertmanager({ base, fetch, clock: systemClock });

const minute = 60_000;
/** Six hours that ended two days ago, whole minutes. */
const end = Math.floor(Date.now() / minute) * minute - 2 * 24 * 60 * minute;
const history: IncidentWindow = {
  from: end - 180 * minute,
  to: end,
  baseline_from: end - 360 * minute,
  derivation: 'history that was made',
};
const changedAt = end - 90 * minute;

/** Latency of three services; that of one leaves its calm at a known time. */
function openMetrics(): string {
  const lines = ['# TYPE latency_ms gauge'];
  for (const service of ['cart', 'shop', 'web'])
    for (let at = history.baseline_from; at < end; at += minute) {
      const slow = service === 'shop' && at >= changedAt ? 40 * ((at - changedAt) / minute + 1) : 0;
      lines.push(`latency_ms{service="${service}"} ${100 + ((at / minute) % 7) + slow} ${at / 1_000}`);
    }
  return `${lines.join('\n')}\n# EOF\n`;
}

describe.skipIf(missingPrograms(...programs) !== null)('a real Prometheus and Alertmanager', () => {
  let watched: WatchedService;
  beforeAll(async () => {
    watched = await startWatchedService(openMetrics());
  });
  afterAll(() => watched?.close());

  const see = async (
    signal: Signal,
    name: string,
    args: unknown,
    window: IncidentWindow,
  ): Promise<Observation> => {
    const reply = await signal.questions
      .find((one) => one.name === name)!
      .ask(args, { window, limits: contractLimits });
    if (reply.kind === 'failure') throw new Error(`${reply.reason}: ${reply.message}`);
    return reply;
  };

  const token = 'prom-token-0123456789';
  const lent = (own: string) => ({ kind: 'bearer', token: { reveal: () => own } }) as const;
  const common = { fetch, clock: systemClock };

  httpSignalContract('prometheus', {
    answer: replyIfAuthorized(token, () => watched.prometheus),
    open: (base) => openPrometheus({ ...common, base, authorization: lent(token) }),
    openStranger: (base) => openPrometheus({ ...common, base, authorization: lent('another-token') }),
    window: history,
    ask: {
      prometheus_range: { query: 'latency_ms' },
      prometheus_instant: { query: 'latency_ms' },
      prometheus_series: { match: 'latency_ms' },
      prometheus_labels: { label: 'service' },
      prometheus_rules: { contains: 'shop' },
      prometheus_alerts: {},
    },
    plentiful: ['prometheus_range', 'prometheus_instant', 'prometheus_series'],
    timed: ['prometheus_range', 'prometheus_instant', 'prometheus_series', 'prometheus_labels'],
    secrets: [token],
  });

  httpSignalContract('alertmanager', {
    answer: replyIfAuthorized(token, () => watched.alertmanager),
    open: (base) => openAlertmanager({ ...common, base, authorization: lent(token) }),
    openStranger: (base) => openAlertmanager({ ...common, base, authorization: lent('another-token') }),
    window: history,
    ask: { alertmanager_alerts: { matchers: ['severity="page"'] }, alertmanager_silences: {} },
    timed: [],
    secrets: [token],
  });

  test('history shows which series changed, and when', async () => {
    const { rows, text, query } = await see(
      open(watched.prometheus),
      'prometheus_range',
      { query: 'latency_ms', step_seconds: 60 },
      history,
    );
    expect(query).toContain('latency_ms from ');
    if (rows.kind !== 'series') throw new Error(rows.kind);
    // The one that changed comes first.
    expect(rows.series.map(({ labels }) => labels['service'])).toEqual(['shop', 'cart', 'web']);
    const onset = findOnset(rows.series[0]!.points)!;
    expect(onset.direction).toBe('up');
    expect(Math.abs(onset.at - changedAt)).toBeLessThanOrEqual(minute);
    expect(text).toMatch(/latency_ms\{.*service="shop"\}: up since /);
  });

  test.each([
    ['prometheus_range', { query: 'sum(' }, 'bad_query'],
    ['prometheus_instant', { query: 'no_such_function(x)' }, 'bad_query'],
    ['prometheus_labels', { label: '../../x' }, 'bad_query'],
  ])('%s %j is %s', async (name, args, reason) => {
    const question = open(watched.prometheus).questions.find((one) => one.name === name)!;
    expect(await question.ask(args, { window: history, limits: contractLimits })).toMatchObject({
      kind: 'failure',
      reason,
    });
  });

  test('a service fails, an alert fires, the webhook arrives, and the range query shows it', async () => {
    watched.fail();
    const hook = await eventually(async () => watched.webhooks[0] ?? null, 'the webhook');
    const expression = expressionOf(hook.alerts[0]!.generatorURL);
    expect(hook.alerts[0]).toMatchObject({ status: 'firing', labels: { alertname: 'ShopFails' } });
    expect(expression).toBe('shop_failing{region="eu"} > 0');
    const now = Date.now();
    const window = {
      from: now - minute,
      to: now + 1,
      baseline_from: now - 2 * minute,
      derivation: 'the alert',
    };
    const prometheus = open(watched.prometheus);
    const range = await see(
      prometheus,
      'prometheus_range',
      { query: expression!.replace(' > 0', ''), step_seconds: 1 },
      window,
    );
    if (range.rows.kind !== 'series') throw new Error(range.rows.kind);
    const values = range.rows.series[0]!.points.map(([, value]) => value);
    expect([values[0], values.at(-1)]).toEqual([0, 1]);
    const firing = { alerts: [{ name: 'ShopFails', state: 'firing', query: expression }] };
    expect((await see(prometheus, 'prometheus_alerts', {}, window)).rows).toMatchObject(firing);
    expect(
      (await see(openAlerts(watched.alertmanager), 'alertmanager_alerts', {}, window)).rows,
    ).toMatchObject(firing);
  });

  test('a silence is read', async () => {
    const now = Date.now();
    await fetch(`${watched.alertmanager}/api/v2/silences`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        matchers: [{ name: 'alertname', value: 'Shop.*', isRegex: true, isEqual: true }],
        startsAt: new Date(now).toISOString(),
        endsAt: new Date(now + 10 * minute).toISOString(),
        createdBy: 'ann',
        comment: 'we are on it',
      }),
    });
    const window = {
      from: now - minute,
      to: now + minute,
      baseline_from: now - 2 * minute,
      derivation: 'now',
    };
    const { rows } = await see(openAlerts(watched.alertmanager), 'alertmanager_silences', {}, window);
    expect(rows).toMatchObject({
      rows: [{ matchers: 'alertname=~"Shop.*"', by: 'ann', comment: 'we are on it' }],
    });
  });
});

test('values that are no numbers are counted, a scalar is a series, and an expression names what has no name', () => {
  const matrix = {
    resultType: 'matrix',
    result: [
      {
        metric: { job: 'x' },
        values: [
          [1, '1'],
          [2, 'NaN'],
          [3, '+Inf'],
        ],
      },
    ],
  } as const;
  expect(seriesOf(matrix as never, 'a / b')).toEqual({
    series: [{ name: 'a / b', labels: { job: 'x' }, points: [[1_000, 1]] }],
    dropped: 2,
  });
  expect(seriesOf({ resultType: 'scalar', result: [1.5, '7'] }, '7').series).toEqual([
    { name: '7', labels: {}, points: [[1_500, 7]] },
  ]);
});
