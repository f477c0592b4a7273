/** Each sender's form as its maker publishes it. */
import { describe, expect, it } from 'vitest';
import type { Alert } from '../alert.ts';
import { groupKey } from '../group-key.ts';
import { readAlerts, splitMessage } from '../split-message.ts';

const alarm = {
  AlarmName: 'orders-5xx',
  AlarmDescription: 'Too many errors behind the load balancer',
  AWSAccountId: '123456789012',
  NewStateValue: 'ALARM',
  NewStateReason: 'Threshold Crossed: 1 datapoint [42.0] was greater than the threshold (10.0).',
  StateChangeTime: '2026-03-05T10:24:05.000+0000',
  Region: 'EU (Ireland)',
  AlarmArn: 'arn:aws:cloudwatch:eu-west-1:123456789012:alarm:orders-5xx',
  OldStateValue: 'OK',
  Trigger: {
    MetricName: 'HTTPCode_Target_5XX_Count',
    Namespace: 'AWS/ApplicationELB',
    StatisticType: 'Statistic',
    Dimensions: [
      { value: 'app/orders/50dc6c495c0c9188', name: 'LoadBalancer' },
      { value: 'orders', name: 'ServiceName' },
    ],
    Period: 60,
    Threshold: 10,
  },
};
const sns = (message: unknown, more: object = {}) => ({
  Type: 'Notification',
  MessageId: '95df01b4-ee98-5cb9-9903-4c221d41eb5e',
  TopicArn: 'arn:aws:sns:eu-west-1:123456789012:alarms',
  Subject: 'ALARM: "orders-5xx" in EU (Ireland)',
  Message: typeof message === 'string' ? message : JSON.stringify(message),
  Timestamp: '2026-03-05T10:24:06.000Z',
  SignatureVersion: '1',
  Signature: 'RXhhbXBsZQ==',
  ...more,
});
const opsgenie = (action: string, more: object = {}) => ({
  action,
  alert: {
    alertId: '052652ac-5d1c-464a-812a-7dd18bbfba8c',
    message: 'Disk of db-1 is nearly full',
    tags: ['env:prod', 'CRITICAL'],
    tinyId: '1791',
    entity: 'db-1',
    alias: 'disk-db-1',
    createdAt: 1_772_706_240_000,
    updatedAt: 1_772_706_250_000_000_000,
    username: 'Alert API',
    priority: 'P2',
    source: 'nagios',
    details: { service: 'payments', mount: '/var/lib' },
    ...more,
  },
  source: { name: '', type: 'API' },
  integrationName: 'sonde',
  integrationId: 'c1d92cf0',
  integrationType: 'Webhook',
});
const datadog = (title: string, more: object = {}) => ({
  body: 'errors above 5 %\n@webhook-sonde',
  last_updated: '1772706240000',
  event_type: 'query_alert_monitor',
  title,
  date: '1772706240000',
  org: { id: '11023', name: 'shop' },
  id: '7891234567',
  ...more,
});
const issue = {
  id: '1170820242',
  shortId: 'ORDERS-12',
  title: "TypeError: Cannot read properties of undefined (reading 'id')",
  culprit: 'app/orders in place',
  level: 'error',
  status: 'unresolved',
  project: { id: '1', name: 'Orders', slug: 'orders', platform: 'node' },
  metadata: { type: 'TypeError', value: "Cannot read properties of undefined (reading 'id')" },
  firstSeen: '2026-03-05T10:24:00.000Z',
  lastSeen: '2026-03-05T10:30:00.000Z',
};
const sentry = (action: string, data: object) => ({
  action,
  installation: { uuid: 'a8e5d37a-696c-4c54-adb5-b3f28d64c7de' },
  data,
  actor: { type: 'application', id: 'sentry', name: 'Sentry' },
});
const pagerduty = (event_type: string, data: object = {}) => ({
  event: {
    id: '01DEN4HPBQAAAG05V5QQYBRZMF',
    event_type,
    resource_type: 'incident',
    occurred_at: '2026-03-05T10:24:00Z',
    data: {
      id: 'PGR0VU2',
      type: 'incident',
      title: 'p99 of checkout above 2 s',
      status: 'triggered',
      incident_key: 'd3640fbd41094207a1c11e58e46b1662',
      service: { id: 'PF9KMXH', summary: 'checkout', type: 'service_reference' },
      urgency: 'high',
      ...data,
    },
  },
});

const began = Date.parse('2026-03-05T10:24:00Z');
const only = (sent: unknown): Alert => {
  const alerts = readAlerts(JSON.stringify(sent));
  expect(alerts).toHaveLength(1);
  return alerts[0]!;
};

it.each<[string, unknown, Partial<Alert>]>([
  [
    'CloudWatch over SNS',
    sns(alarm),
    {
      source: 'cloudwatch',
      name: 'orders-5xx',
      rule: 'arn:aws:cloudwatch:eu-west-1:123456789012:alarm:orders-5xx',
      state: 'firing',
      service: 'orders',
      metric: 'HTTPCode_Target_5XX_Count',
      started: Date.parse('2026-03-05T10:24:05Z'),
    },
  ],
  ['CloudWatch over SNS, with raw delivery', alarm, { source: 'cloudwatch', name: 'orders-5xx' }],
  ['CloudWatch, over', sns({ ...alarm, NewStateValue: 'OK' }), { state: 'resolved' }],
  [
    'CloudWatch, without data',
    sns({ ...alarm, NewStateValue: 'INSUFFICIENT_DATA' }),
    { state: 'note', source: 'cloudwatch' },
  ],
  [
    'CloudWatch, over several metrics',
    sns({
      ...alarm,
      Trigger: {
        Metrics: [
          { Id: 'e1', Expression: 'm1/m2' },
          {
            Id: 'm1',
            MetricStat: {
              Metric: { MetricName: 'Errors', Dimensions: [{ name: 'FunctionName', value: 'thumbs' }] },
            },
          },
        ],
      },
    }),
    { metric: 'Errors', service: 'thumbs' },
  ],
  [
    'CloudWatch by EventBridge',
    {
      version: '0',
      id: 'c4c1c1c9-6542-e61b-6ef0-8c4d36933a92',
      'detail-type': 'CloudWatch Alarm State Change',
      source: 'aws.cloudwatch',
      account: '123456789012',
      time: '2026-03-05T10:24:03Z',
      region: 'eu-west-1',
      resources: ['arn:aws:cloudwatch:eu-west-1:123456789012:alarm:cpu'],
      detail: {
        alarmName: 'cpu',
        state: { value: 'ALARM', reason: 'Threshold Crossed', timestamp: '2026-03-05T10:24:00.000+0000' },
        configuration: {
          metrics: [
            {
              id: '1',
              metricStat: { metric: { name: 'CPUUtilization', dimensions: { InstanceId: 'i-1234' } } },
            },
          ],
        },
      },
    },
    { source: 'cloudwatch', name: 'cpu', metric: 'CPUUtilization', started: began, state: 'firing' },
  ],
  [
    'an event of RDS',
    sns({
      'Event Source': 'db-instance',
      'Event Time': '2026-03-05 10:24:00.000',
      'Source ID': 'orders-db',
      'Source ARN': 'arn:aws:rds:eu-west-1:123456789012:db:orders-db',
      'Event ID':
        'http://docs.amazonwebservices.com/AmazonRDS/latest/UserGuide/USER_Events.html#RDS-EVENT-0049',
      'Event Message': 'Multi-AZ instance failover completed',
    }),
    { source: 'cloudwatch', rule: 'RDS-EVENT-0049', service: 'orders-db', state: 'firing' },
  ],
  [
    'a subscription of SNS that waits for its confirmation',
    sns('You have chosen to subscribe', { Type: 'SubscriptionConfirmation', SubscribeURL: 'https://x/' }),
    { state: 'note', source: 'cloudwatch' },
  ],
  ['a text over SNS', sns('the disk is full'), { source: 'json', state: 'firing' }],
  [
    'OpsGenie',
    opsgenie('Create'),
    {
      source: 'opsgenie',
      name: 'Disk of db-1 is nearly full',
      rule: 'disk-db-1',
      severity: 'p2',
      service: 'payments',
      state: 'firing',
      started: 1_772_706_240_000,
    },
  ],
  ['OpsGenie, closed', opsgenie('Close'), { state: 'resolved' }],
  ['OpsGenie, acknowledged', opsgenie('Acknowledge'), { state: 'note' }],
  ['OpsGenie, with a note', opsgenie('AddNote', { note: 'looking' }), { state: 'note' }],
  [
    'Datadog as it is offered',
    datadog('[P2] [Triggered on {host:web-1,env:prod}] Errors of orders'),
    {
      source: 'datadog',
      name: 'Errors of orders',
      rule: 'errors of orders',
      severity: 'p2',
      state: 'firing',
      started: 1_772_706_240_000,
    },
  ],
  [
    'Datadog with its variables',
    datadog('[Warn] Errors of orders', {
      alert_id: '91',
      alert_transition: 'Warn',
      tags: 'env:prod,service:orders,team:shop',
      hostname: 'web-1',
      alert_metric: 'trace.http.errors',
    }),
    { rule: '91', service: 'orders', metric: 'trace.http.errors', state: 'firing' },
  ],
  ['Datadog, recovered', datadog('[Recovered on {host:web-1}] Errors of orders'), { state: 'resolved' }],
  ['Datadog, without data', datadog('[No Data on {host:web-1}] Errors of orders'), { state: 'firing' }],
  ['Datadog, a test', datadog('[TEST] Errors of orders'), { state: 'note' }],
  [
    'an issue of Sentry',
    sentry('created', { issue }),
    {
      source: 'sentry',
      rule: 'issue 1170820242',
      service: 'orders',
      state: 'firing',
      error: "TypeError — Cannot read properties of undefined (reading 'id')",
      started: began,
    },
  ],
  ['an issue of Sentry, resolved', sentry('resolved', { issue }), { state: 'resolved' }],
  ['an issue of Sentry, assigned', sentry('assigned', { issue }), { state: 'note' }],
  [
    'a comment on an issue of Sentry',
    sentry('created', { comment: 'mine', comment_id: '1', issue_id: '1170820242', project_slug: 'orders' }),
    { state: 'note', rule: 'issue 1170820242' },
  ],
  [
    'an event that a rule of Sentry found',
    sentry('triggered', {
      event: {
        event_id: 'e4874d664c3540c1a32eab185f12c5ab',
        title: 'ReferenceError: heck is not defined',
        culprit: '?(runner)',
        level: 'error',
        project: 1,
        issue_url: 'https://sentry.io/api/0/issues/1117540176/',
        datetime: '2026-03-05T10:24:00.000Z',
        tags: [
          ['environment', 'prod'],
          ['browser', 'Chrome'],
        ],
      },
      triggered_rule: 'Very Important Alert Rule!',
    }),
    { rule: 'issue 1117540176', state: 'firing', labels: { environment: 'prod', browser: 'Chrome' } },
  ],
  [
    'a metric alert of Sentry',
    sentry('critical', {
      metric_alert: {
        id: '123',
        title: 'Apdex of checkout',
        date_started: '2026-03-05T10:24:00Z',
        projects: ['checkout'],
        alert_rule: { id: '7', name: 'Apdex', aggregate: 'apdex(300)', query: '', environment: 'prod' },
      },
      description_title: 'Critical: Apdex of checkout',
      description_text: '0.4 apdex in the last 10 minutes',
    }),
    { rule: 'rule 7', service: 'checkout', severity: 'critical', state: 'firing', started: began },
  ],
  [
    'a metric alert of Sentry, over',
    sentry('resolved', { metric_alert: { id: '1' } }),
    { state: 'resolved' },
  ],
  ['an incident of PagerDuty', pagerduty('incident.triggered'), { state: 'firing', service: 'checkout' }],
  ['an incident of PagerDuty, again', pagerduty('incident.reopened'), { state: 'firing' }],
  ['an incident of PagerDuty, over', pagerduty('incident.resolved'), { state: 'resolved' }],
  ['an incident of PagerDuty, acknowledged', pagerduty('incident.acknowledged'), { state: 'note' }],
  ['an incident of PagerDuty, moved', pagerduty('incident.priority_updated'), { state: 'note' }],
  [
    'a note of PagerDuty',
    {
      event: {
        id: 'x',
        event_type: 'incident.annotated',
        data: {
          id: 'PWL7QXS',
          type: 'incident_note',
          content: 'it is the database',
          incident: { id: 'PGR0VU2', summary: 'p99 of checkout above 2 s', type: 'incident_reference' },
        },
      },
    },
    { state: 'note', source: 'pagerduty', name: 'p99 of checkout above 2 s' },
  ],
])('%s', (_, sent, wanted) => {
  expect(only(sent)).toMatchObject(wanted);
});

it('what is kept of one of several is read as the same alert', () => {
  const all = [sns(alarm), opsgenie('Create'), datadog('[Triggered] CPU'), sentry('created', { issue })];
  const { parts } = splitMessage(JSON.stringify(all));
  expect(parts).toHaveLength(4);
  for (const part of parts)
    expect(part.kind === 'alert' && readAlerts(part.sent)).toEqual(part.kind === 'alert' && [part.alert]);
});

describe('alerts are of one group', () => {
  const fired = (labels: Record<string, string>) => ({
    alerts: [{ status: 'firing', labels: { alertname: 'HighErrorRate', ...labels } }],
  });
  const key = (sent: unknown, labels: string[] | null = null) => groupKey(only(sent), { labels });

  it.each<[string, unknown, unknown]>([
    ['of two pods', fired({ app: 'a', pod: 'a-1' }), fired({ app: 'a', pod: 'a-2' })],
    [
      'of two deployments of one service',
      fired({ deployment: 'checkout-7d9f8b6c5d' }),
      fired({ deployment: 'checkout-6c8d7f9b4f' }),
    ],
    [
      'of two pods that stand for their service',
      fired({ service: 'checkout-7d9f8b6c5d-x2x4z' }),
      fired({ service: 'checkout-7d9f8b6c5d-9kqpl' }),
    ],
    [
      'as bad, and worse',
      fired({ app: 'a', severity: 'warning' }),
      fired({ app: 'a', severity: 'critical' }),
    ],
    [
      'of two replicas that Prometheus names by their addresses',
      fired({ job: 'a', instance: '10.0.0.1:80', pod: 'a-1' }),
      fired({ job: 'a', instance: '10.0.0.2:80', pod: 'a-2' }),
    ],
    [
      'with other values in its name',
      datadog('[Triggered] 91 errors a second'),
      datadog('[Re-Triggered] 97.5 errors a second'),
    ],
    ['fired and over', sns(alarm), sns({ ...alarm, NewStateValue: 'OK' })],
    [
      'of a program that tells of others, at another address',
      fired({ job: 'cloudwatch-exporter', instance: '10.0.0.1:9106', region: 'eu' }),
      fired({ job: 'cloudwatch-exporter', instance: '10.0.0.2:9106', region: 'eu' }),
    ],
    [
      'of two hosts that are pods of one deployment',
      fired({ hostname: 'checkout-7d9f8b6c5d-x2x4z' }),
      fired({ hostname: 'checkout-6c8d7f9b4f-9kqpl' }),
    ],
    [
      'of a pod on two machines, told by them',
      fired({ job: 'kubelet', instance: '10.0.0.1:10250', pod: 'a-1' }),
      fired({ job: 'kubelet', instance: '10.0.0.2:10250', pod: 'a-2' }),
    ],
    [
      'of one service, told by two exporters of other namespaces',
      fired({ exported_namespace: 'shop', namespace: 'monitoring-a' }),
      fired({ exported_namespace: 'shop', namespace: 'monitoring-b' }),
    ],
    [
      'of a queue, told by another replica',
      fired({ queue: 'mail', instance: '10.0.0.1:9394' }),
      fired({ queue: 'mail', instance: '10.0.0.2:9394' }),
    ],
    [
      'of two runs of a scheduled job',
      fired({ job_name: 'nightly-export-28391840' }),
      fired({ job_name: 'nightly-export-28393280' }),
    ],
    [
      'of two pods, in a title',
      pagerduty('incident.triggered', { title: 'OOMKilled: pod mailer-5c9d8f7b6-x2x4z in shop' }),
      pagerduty('incident.triggered', { title: 'OOMKilled: pod mailer-5c9d8f7b6-7kqpl in shop' }),
    ],
    [
      'of two pods, in an alias',
      opsgenie('Create', { alias: 'restarts/feed-k8szjqxh4-mtl98', entity: '', details: {}, tags: [] }),
      opsgenie('Create', { alias: 'restarts/feed-n2qprgbcz2-twljf', entity: '', details: {}, tags: [] }),
    ],
    [
      'of a rule of the old Grafana, fired and over',
      {
        ruleId: 4,
        ruleName: 'CPU',
        state: 'alerting',
        evalMatches: [{ metric: 'a', tags: { instance: 'x' } }],
      },
      { ruleId: 4, ruleName: 'CPU', state: 'ok', evalMatches: [] },
    ],
    [
      'without a name, as bad and worse',
      { host: 'db-3', output: 'load is at 91%', state: 'CRITICAL', time: '2026-03-05T10:24:00Z' },
      { host: 'db-3', output: 'load is at 77%', state: 'WARNING', time: '2026-03-05T10:29:00Z' },
    ],
    [
      'of a rule with an id',
      { condition_id: 4711, condition_name: 'Apdex low', details: 'was 0.4', current_state: 'open' },
      { condition_id: 4711, condition_name: 'Apdex low', details: 'was 0.7', current_state: 'closed' },
    ],
    ['fired and noted', pagerduty('incident.triggered'), pagerduty('incident.acknowledged')],
  ])('%s', (_, one, other) => {
    expect(key(one)).toBe(key(other));
  });

  const places = ['service', 'job', 'namespace', 'cluster', 'region', 'account'];
  // As OpenTelemetry, Prometheus in a cluster, and AWS call them.
  const others = [
    'k8s.namespace.name',
    'kubernetes_namespace',
    'kubernetes_node',
    'cloud.region',
    'cloud.account.id',
  ];
  it.each([
    ...others,
    'service.name',
    'db.name',
    'messaging.destination.name',
    'ServiceName',
    'node_id',
    'exported_job',
  ])('not where they differ in %s', (name) => {
    expect(key(fired({ [name]: 'one' }))).not.toBe(key(fired({ [name]: 'two' })));
  });

  it.each([...places, 'environment', 'env', 'host', 'queue', 'database', 'instance', 'kube_cluster_name'])(
    'not where they differ in %s',
    (name) => {
      expect(key(fired({ [name]: 'one' }))).not.toBe(key(fired({ [name]: 'two' })));
    },
  );

  it.each<[string, unknown, unknown]>([
    ['of two rules', fired({}), { alerts: [{ labels: { alertname: 'Other' } }] }],
    [
      'of two accounts of AWS',
      sns(alarm),
      sns({ ...alarm, AlarmArn: alarm.AlarmArn.replace('123456789012', '999999999999') }),
    ],
    ['of two senders', fired({}), { ...fired({}), orgId: 1 }],
    ['of names that only look drawn', fired({ service: 'orders-v2' }), fired({ service: 'orders-v3' })],
    ['of numbered machines', fired({ host: 'web-03' }), fired({ host: 'web-04' })],
    [
      'of two machines, told by a program on each',
      fired({ job: 'node-exporter', instance: '10.0.0.1:9100', pod: 'node-exporter-7kqpl' }),
      fired({ job: 'node-exporter', instance: '10.0.0.2:9100', pod: 'node-exporter-x2x4z' }),
    ],
    [
      'of two deployments, told by one program',
      fired({ service: 'kube-state-metrics', deployment: 'a' }),
      fired({ service: 'kube-state-metrics', deployment: 'b' }),
    ],
    ['of two stateful sets', fired({ statefulset: 'redis' }), fired({ statefulset: 'postgres' })],
    [
      'of two consumers of a topic',
      fired({ topic: 'orders', consumergroup: 'a' }),
      fired({ topic: 'orders', consumergroup: 'b' }),
    ],
    ['of two instances of RDS', fired({ DBInstanceIdentifier: 'a' }), fired({ DBInstanceIdentifier: 'b' })],
    [
      'of two rules of Grafana without data',
      { ...fired({ alertname: 'DatasourceNoData', rulename: 'a' }), orgId: 1 },
      { ...fired({ alertname: 'DatasourceNoData', rulename: 'b' }), orgId: 1 },
    ],
    [
      'of two regions, by their names for people',
      sns({ ...alarm, AlarmArn: undefined }),
      sns({ ...alarm, AlarmArn: undefined, Region: 'US East (N. Virginia)' }),
    ],
    [
      'of two machines in a list',
      { alertRule: 'cpu', alertTargetIDs: ['/subscriptions/1/virtualmachines/a'] },
      { alertRule: 'cpu', alertTargetIDs: ['/subscriptions/1/virtualmachines/b'] },
    ],
    [
      'of two clusters, told of a resource',
      { title: 'memory', resource: { labels: { cluster_name: 'a' } } },
      { title: 'memory', resource: { labels: { cluster_name: 'b' } } },
    ],
    [
      'of two messages with drawn aliases',
      opsgenie('Create', { alias: '8b1f0c0e-1111-4222-8333-444455556666', message: 'queue grows' }),
      opsgenie('Create', { alias: '9c1f0c0e-1111-4222-8333-444455556666', message: 'disk is full' }),
    ],
  ])('not %s', (_, one, other) => {
    expect(key(one)).not.toBe(key(other));
  });

  it('by the labels of the configuration alone, where it names some', () => {
    const [one, other] = [fired({ team: 'a', host: 'x' }), fired({ team: 'a', host: 'y' })];
    expect(key(one, ['team'])).toBe(key(other, ['team']));
    expect(key(one, ['host'])).not.toBe(key(other, ['host']));
  });
});
