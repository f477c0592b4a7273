import { expect, test } from 'vitest';
import { manualClock } from '../../core/index.ts';
import { askQuestion } from '../asking.contract.ts';
import { type DoubleAnswer, type DoubleRequest, httpDouble } from '../http-double.contract.ts';
import { httpSignalContract } from '../http-signal.contract.ts';
import { openRabbitmq } from './rabbitmq.ts';

const start = Date.UTC(2026, 6, 11, 12);
const minute = 60_000;
const end = start + 60 * minute;
const window = { from: start + 30 * minute, to: end, baseline_from: start, derivation: 'a test' };
const password = 'planted-rabbit-77';
const basic = (own: string) => `Basic ${Buffer.from(`reader:${own}`).toString('base64')}`;

const queues = Array.from({ length: 250 }, (_, k) => ({
  name: `orders-${k}`,
  vhost: '/',
  state: 'running',
  consumers: k % 3,
  messages: 250 - k,
  messages_ready: 250 - k,
  messages_unacknowledged: 0,
  message_stats: { publish: 9, publish_details: { rate: 0.5 } },
}));

/** The newest first, on whole steps, as the server does. */
const samplesOf = (length: number, age: number) =>
  Array.from({ length: Math.min(61, Math.ceil(age / 60) + 1) }, (_, k) => ({
    sample: Math.max(0, length - k),
    timestamp: end - k * minute,
  }));

/** As the management interface of 3.10 does it; a secret may stand in the name of a connection. */
function double({ path, query, headers }: DoubleRequest): DoubleAnswer {
  if (headers.authorization !== basic(password))
    return { json: { error: 'not_authorised', reason: 'Login failed' }, status: 401 };
  if (path === '/api/overview') return { json: { management_version: '3.10.8', rabbitmq_version: '3.10.8' } };
  if (path === '/api/whoami') return { json: { name: 'reader', tags: ['monitoring'] } };
  if (path === '/api/nodes')
    return {
      json: [
        { name: 'rabbit@one', running: true, mem_used: 9, mem_limit: 10, mem_alarm: true, partitions: [] },
      ],
    };
  const paged = <Item>(items: readonly Item[]) => {
    const [page, size] = [Number(query.get('page')), Number(query.get('page_size'))];
    return {
      json: {
        ...{ items: items.slice((page - 1) * size, page * size), page, page_size: size },
        ...{ page_count: Math.ceil(items.length / size), item_count: items.length },
      },
    };
  };
  if (path === '/api/connections' || path === '/api/vhosts/shop/connections')
    return paged([
      {
        ...{
          name: '10.0.0.1:1 -> 10.0.0.2:5672',
          user: 'orders',
          vhost: '/',
          state: 'blocked',
          connected_at: start,
        },
        client_properties: { connection_name: 'orders token=hunter2-secret' },
      },
    ]);
  if (path !== '/api/queues' && path !== '/api/queues/shop') return null;
  const age = query.get('lengths_age');
  return paged(
    queues
      .filter(({ name }) => name.includes(query.get('name') ?? ''))
      .map((queue) => ({
        ...queue,
        ...(age !== null && { messages_details: { samples: samplesOf(queue.messages, Number(age)) } }),
      })),
  );
}

const open = (base: string, own = password, vhost?: string) =>
  openRabbitmq({
    ...{ base, fetch, clock: manualClock(end), ...(vhost !== undefined && { vhost }) },
    authorization: { kind: 'basic', user: 'reader', password: { reveal: () => own } },
  });

httpSignalContract('rabbitmq', {
  answer: double,
  open,
  openStranger: (base) => open(base, 'another-password-1'),
  window,
  ask: { rabbitmq_queues: {}, rabbitmq_queue_lengths: {}, rabbitmq_nodes: {}, rabbitmq_connections: {} },
  plentiful: ['rabbitmq_queues', 'rabbitmq_queue_lengths'],
  timed: [],
  secrets: [password, 'hunter2-secret'],
});

test('what it makes of the answers', async () => {
  const server = await httpDouble(double);
  const signal = open(server.base);
  const listed = await askQuestion(signal, 'rabbitmq_queues', {}, window);
  expect(listed).toMatchObject({ rows: { rows: { length: 250 } }, completeness: 'complete' });
  const lengths = await askQuestion(signal, 'rabbitmq_queue_lengths', { contains: 'orders-0' }, window);
  const [series] =
    lengths.kind === 'observation' && lengths.rows.kind === 'series' ? lengths.rows.series : [];
  expect(series).toMatchObject({
    name: 'rabbitmq_queue_messages',
    labels: { queue: 'orders-0', vhost: '/' },
  });
  expect(series?.points.every(([at]) => at >= window.baseline_from && at < window.to)).toBe(true);
  expect(await askQuestion(signal, 'rabbitmq_nodes', {}, window)).toMatchObject({
    rows: { rows: [{ name: 'rabbit@one', mem_alarm: true, partitions: '' }] },
  });
  expect(await askQuestion(signal, 'rabbitmq_connections', {}, window)).toMatchObject({
    rows: { rows: [{ state: 'blocked', connected: new Date(start).toISOString() }] },
  });
  expect(await signal.inspect?.(AbortSignal.timeout(5_000))).toEqual({
    rights: { missing: [], excess: [] },
    clockMs: null,
  });
  await server.close();
});

test('one virtual host is looked at alone', async () => {
  const server = await httpDouble(double);
  const signal = open(server.base, password, 'shop');
  for (const name of ['rabbitmq_queues', 'rabbitmq_connections']) await askQuestion(signal, name, {}, window);
  expect(server.requests.map(({ path }) => path)).toEqual([
    ...['/api/queues/shop', '/api/queues/shop', '/api/vhosts/shop/connections'],
  ]);
  await server.close();
});
