import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createConnection, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isSondeError, type Signal, systemClock } from '../../core/index.ts';
import { freePort, missingPrograms, type RealServer, startServer } from '../real-server.contract.ts';
import { contractLimits, signalContract } from '../signal.contract.ts';
import { type Connect, isAllowed, openConnection } from './connection.ts';
import { openRedis } from './redis.ts';
import { decodeReply, encodeCommand, RespError } from './resp.ts';

const password = 'redis-password-77';
const login = { password: { reveal: () => password } };
const to =
  (port: number): Connect =>
  (signal) =>
    new Promise((resolve, reject) => {
      const socket = createConnection({ port, host: '127.0.0.1', signal });
      socket.once('connect', () => resolve(socket));
      socket.once('error', reject);
    });
const open = (port: number, more = {}): Signal =>
  openRedis({ connect: to(port), address: `127.0.0.1:${port}`, clock: systemClock, login, ...more });

const start = Date.now();
const window = {
  from: start - 60_000,
  to: start + 600_000,
  baseline_from: start - 120_000,
  derivation: 'a test',
};

async function listening(answer: string | null): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    if (answer !== null) socket.on('data', () => socket.write(answer));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

describe.skipIf(missingPrograms('redis-server') !== null)('a real Redis', () => {
  const place = mkdtempSync(join(tmpdir(), 'sonde-redis-'));
  let redis: RealServer;
  let port = 0;
  /** Anything, over a connection of the test's own. */
  const tell = async (...commands: readonly (readonly string[])[]): Promise<void> => {
    const socket = await to(port)(new AbortController().signal);
    for (const words of [['AUTH', password], ...commands]) {
      socket.write(encodeCommand(words));
      await new Promise((resolve) => socket.once('data', resolve));
    }
    socket.destroy();
  };

  beforeAll(async () => {
    port = await freePort();
    redis = await startServer(
      'redis-server',
      [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--dir',
        place,
        '--save',
        '',
        '--requirepass',
        password,
        '--slowlog-log-slower-than',
        '0',
        '--latency-monitor-threshold',
        '1',
      ],
      async () => {
        await tell(['PING']);
        return true;
      },
    );
    await tell(
      ['SET', 'session:1', 'token=slowlog-secret-1'],
      ['SET', 'a', 'b'],
      ['GET', 'missing'],
      ['DEBUG', 'SLEEP', '0.02'],
    );
  });
  afterAll(async () => {
    await redis?.stop();
    rmSync(place, { recursive: true, force: true });
  });

  test('says what an account may do that it need not, and what it may not', async () => {
    await tell(
      [
        'ACL',
        'SETUSER',
        'reader',
        'on',
        '>reader-secret-2',
        '-@all',
        '+info',
        '+client|list',
        '+acl|whoami',
        '+acl|getuser',
        '+time',
      ],
      ['ACL', 'SETUSER', 'blind', 'on', '>reader-secret-2', '-@all', '+info', '+client|list'],
    );
    const as = (user: string) =>
      openRedis({
        connect: to(port),
        address: 'x:1',
        clock: { now: Date.now },
        login: { user, password: { reveal: () => 'reader-secret-2' } },
      });
    const within = AbortSignal.timeout(10_000);
    const lacks = ['SLOWLOG GET 1', 'LATENCY LATEST', 'MEMORY STATS'];
    expect(await as('reader').inspect?.(within)).toEqual({
      rights: { missing: lacks, excess: [] },
      clockMs: expect.any(Number),
    });
    expect(await as('blind').inspect?.(within)).toEqual({
      rights: { missing: lacks, excess: [] },
      clockMs: null,
    });
    expect(await open(port).inspect?.(within)).toMatchObject({ rights: { missing: [], excess: ['+@all'] } });
    expect(await as('nobody').inspect?.(within)).toEqual({ rights: 'unknown', clockMs: null });
  });

  signalContract('redis', async () => {
    const silent = await listening(null);
    const garbage = await listening('HTTP/1.1 400 Bad Request\r\n\r\n');
    return {
      signal: open(port),
      window,
      ask: { redis_info: {}, redis_slowlog: {}, redis_clients: {}, redis_latency: {}, redis_memory: {} },
      plentiful: ['redis_info', 'redis_slowlog', 'redis_memory'],
      secrets: [password, 'slowlog-secret-1'],
      broken: { unreachable: open(1), silent: open(silent.port), garbage: open(garbage.port) },
      async dispose() {
        silent.server.close();
        garbage.server.close();
      },
    };
  });

  const see = async (name: string, args = {}, at = window) => {
    const reply = await open(port)
      .questions.find((one) => one.name === name)!
      .ask(args, { window: at, limits: contractLimits });
    if (reply.kind === 'failure' || reply.rows.kind !== 'table') throw new Error(JSON.stringify(reply));
    return reply.rows.rows;
  };

  test('says what it knows', async () => {
    expect(await see('redis_info', { section: 'keyspace' })).toEqual([
      { section: 'keyspace', name: 'db0', value: expect.stringContaining('keys=2') },
    ]);
    expect((await see('redis_slowlog')).map((row) => row['command'])).toEqual(
      expect.arrayContaining(['SET session:1 token=[secret]']),
    );
    expect(await see('redis_memory')).toContainEqual({ name: 'keys', value: 2 });
    expect((await see('redis_clients')).length).toBeGreaterThan(0);
    const long = { from: 1_000, to: 2_000, baseline_from: 0, derivation: 'long ago' };
    expect(await see('redis_slowlog', {}, long)).toEqual([]);
  });

  test('without a password, or with a wrong one, it is refused', async () => {
    for (const more of [
      { login: undefined },
      { login: { password: { reveal: () => 'wrong-password-1' } } },
    ]) {
      const reply = await open(port, more).questions[0]!.ask({}, { window, limits: contractLimits });
      expect(reply).toMatchObject({ kind: 'failure', reason: 'refused' });
      expect(JSON.stringify(reply)).not.toContain('wrong-password-1');
    }
  });

  test('a command that is not on the list is never sent', async () => {
    const connection = await openConnection(to(port), login, new AbortController().signal);
    const thrown = await connection.send('FLUSHALL').catch((error: unknown) => error);
    expect(isSondeError(thrown, 'bad_argument')).toBe(true);
    expect(await connection.send('DBSIZE')).toBe(2);
    connection.close();
  });
});

test.each([
  [['FLUSHALL'], false],
  [['CONFIG', 'SET', 'dir', '/'], false],
  [['CONFIG', 'GET', 'requirepass'], false],
  [['DEBUG', 'SLEEP', '1'], false],
  [['CLIENT', 'KILL', 'x'], false],
  [['SLOWLOG', 'RESET'], false],
  [['SLOWLOG', 'GET', '5 FLUSHALL'], false],
  [['INFO', 'x\r\nFLUSHALL'], false],
  [['EVAL', 'x', '0'], false],
  [['KEYS', '*'], false],
  [['GET', 'x'], false],
  [['SLOWLOG', 'GET', '128'], true],
  [['INFO', 'memory'], true],
])('%j may be sent: %s', (words, may) => {
  expect(isAllowed(words)).toBe(may);
});

test.each<[string, unknown]>([
  ['+OK\r\n', 'OK'],
  [':12\r\n', 12],
  ['$6\r\nhe\r\no!\r\n', 'he\r\no!'],
  ['$-1\r\n', null],
  ['*2\r\n$1\r\na\r\n*1\r\n:3\r\n', ['a', [3]]],
  ['*-1\r\n', null],
])('the reply %j', (text, value) => {
  const reply = decodeReply(Buffer.from(text));
  expect(reply?.value).toEqual(value);
  for (let cut = 0; cut < text.length; cut++) expect(decodeReply(Buffer.from(text.slice(0, cut)))).toBeNull();
});

test.each(['HTTP/1.1 200\r\n', '$99999999999\r\n', '*x\r\n', `${'*1\r\n'.repeat(20)}:1\r\n`])(
  '%j is no reply',
  (text) => {
    expect(() => decodeReply(Buffer.from(text))).toThrow();
  },
);

test('an error of Redis is a value', () => {
  expect(decodeReply(Buffer.from('-ERR no\r\n'))?.value).toBeInstanceOf(RespError);
});
