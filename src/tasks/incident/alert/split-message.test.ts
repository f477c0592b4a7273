import { expect, it } from 'vitest';
import type { Alert } from './alert.ts';
import { isBrokenJson, readAlerts } from './split-message.ts';

const alertmanager = {
  version: '4',
  groupKey: '{}:{alertname="HighErrorRate"}',
  status: 'firing',
  receiver: 'sonde',
  commonLabels: { alertname: 'HighErrorRate', service: 'orders', severity: 'CRITICAL' },
  commonAnnotations: { summary: 'orders fails' },
  externalURL: 'http://alertmanager:9093',
  alerts: [
    {
      status: 'firing',
      labels: { alertname: 'HighErrorRate', service: 'orders', namespace: 'shop', severity: 'CRITICAL' },
      annotations: { summary: 'orders fails', description: 'more than 5%' },
      startsAt: '2026-03-05T10:24:00Z',
      endsAt: '0001-01-01T00:00:00Z',
      generatorURL:
        'http://prometheus:9090/graph?g0.expr=rate%28http_errors_total%7Bservice%3D%22orders%22%7D%5B5m%5D%29+%3E+0.05&g0.tab=1',
      fingerprint: 'c0ffee0123456789',
    },
    {
      status: 'resolved',
      labels: { alertname: 'Old' },
      annotations: {},
      startsAt: '2026-03-05T09:00:00Z',
      endsAt: '2026-03-05T09:30:00Z',
      fingerprint: 'beef',
    },
  ],
};

const first = (sent: unknown): Alert =>
  readAlerts(typeof sent === 'string' ? sent : JSON.stringify(sent))[0]!;

// incident.md: extract_alert 2.
it.each<[string, unknown, Partial<Alert>]>([
  [
    'labels and annotations of a group, without a list of its alerts',
    {
      title: 'Connections of payments',
      state: 'alerting',
      commonLabels: {
        alertname: 'ConnectionsHigh',
        severity: 'critical',
        service: 'payments',
        namespace: 'shop',
      },
      commonAnnotations: { summary: '98 % in use', error: 'no slot is left' },
    },
    {
      name: 'ConnectionsHigh',
      source: 'alertmanager',
      state: 'firing',
      severity: 'critical',
      service: 'payments',
      namespace: 'shop',
      summary: '98 % in use',
      error: 'no slot is left',
      started: null,
    },
  ],
  [
    'the same when it is over',
    { state: 'ok', commonLabels: { alertname: 'ConnectionsHigh' } },
    { name: 'ConnectionsHigh', state: 'resolved' },
  ],
  [
    'Alertmanager',
    alertmanager,
    {
      name: 'HighErrorRate',
      source: 'alertmanager',
      state: 'firing',
      service: 'orders',
      namespace: 'shop',
      severity: 'critical',
      query: 'rate(http_errors_total{service="orders"}[5m]) > 0.05',
      metric: 'http_errors_total',
      started: Date.parse('2026-03-05T10:24:00Z'),
      ended: null,
      fingerprint: 'c0ffee0123456789',
      summary: 'orders fails — more than 5%',
    },
  ],
  [
    'Grafana',
    { ...alertmanager, orgId: 1, title: '[FIRING:1] x', state: 'alerting' },
    { source: 'grafana', service: 'orders' },
  ],
  [
    'one of the list that Alertmanager gives when it is asked',
    [
      {
        labels: { alertname: 'SeatErrors', service: 'seats', instance: 'a:1', severity: 'page' },
        annotations: { summary: 'half of the bookings fail' },
        startsAt: '2026-03-05T10:24:00Z',
        endsAt: '2026-03-05T10:30:00Z',
        fingerprint: 'f00d',
        status: { state: 'active', silencedBy: [], inhibitedBy: [] },
      },
    ],
    {
      name: 'SeatErrors',
      service: 'seats',
      severity: 'page',
      summary: 'half of the bookings fail',
      state: 'firing',
      started: Date.parse('2026-03-05T10:24:00Z'),
      fingerprint: 'f00d',
    },
  ],
  [
    'one of the list of Prometheus',
    {
      labels: { alertname: 'SeatErrors', job: 'seats' },
      annotations: { summary: 'half of the bookings fail' },
      state: 'firing',
      activeAt: '2026-03-05T10:24:00Z',
      value: '1e+00',
    },
    { name: 'SeatErrors', service: 'seats', started: Date.parse('2026-03-05T10:24:00Z'), state: 'firing' },
  ],
  [
    'plain JSON that names itself beside its labels',
    { title: 'bookings fail', service: 'seats', labels: { alertname: 'SeatErrors' } },
    { name: 'bookings fail', service: 'seats', source: 'json' },
  ],
  [
    'the old Grafana',
    {
      ruleName: 'p99',
      title: '[Alerting] p99',
      state: 'alerting',
      message: 'slow',
      evalMatches: [{ metric: 'http_p99', value: 3, tags: { app: 'orders' } }],
    },
    { source: 'grafana', name: 'p99', service: 'orders', metric: 'http_p99', state: 'firing' },
  ],
  [
    'PagerDuty, webhook',
    {
      event: {
        id: 'e',
        event_type: 'incident.triggered',
        occurred_at: '2026-03-05T10:24:00Z',
        data: {
          id: 'P1',
          type: 'incident',
          title: 'orders is down',
          urgency: 'high',
          status: 'triggered',
          incident_key: 'k1',
          service: { summary: 'orders' },
        },
      },
    },
    {
      source: 'pagerduty',
      name: 'orders is down',
      severity: 'high',
      service: 'orders',
      started: Date.parse('2026-03-05T10:24:00Z'),
    },
  ],
  [
    'PagerDuty, resolved',
    { event: { event_type: 'incident.resolved', data: { title: 'orders is down', status: 'resolved' } } },
    { state: 'resolved' },
  ],
  [
    'PagerDuty, event',
    {
      routing_key: 'R0123456789abcdef',
      event_action: 'trigger',
      dedup_key: 'd',
      payload: {
        summary: 'queue is full',
        severity: 'error',
        source: 'host-3',
        component: 'mailer',
        timestamp: '2026-03-05T10:24:00Z',
      },
    },
    { source: 'pagerduty', service: 'mailer', severity: 'error', summary: 'queue is full' },
  ],
  [
    'plain JSON',
    {
      service: 'productdb',
      metric: 'db_cpu',
      threshold: 85,
      fired_at: '2026-03-05T10:24:00Z',
      severity: 'critical',
      monitor: 'db-cpu',
      summary: 'cpu is high',
    },
    {
      source: 'json',
      name: 'db-cpu',
      service: 'productdb',
      metric: 'db_cpu',
      started: Date.parse('2026-03-05T10:24:00Z'),
    },
  ],
  ['plain JSON, over', { name: 'x', status: 'OK' }, { source: 'json', state: 'resolved' }],
  [
    'text',
    'CRITICAL service=orders p99 is 4 s since 2026-03-05 10:24',
    {
      source: 'text',
      service: 'orders',
      severity: 'critical',
      state: 'firing',
      started: Date.parse('2026-03-05T10:24:00Z'),
    },
  ],
  ['broken JSON', '{"alerts": [', { source: 'text', state: 'firing' }],
  ['an empty list', '[]', { source: 'text' }],
  ['a number', '7', { source: 'text', name: '7' }],
])('%s', (_, sent, expected) => {
  expect(first(sent)).toMatchObject(expected);
});

it('tells of every alert in a message', () => {
  expect(readAlerts(JSON.stringify(alertmanager)).map(({ name, state }) => [name, state])).toEqual([
    ['HighErrorRate', 'firing'],
    ['Old', 'resolved'],
  ]);
});

it('masks secrets before anything else', () => {
  const [alert] = readAlerts(
    JSON.stringify({
      name: 'x',
      service: 'a',
      summary: 'login with password=hunter2secret failed',
      token: 'ghp_0123456789abcdefghij0123',
    }),
  );
  expect(JSON.stringify(alert)).not.toMatch(/hunter2|ghp_0123/);
});

it('one trouble has one fingerprint, whenever it is told', () => {
  const sent = (at: string, observed: number) =>
    first({ monitor: 'm', service: 's', metric: 'x', fired_at: at, observed }).fingerprint;
  expect(sent('2026-03-05T10:24:00Z', 7)).toBe(sent('2026-03-05T11:59:00Z', 9));
  expect(first('disk 91% full on a').fingerprint).toBe(first('disk 97% full on a').fingerprint);
  expect(first('disk 91% full on a').fingerprint).not.toBe(first('disk 91% full on b').fingerprint);
});

it.each([
  ['{"a":', true],
  ['[{"labels": {}}, ', true],
  [`  ${JSON.stringify(alertmanager)}`.slice(0, 300), true],
  [JSON.stringify(alertmanager), false],
  ['[critical] orders is slow', false],
  ['{{ .Labels }} was not filled in', false],
  ['{}', false],
  ['', false],
])('%j is JSON that is not whole: %s', (sent, broken) => {
  expect(isBrokenJson(sent)).toBe(broken);
});

it.each<[string, unknown, Partial<Alert>]>([
  [
    'an issue of Sentry',
    {
      action: 'triggered',
      actor: { name: 'Sentry' },
      data: { event: { title: 'TypeError: x', level: 'error', datetime: '2026-11-22T17:01:00Z' } },
    },
    { name: 'TypeError: x', severity: 'error', state: 'firing', started: Date.UTC(2026, 10, 22, 17, 1) },
  ],
  [
    'a metric of Sentry that is well again',
    { action: 'resolved', data: { metric_alert: { title: 'p95 of checkout' }, description_text: 'below' } },
    { name: 'p95 of checkout', state: 'resolved' },
  ],
  [
    'Azure',
    { schemaId: 's', data: { essentials: { alertRule: 'cpu high', monitorCondition: 'Resolved' } } },
    { name: 'cpu high', state: 'resolved' },
  ],
  [
    'Google Cloud',
    { incident: { policy_name: 'Uptime', state: 'open', summary: 'down' }, version: '1.2' },
    { name: 'Uptime', state: 'firing', summary: 'down' },
  ],
  [
    'Opsgenie',
    { action: 'Create', alert: { message: 'Queue is full', tags: ['a'] } },
    { name: 'Queue is full' },
  ],
  ['an event of another', { project_name: 'shop', event: { title: 'KeyError' } }, { name: 'KeyError' }],
  ['a message without alerts', { alerts: [], groupLabels: { alertname: 'Gone' } }, { name: 'Gone' }],
  ['a name of its own before one within', { title: 'Mine', data: { title: 'Other' } }, { name: 'Mine' }],
  ['no name but that of a person', { sender: { name: 'Ann' }, n: { m: 1 } }, { name: 'alert' }],
])('what wraps an alert: %s', (_, sent, expected) => {
  expect(first(sent)).toMatchObject(expected);
});

it('objects on a line each are an alert each', () => {
  const lines = ['a', 'b'].map((title) => JSON.stringify({ title, service: 's' }));
  expect(readAlerts(`${lines.join('\n')}\n`).map(({ name }) => name)).toEqual(['a', 'b']);
  expect(readAlerts(`${lines[0]}\n{"title": broken}`)).toHaveLength(1);
  expect(readAlerts(`{\n${lines[0]}\n}`)).toHaveLength(1);
});
