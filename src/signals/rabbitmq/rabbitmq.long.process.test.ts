/** A real RabbitMQ with its management plug-in, as Debian has it. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askQuestion, contractLimits } from '../asking.contract.ts';
import {
  eventually,
  freePort,
  missingPrograms,
  type RealServer,
  startServer,
} from '../real-server.contract.ts';
import { openRabbitmq } from './rabbitmq.ts';

const password = 'planted-rabbit-77';
const program = '/usr/lib/rabbitmq/bin/rabbitmq-server';

/** Whatever it is given, the program starts a server: it is not asked for its version. */
const missing = existsSync(program) ? null : missingPrograms('rabbitmq-server of Debian');

describe.skipIf(missing !== null)('a real RabbitMQ', () => {
  const place = mkdtempSync(join(tmpdir(), 'sonde-rabbitmq-'));
  let server: RealServer;
  let base = '';
  let mapper = '';
  const basic = { authorization: `Basic ${Buffer.from(`tester:${password}`).toString('base64')}` };
  const send = async (method: string, path: string, body: object): Promise<void> => {
    const headers = { ...basic, 'content-type': 'application/json' };
    const answer = await fetch(`${base}/api${path}`, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  };
  const open = (user = 'tester') =>
    openRabbitmq({
      ...{ base, fetch, clock: { now: Date.now } },
      authorization: { kind: 'basic', user, password: { reveal: () => password } },
    });

  beforeAll(async () => {
    const ports = [await freePort(), await freePort(), await freePort(), await freePort()];
    const [broker, management, distribution, names] = ports.map(String);
    mapper = names!;
    base = `http://127.0.0.1:${management}`;
    writeFileSync(join(place, 'plugins'), '[rabbitmq_management].\n');
    writeFileSync(
      join(place, 'rabbitmq.conf'),
      [
        `listeners.tcp.1 = 127.0.0.1:${broker}`,
        ...['management.tcp.ip = 127.0.0.1', `management.tcp.port = ${management}`],
        ...['default_user = tester', `default_pass = ${password}`, 'collect_statistics_interval = 1000'],
      ].join('\n'),
    );
    const settings = {
      ...{ HOME: place, RABBITMQ_CONFIG_FILE: join(place, 'rabbitmq.conf') },
      ...{ RABBITMQ_ENABLED_PLUGINS_FILE: join(place, 'plugins'), RABBITMQ_CONF_ENV_FILE: '/dev/null' },
      ...{ RABBITMQ_MNESIA_BASE: join(place, 'data'), RABBITMQ_LOG_BASE: join(place, 'log') },
      ...{ RABBITMQ_NODENAME: `sonde${broker}@localhost`, RABBITMQ_DIST_PORT: distribution },
      ERL_EPMD_PORT: mapper,
    };
    const given = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
    server = await startServer(
      'env',
      [...given, program],
      async () => (await fetch(`${base}/api/overview`, { headers: basic })).ok,
    );
    await send('PUT', '/queues/%2F/orders', { durable: false });
    for (let sent = 0; sent < 3; sent++)
      await send('POST', '/exchanges/%2F/amq.default/publish', {
        ...{ properties: {}, routing_key: 'orders', payload: 'x', payload_encoding: 'string' },
      });
    await send('PUT', '/users/watcher', { password, tags: 'monitoring' });
    await send('PUT', '/users/nobody', { password, tags: '' });
  });
  afterAll(async () => {
    await server?.stop();
    // Erlang starts it beside the server and leaves it; it ends once the server has left it, too.
    if (mapper !== '')
      await eventually(
        async () => (spawnSync('epmd', ['-port', mapper, '-kill']).status === 0 ? true : null),
        'the end of epmd',
      );
    rmSync(place, { recursive: true, force: true });
  });

  const window = () => {
    const to = Date.now() + 60_000;
    return { from: to - 600_000, to, baseline_from: to - 14_400_000, derivation: 'a test' };
  };

  test('its queues, and how they grew', async () => {
    const signal = open();
    expect(await signal.health()).toMatchObject({ kind: 'healthy', version: expect.stringMatching(/^\d/) });
    const row = await eventually(async () => {
      const listed = await askQuestion(signal, 'rabbitmq_queues', { contains: 'ord' }, window());
      const [first] = listed.kind === 'observation' && listed.rows.kind === 'table' ? listed.rows.rows : [];
      return first?.['messages'] === 3 ? first : null;
    }, 'the three messages');
    expect(row).toMatchObject({ name: 'orders', vhost: '/', messages_ready: 3, consumers: 0 });
    const grown = await eventually(async () => {
      const lengths = await askQuestion(signal, 'rabbitmq_queue_lengths', {}, window());
      const [series] =
        lengths.kind === 'observation' && lengths.rows.kind === 'series' ? lengths.rows.series : [];
      return series?.points.at(-1)?.[1] === 3 ? series : null;
    }, 'the length of the queue');
    expect(grown.labels).toEqual({ queue: 'orders', vhost: '/' });
    // Reading takes no message out.
    expect(await askQuestion(signal, 'rabbitmq_queues', {}, window(), contractLimits)).toMatchObject({
      rows: { rows: [{ messages: 3 }] },
    });
  });

  test('its nodes and connections', async () => {
    expect(await askQuestion(open(), 'rabbitmq_nodes', {}, window())).toMatchObject({
      rows: { rows: [{ running: true, mem_alarm: false, disk_free_alarm: false, partitions: '' }] },
    });
    expect(await askQuestion(open(), 'rabbitmq_connections', {}, window())).toMatchObject({
      rows: { rows: [] },
    });
  });

  test('what a user may do that is not needed, and what it may not', async () => {
    const rights = async (user: string) => (await open(user).inspect?.(AbortSignal.timeout(10_000)))?.rights;
    expect(await rights('tester')).toEqual({ missing: [], excess: ['the tag administrator'] });
    expect(await rights('watcher')).toEqual({ missing: [], excess: [] });
    // Without a tag nothing is answered at all.
    expect(await rights('nobody')).toBe('unknown');
    expect(await open('nobody').health()).toMatchObject({ kind: 'unhealthy' });
  });
});
