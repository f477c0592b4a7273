import { expect, test } from 'vitest';
import { manualClock, type Signal } from '../../core/index.ts';
import { askQuestion, fromNoon, noon, noonWindow as window } from '../asking.contract.ts';
import { type DoubleAnswer, type DoubleRequest, httpDouble } from '../http-double.contract.ts';
import { httpSignalContract } from '../http-signal.contract.ts';
import {
  accessKeyId,
  answerXml,
  awsServer,
  type MadeAccount,
  secretKey,
  signatureFault,
} from './aws-double.contract.ts';
import { openCloudwatch } from './cloudwatch.ts';
import { type AwsCredentials, credentialsOf, readCredentials } from './credentials.ts';
import { serviceOfGroup } from './logs.ts';
import { signingFetch } from './sign.ts';

const session = 'session-token-0123456789-abc';
const minutes = (
  from: number,
  to: number,
  of: (k: number) => number,
): readonly (readonly [number, number])[] =>
  Array.from({ length: to - from }, (_, k) => [fromNoon(from + k), of(from + k)] as const);

const account: MadeAccount = {
  page: 25,
  metrics: [
    {
      namespace: 'AWS/RDS',
      name: 'DatabaseConnections',
      dimensions: { DBInstanceIdentifier: 'orders-db' },
      points: minutes(-30, 30, (k) => (k < 5 ? 20 : 99)),
    },
    {
      namespace: 'AWS/RDS',
      name: 'DatabaseConnections',
      dimensions: { DatabaseClass: 'db.t3.micro' },
      points: minutes(-30, 30, () => 1),
    },
    {
      namespace: 'AWS/ApplicationELB',
      name: 'HTTPCode_Target_5XX_Count',
      dimensions: { LoadBalancer: 'app/orders/50dc6c495c0c9188' },
      points: minutes(6, 30, () => 40),
    },
    {
      namespace: 'Orders',
      name: 'queue_age',
      dimensions: { Queue: 'mail' },
      points: minutes(-30, 30, (k) => k + 40),
    },
    ...Array.from({ length: 40 }, (_, k) => ({
      namespace: 'AWS/RDS',
      name: 'SwapUsage',
      dimensions: { DBInstanceIdentifier: `db-${k}` },
      points: [],
    })),
  ],
  logs: {
    '/aws/lambda/orders': minutes(-30, 30, (k) => k).map(([at, k]) => [
      at,
      k < 0
        ? `{"level":"info","msg":"placed ${k}"}`
        : `[ERROR] order ${k} refused with password=hunter2-secret-log`,
    ]),
    '/aws/lambda/cart': [[fromNoon(4), 'shown']],
    '/ecs/other': [[fromNoon(4), 'other']],
  },
  events: [
    {
      at: fromNoon(-8),
      source: 'orders-db',
      categories: ['configuration change'],
      message: 'Updated parameter max_connections to 20 with apply method immediate',
    },
    { at: fromNoon(6), source: 'orders-db', categories: ['availability'], message: 'DB instance restarted' },
    {
      at: fromNoon(7),
      source: 'a&b',
      categories: [],
      message: 'Backing up <DB> instance with token=hunter2-secret-event',
    },
    { at: fromNoon(200), source: 'orders-db', categories: ['failure'], message: 'after the window' },
  ],
};

const own: AwsCredentials = {
  accessKeyId,
  secret: { reveal: () => secretKey },
  session: { reveal: () => session },
};
const server = awsServer(account);
const aws = (request: DoubleRequest): DoubleAnswer => signatureFault(request) ?? server(request);

const open = (base: string, more: object = {}): Signal =>
  openCloudwatch({
    base,
    fetch,
    clock: manualClock(fromNoon(30)),
    region: 'eu-west-1',
    credentials: () => own,
    logGroups: ['/aws/lambda/*'],
    throttledSeconds: 0,
    ...more,
  });

httpSignalContract('cloudwatch', {
  answer: aws,
  open,
  openStranger: (base) =>
    open(base, {
      credentials: () => ({ ...own, secret: { reveal: () => 'another-secret-key-0123456789' } }),
    }),
  window,
  ask: {
    cloudwatch_metrics: { contains: 'orders' },
    cloudwatch_metric: { metric: 'queue_age' },
    cloudwatch_rds_events: {},
    cloudwatch_rds_changes: {},
    cloudwatch_lines: { service: 'orders' },
    cloudwatch_patterns: {},
  },
  plentiful: [
    'cloudwatch_metrics',
    'cloudwatch_metric',
    'cloudwatch_rds_events',
    'cloudwatch_lines',
    'cloudwatch_patterns',
  ],
  timed: [
    'cloudwatch_metrics',
    'cloudwatch_metric',
    'cloudwatch_rds_events',
    'cloudwatch_rds_changes',
    'cloudwatch_lines',
    'cloudwatch_patterns',
  ],
  posts: ['/'],
  plainText: ['cloudwatch_rds_events', 'cloudwatch_rds_changes'],
  secrets: [secretKey, session, 'hunter2-secret'],
});

const ask = async (signal: Signal, name: string, args: object = {}) => {
  const reply = await askQuestion(signal, name, args, window);
  if (reply.kind === 'failure') throw new Error(`${reply.reason}: ${reply.message}`);
  return reply;
};

test('the metrics that say most, of one thing each; what is counted is zero where it is silent', async () => {
  const double = await httpDouble(aws);
  const { rows } = await ask(open(double.base), 'cloudwatch_metrics');
  if (rows.kind !== 'series') throw new Error(rows.kind);
  const found = new Map(rows.series.map((one) => [one.name, one]));
  expect([...found.keys()].sort()).toEqual(['DatabaseConnections', 'HTTPCode_Target_5XX_Count']);
  expect(found.get('DatabaseConnections')).toMatchObject({
    labels: { service: 'orders-db', DBInstanceIdentifier: 'orders-db' },
    points: { length: 60 },
  });
  const errors = found.get('HTTPCode_Target_5XX_Count')!;
  expect(errors.labels).toEqual({ service: 'orders', LoadBalancer: 'orders' });
  expect([errors.points.length, errors.points.filter(([, value]) => value > 0).length]).toEqual([60, 24]);
  await double.close();
});

test('log groups are found by how they begin, and one is read by who writes into it', async () => {
  const double = await httpDouble(aws);
  const all = await ask(open(double.base), 'cloudwatch_lines');
  if (all.rows.kind !== 'lines') throw new Error(all.rows.kind);
  expect(new Set(all.rows.lines.map(({ service }) => service))).toEqual(new Set(['orders', 'cart']));
  const some = await ask(open(double.base), 'cloudwatch_lines', { service: 'orders' });
  if (some.rows.kind !== 'lines') throw new Error(some.rows.kind);
  expect(some.rows.lines).toHaveLength(30);
  expect(some.rows.lines[3]).toMatchObject({
    level: 'ERROR',
    text: expect.stringMatching(/order 3 refused/),
  });
  expect(double.requests.filter(({ body }) => body.includes('/ecs/other'))).toEqual([]);
  await double.close();
});

test('where a group holds more than is read, the words of trouble are read from the rest', async () => {
  const many = Array.from(
    { length: 400 },
    (_, k) => [noon + k * 4_000, k % 50 === 49 ? `ERROR ${k}` : `fine ${k}`] as const,
  );
  const double = await httpDouble(
    (request) =>
      signatureFault(request) ?? awsServer({ ...account, page: 1, logs: { '/ecs/orders': many } })(request),
  );
  const reply = await ask(open(double.base, { logGroups: ['/ecs/orders'] }), 'cloudwatch_lines');
  if (reply.rows.kind !== 'lines') throw new Error(reply.rows.kind);
  expect(reply.rows.lines.filter(({ text }) => text.startsWith('ERROR'))).toHaveLength(8);
  expect([reply.completeness, reply.notes]).toEqual([
    'partial',
    ['Only the first lines of /ecs/orders were read, and of the rest those with words of trouble.'],
  ]);
  await double.close();
});

test('events of RDS are lines, and a changed setting is a change', async () => {
  const double = await httpDouble(aws);
  const events = await ask(open(double.base), 'cloudwatch_rds_events');
  expect(events.rows).toMatchObject({
    lines: [
      { service: 'orders-db', level: null, text: expect.stringContaining('max_connections to 20') },
      {
        at: fromNoon(6),
        service: 'orders-db',
        level: 'WARN',
        text: 'RDS event (availability): DB instance restarted',
      },
      { service: 'a&b', text: 'RDS event: Backing up <DB> instance with token=[secret]' },
    ],
  });
  const { rows } = await ask(open(double.base), 'cloudwatch_rds_changes');
  expect(rows).toMatchObject({
    changes: [
      {
        kind: 'config',
        id: 'orders-db/max_connections',
        at: fromNoon(-8),
        service: 'orders-db',
        diff: 'max_connections: 20',
      },
    ],
  });
  await double.close();
});

const refusal = (code: string, message = `it is ${code}`): DoubleAnswer => ({
  json: { __type: `com.amazonaws.logs#${code}`, message },
  status: 400,
});

test('AWS asks for fewer requests: it is asked again; for ever: that is told', async () => {
  let count = 0;
  const double = await httpDouble((request) =>
    count++ % 3 < 2 ? refusal('ThrottlingException', 'Rate exceeded') : aws(request),
  );
  expect((await ask(open(double.base), 'cloudwatch_metric', { metric: 'queue_age' })).rows).toMatchObject({
    series: [{ points: { length: 60 } }],
  });
  await double.close();
  const never = await httpDouble(() => refusal('ThrottlingException', 'Rate exceeded'));
  expect(
    await askQuestion(open(never.base), 'cloudwatch_metric', { metric: 'queue_age' }, window),
  ).toMatchObject({
    reason: 'refused',
    message: expect.stringMatching(/limits its requests.*Rate exceeded/),
  });
  await never.close();
});

test.each<[DoubleAnswer, string, string]>([
  [
    refusal('AccessDeniedException', 'User: x is not authorized to perform: cloudwatch:ListMetrics'),
    'refused',
    'not authorized to perform',
  ],
  [refusal('ExpiredTokenException'), 'refused', '401'],
  [refusal('ServiceUnavailableException'), 'unreachable', '503'],
  [refusal('ResourceNotFoundException'), 'not_found', '404'],
  [refusal('InvalidParameterValueException'), 'bad_query', '400'],
  [
    { text: '<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>', status: 400 },
    'refused',
    '403',
  ],
  [{ text: 'x'.repeat(300_000), status: 400 }, 'bad_query', '400'],
])('what it refuses by a code: %#', async (answer, reason, said) => {
  const double = await httpDouble(() => answer);
  expect(await askQuestion(open(double.base), 'cloudwatch_metric', { metric: 'm' }, window)).toMatchObject({
    reason,
    message: expect.stringContaining(said),
  });
  await double.close();
});

test.each<[string, DoubleAnswer]>([
  ['half of an answer', { text: '<DescribeEventsResponse><DescribeEventsResult>' }],
  ['another answer', answerXml('DescribeOthers', '')],
  [
    'entities of its own',
    { text: '<!DOCTYPE x [<!ENTITY a "aaaa">]><DescribeEventsResponse>&a;</DescribeEventsResponse>' },
  ],
  ['JSON', { json: { Events: [] } }],
])('%s is none of RDS', async (_, answer) => {
  const double = await httpDouble(() => answer);
  expect(await askQuestion(open(double.base), 'cloudwatch_rds_events', {}, window)).toMatchObject({
    reason: 'bad_reply',
  });
  await double.close();
});

test('what IAM refuses is a right that lacks', async () => {
  const asking = new AbortController().signal;
  const double = await httpDouble(aws);
  expect((await open(double.base).inspect!(asking)).rights).toEqual({ missing: [], excess: [] });
  await double.close();
  const less = await httpDouble((request) =>
    /DescribeEvents|GetMetricData/.test(`${request.body}${String(request.headers['x-amz-target'])}`)
      ? refusal('AccessDeniedException')
      : aws(request),
  );
  const signal = open(less.base);
  expect(await signal.health()).toEqual({ kind: 'healthy', version: null });
  expect((await signal.inspect!(asking)).rights).toEqual({
    missing: ['cloudwatch:GetMetricData', 'rds:DescribeEvents'],
    excess: [],
  });
  await less.close();
});

// The published suite of AWS for Signature Version 4 (awslabs/aws-c-auth, tests/aws-signing-test-suite/v4).
test.each<[string, string, string, Record<string, string>, string | null, string]>([
  ['get-vanilla', 'GET', '/', {}, null, '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  ['post-vanilla', 'POST', '/', {}, null, '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  [
    'get-vanilla-query-order-encoded',
    'GET',
    '/?Param-3=Value3&Param=Value2&%E1%88%B4=Value1',
    {},
    null,
    '371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac',
  ],
  [
    'post-x-www-form-urlencoded',
    'POST',
    '/',
    { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '13' },
    'Param1=value1',
    'd3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b',
  ],
])('the signature of %s is the published one', async (_, method, path, headers, body, expected) => {
  let sent = '';
  const signing = signingFetch({
    fetch: async (_address, init) => {
      sent = new Headers(init?.headers).get('authorization') ?? '';
      return new Response('');
    },
    clock: manualClock(Date.UTC(2015, 7, 30, 12, 36)),
    region: 'us-east-1',
    service: 'service',
    credentials: () => ({ ...own, session: null }),
    bodyHeader: body !== null,
  });
  await signing(`https://example.amazonaws.com${path}`, { method, headers, ...(body !== null && { body }) });
  expect(sent).toContain('Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request');
  expect(sent.split('Signature=')[1]).toBe(expected);
});

const file = `# mine
[default]
aws_access_key_id = AKIDDEFAULT
aws_secret_access_key=default-secret

[ reader ] ; of the team
aws_access_key_id = AKIDREADER
aws_secret_access_key = reader/secret=with+signs
aws_session_token = reader-session
[role]
role_arn = arn:aws:iam::1:role/x
source_profile = default
`;

test('a profile is read from its file, anew for each request', () => {
  const { secret, session: token, accessKeyId: id } = credentialsOf(file, 'reader', 'f');
  expect([id, secret.reveal(), token?.reveal()]).toEqual([
    'AKIDREADER',
    'reader/secret=with+signs',
    'reader-session',
  ]);
  let text = file;
  const ports = { credential: (key: { reveal(): string }) => key, readFile: () => text };
  const read = readCredentials({}, ports);
  expect(read().accessKeyId).toBe('AKIDDEFAULT');
  text = file.replace('AKIDDEFAULT', 'AKIDRENEWED');
  expect(read().accessKeyId).toBe('AKIDRENEWED');
  const key = { reveal: () => 'set-secret' };
  expect(
    readCredentials({ cloudwatch_access_key: 'AKIDSET', cloudwatch_secret_key: key }, ports)(),
  ).toMatchObject({
    accessKeyId: 'AKIDSET',
    session: null,
  });
});

test.each<[object, RegExp]>([
  [{ cloudwatch_profile: 'nobody' }, /has no profile nobody/],
  [{ cloudwatch_profile: 'role' }, /role of .* has no access key \(role_arn is not followed\)/],
  [{ cloudwatch_access_key: 'AKID' }, /cloudwatch_secret_key is missing/],
])('credentials that are none: %j', (values, expected) => {
  expect(() => readCredentials(values, { credential: (key) => key, readFile: () => file })).toThrow(expected);
});

test.each([
  ['/aws/lambda/orders', 'orders'],
  ['/ecs/prod/orders', 'orders'],
  ['/aws/rds/instance/orders-db/error', 'orders-db'],
  ['orders', 'orders'],
])('who writes into %s', (name, expected) => {
  expect(serviceOfGroup(name)).toBe(expected);
});
