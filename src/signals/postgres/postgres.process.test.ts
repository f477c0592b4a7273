import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isSondeError, type Signal, systemClock } from '../../core/index.ts';
import { eventually } from '../real-server.contract.ts';
import { contractLimits, signalContract } from '../signal.contract.ts';
import { openPostgres, type PostgresAddress, postgresAddress } from './postgres.ts';
import { diagnostics } from './queries.ts';
import { noPostgres, type PostgresServer, postgresServer } from './server.contract.ts';

const now = Date.now();
const window = { from: now - 60_000, to: now, baseline_from: now - 120_000, derivation: 'a test' };
const password = 'pg-password-0123';
const open = (address: PostgresAddress): Signal => openPostgres({ address, clock: systemClock });

describe.skipIf(noPostgres() !== null)('a real PostgreSQL', () => {
  let server: PostgresServer;
  let silent: Server;
  beforeAll(async () => {
    server = await postgresServer(password);
    const client = await server.connect();
    await client.query('CREATE EXTENSION pg_stat_statements');
    await client.query('CREATE TABLE orders (id int PRIMARY KEY, note text)');
    await client.query("INSERT INTO orders SELECT n, 'x' FROM generate_series(1, 500) n");
    await client.query('CREATE TABLE carts (id int)');
    await client.query("CREATE ROLE reader LOGIN PASSWORD 'reader-secret-1'");
    await client.end();
    silent = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
  });
  afterAll(async () => {
    silent?.close();
    await server?.close();
  });

  const ask = async (name: string, signal = open(server.address)) => {
    const reply = await signal.questions
      .find((one) => one.name === name)!
      .ask({}, { window, limits: contractLimits });
    if (reply.kind === 'failure') throw new Error(`${reply.reason}: ${reply.message}`);
    if (reply.rows.kind !== 'table') throw new Error(reply.rows.kind);
    return { ...reply, rows: reply.rows.rows };
  };

  signalContract('postgres', async () => ({
    signal: open(server.address),
    window,
    ask: Object.fromEntries(diagnostics.map(({ name }) => [name, {}])),
    plentiful: ['postgres_tables', 'postgres_databases', 'postgres_statements'],
    secrets: [password, 'reader-secret-1'],
    broken: {
      unreachable: open({ ...server.address, port: 1 }),
      silent: open({ ...server.address, port: (silent.address() as AddressInfo).port }),
    },
    dispose: async () => {},
  }));

  test('says what a role may do that it need not, and what it may not', async () => {
    const client = await server.connect();
    await client.query("CREATE ROLE watcher LOGIN PASSWORD 'reader-secret-1' IN ROLE pg_monitor");
    await client.query("CREATE ROLE writer LOGIN PASSWORD 'reader-secret-1' CREATEDB IN ROLE pg_monitor");
    await client.query('GRANT INSERT ON orders TO writer');
    await client.end();
    const inspect = async (user: string) => {
      const as = { ...server.address, user, password: { reveal: () => 'reader-secret-1' } };
      return await open(as).inspect?.(AbortSignal.timeout(10_000));
    };
    const none = { missing: [], excess: [] };
    const clockMs = expect.any(Number);
    expect(await inspect('watcher')).toEqual({ rights: none, clockMs });
    expect(await inspect('reader')).toEqual({
      rights: { ...none, missing: ['pg_monitor, or pg_read_all_stats'] },
      clockMs,
    });
    expect(await inspect('writer')).toEqual({
      rights: { ...none, excess: ['create database', 'write to tables'] },
      clockMs,
    });
    expect(await inspect('nobody')).toEqual({ rights: 'unknown', clockMs: null });
  });

  test('shows who waits for whom', async () => {
    const [holder, waiter] = [await server.connect(), await server.connect()];
    await holder.query('BEGIN');
    await holder.query("UPDATE orders SET note = 'held' WHERE id = 7");
    const waiting = waiter.query(
      "UPDATE orders SET note = 'waits', id = 7 WHERE id = 7 /* api_key='lock-secret-1' */",
    );
    const rows = await eventually(async () => {
      const reply = await ask('postgres_locks');
      return reply.rows.length > 0 ? reply.rows : null;
    }, 'the lock');
    expect(rows[0]).toMatchObject({
      user: 'tester',
      blocker_state: 'idle in transaction',
      query: expect.stringContaining("api_key='[secret]'"),
      blocker_query: expect.stringContaining("note = 'held'"),
    });
    const activity = await ask('postgres_activity');
    expect(activity.rows.map((row) => row['wait_event_type'])).toContain('Lock');
    expect(activity.notes).toEqual(['This is the state of now, not of the incident window.']);
    await holder.query('ROLLBACK');
    await waiting;
    await holder.end();
    await waiter.end();
  });

  test('shows tables and costly statements', async () => {
    expect((await ask('postgres_tables')).rows.map((row) => row['table'])).toEqual(['orders', 'carts']);
    expect((await ask('postgres_statements')).text).toContain('INSERT INTO orders');
    expect((await ask('postgres_replication')).rows).toContainEqual(
      expect.objectContaining({ kind: 'this server', state: 'primary' }),
    );
  });

  test('a wrong password is refused, and told nowhere', async () => {
    const wrong = open({ ...server.address, password: { reveal: () => 'wrong-password-9' } });
    const reply = await wrong.questions[0]!.ask({}, { window, limits: contractLimits });
    expect(reply).toMatchObject({ kind: 'failure', reason: 'refused' });
    expect(JSON.stringify(reply)).not.toContain('wrong-password-9');
    expect((await wrong.health()).kind).toBe('unhealthy');
  });

  test('a reader without rights still sees what it may, and a database that is not there is said', async () => {
    const reader = { ...server.address, user: 'reader', password: { reveal: () => 'reader-secret-1' } };
    expect((await ask('postgres_databases', open(reader))).rows.length).toBeGreaterThan(1);
    const missing = await open({ ...server.address, database: 'nowhere' }).questions[0]!.ask(
      {},
      { window, limits: contractLimits },
    );
    expect(missing).toMatchObject({ kind: 'failure', reason: 'not_found' });
  });

  test('nothing can be written on its connections', async () => {
    const client = await server.connect();
    const before = await client.query(
      'SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()',
    );
    for (const { sql } of diagnostics) {
      await client.query('BEGIN TRANSACTION READ ONLY');
      await client.query(sql, [5]);
      await client.query('ROLLBACK');
      expect(sql).not.toMatch(
        /\b(insert|update|delete|drop|alter|create|truncate|set|copy|pg_terminate|pg_cancel|reset)\b(?!_)/i,
      );
    }
    expect(before.rowCount).toBe(1);
    await client.end();
  });
});

test.each<[string, Partial<PostgresAddress>]>([
  [
    'postgres://bob:p%40ss@db.example:6432/shop?sslmode=verify-full',
    { host: 'db.example', port: 6_432, database: 'shop', user: 'bob', tls: 'verify' },
  ],
  ['postgresql://bob@[::1]/', { host: '::1', port: 5_432, database: 'bob', tls: 'off' }],
  ['postgres://db/shop?sslmode=require', { user: 'postgres', tls: 'any' }],
])('the address %s', (url, expected) => {
  expect(postgresAddress(url)).toMatchObject(expected);
});

test('the password of an address shows only when asked for', () => {
  const address = postgresAddress('postgres://bob:p%40ss-word@db/shop');
  expect(address.password.reveal()).toBe('p@ss-word');
  expect(JSON.stringify(address)).not.toContain('p@ss');
});

test.each(['mysql://x/y', 'nonsense with s3cret-pw', ''])(
  'the address %j is refused without being told',
  (url) => {
    let thrown: unknown;
    try {
      postgresAddress(url);
    } catch (error) {
      thrown = error;
    }
    expect(isSondeError(thrown, 'bad_config') && !thrown.message.includes('s3cret')).toBe(true);
  },
);
