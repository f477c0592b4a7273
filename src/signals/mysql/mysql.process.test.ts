import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isSondeError, type Signal, systemClock } from '../../core/index.ts';
import { askQuestion } from '../asking.contract.ts';
import { eventually } from '../real-server.contract.ts';
import { signalContract } from '../signal.contract.ts';
import { type MysqlAddress, mysqlAddress, openMysql } from './mysql.ts';
import { diagnostics } from './queries.ts';
import { rightsOf } from './rights.ts';
import { type MariadbServer, mariadbServer, noMariadb } from './server.contract.ts';

const now = Date.now();
const window = { from: now - 60_000, to: now, baseline_from: now - 120_000, derivation: 'a test' };
const password = 'mysql-password-0123';
const open = (address: MysqlAddress): Signal => openMysql({ address, clock: systemClock });

describe.skipIf(noMariadb() !== null)('a real MariaDB', () => {
  let server: MariadbServer;
  let silent: Server;
  beforeAll(async () => {
    server = await mariadbServer(password);
    const client = await server.connect();
    for (const sql of [
      'CREATE DATABASE shop',
      'CREATE TABLE shop.orders (id int PRIMARY KEY, note text)',
      'CREATE TABLE shop.carts (id int PRIMARY KEY)',
      "INSERT INTO shop.orders SELECT seq, 'x' FROM shop_seq".replace(
        'shop_seq',
        '(SELECT 1 AS seq UNION SELECT 7) AS s',
      ),
      "CREATE USER watcher IDENTIFIED BY 'reader-secret-1'",
      'GRANT PROCESS, SLAVE MONITOR, SELECT ON *.* TO watcher',
      "CREATE USER blind IDENTIFIED BY 'reader-secret-1'",
      "CREATE USER writer IDENTIFIED BY 'reader-secret-1'",
      'GRANT PROCESS, SLAVE MONITOR ON *.* TO writer',
      'GRANT SELECT, DELETE ON shop.orders TO writer',
    ])
      await client.query(sql);
    await client.end();
    silent = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
  });
  afterAll(async () => {
    silent?.close();
    await server?.close();
  });

  const rowsOf = async (name: string, signal = open(server.address)) => {
    const reply = await askQuestion(signal, name, {}, window);
    if (reply.kind === 'failure') throw new Error(`${reply.reason}: ${reply.message}`);
    if (reply.rows.kind !== 'table') throw new Error(reply.rows.kind);
    return reply.rows.rows;
  };
  const as = (user: string): Signal =>
    open({ ...server.address, user, password: { reveal: () => 'reader-secret-1' } });

  signalContract('mysql', async () => ({
    signal: open(server.address),
    window,
    ask: Object.fromEntries(diagnostics.map(({ name }) => [name, {}])),
    plentiful: ['mysql_tables', 'mysql_status', 'mysql_statements'],
    secrets: [password, 'reader-secret-1'],
    broken: {
      unreachable: open({ ...server.address, port: 1 }),
      silent: open({ ...server.address, port: (silent.address() as AddressInfo).port }),
    },
    dispose: async () => {},
  }));

  test('shows who waits for whom', async () => {
    const [holder, waiter] = [await server.connect(), await server.connect()];
    await holder.query('START TRANSACTION');
    await holder.query("UPDATE shop.orders SET note = 'held' WHERE id = 7");
    const waiting = waiter.query(
      "UPDATE shop.orders SET note = 'waits' WHERE id = 7 /* api_key='lock-secret-1' */",
    );
    const [row] = await eventually(async () => {
      const rows = await rowsOf('mysql_locks');
      return rows.length > 0 ? rows : null;
    }, 'the lock');
    expect(row).toMatchObject({
      statement: expect.stringContaining("api_key='[secret]'"),
      blocker_command: 'Sleep',
      blocked_by: holder.threadId,
    });
    expect(await rowsOf('mysql_transactions')).toContainEqual(
      expect.objectContaining({ connection: holder.threadId, rows_changed: 1 }),
    );
    expect(JSON.stringify(await rowsOf('mysql_activity'))).toContain('UPDATE shop.orders');
    await holder.query('ROLLBACK');
    await waiting;
    await Promise.all([holder.end(), waiter.end()]);
  });

  test('shows sizes, counters and limits', async () => {
    expect(await rowsOf('mysql_tables')).toContainEqual(
      expect.objectContaining({ database: 'shop', table: 'orders' }),
    );
    expect(await rowsOf('mysql_status')).toContainEqual(
      expect.objectContaining({ Variable_name: 'Threads_connected' }),
    );
    expect(await rowsOf('mysql_limits')).toMatchObject([{ max_connections: expect.any(Number) }]);
  });

  test('can write nothing, whatever its account may', async () => {
    const client = await server.connect();
    const [before] = await client.query('SELECT count(*) AS n FROM shop.orders');
    for (const { name } of diagnostics) await rowsOf(name);
    expect((await client.query('SELECT count(*) AS n FROM shop.orders'))[0]).toEqual(before);
    await client.end();
  });

  test('says what an account may do that it need not, and what it may not', async () => {
    const inspect = (user: string) => as(user).inspect?.(AbortSignal.timeout(10_000));
    const clockMs = expect.any(Number);
    expect(await inspect('watcher')).toEqual({ rights: { missing: [], excess: [] }, clockMs });
    expect(await inspect('blind')).toEqual({
      rights: { missing: ['PROCESS', 'REPLICATION CLIENT, or SLAVE MONITOR'], excess: [] },
      clockMs,
    });
    expect(await inspect('writer')).toEqual({
      rights: { missing: [], excess: ['DELETE on `shop`.`orders`'] },
      clockMs,
    });
    expect(await inspect('nobody')).toEqual({ rights: 'unknown', clockMs: null });
  });

  test('refuses in a way that says why, and never the password', async () => {
    const wrong = open({ ...server.address, password: { reveal: () => 'wrong-password-9' } });
    const reply = await askQuestion(wrong, 'mysql_activity', {}, window);
    expect(reply).toMatchObject({ kind: 'failure', reason: 'refused' });
    expect(JSON.stringify(reply)).not.toContain('wrong-password-9');
    expect(await askQuestion(as('blind'), 'mysql_replication', {}, window)).toMatchObject({
      reason: 'refused',
    });
  });
});

test.each([
  [
    'mysql://watcher:p%40ss@db:3307/shop?ssl-mode=VERIFY_IDENTITY',
    { host: 'db', port: 3307, database: 'shop', user: 'watcher', tls: 'identity' },
  ],
  ['mariadb://watcher@[::1]', { host: '::1', port: 3306, database: null, tls: 'off' }],
  ['mysql://watcher:x@db?ssl-mode=REQUIRED', { tls: 'any' }],
])('%s', (url, expected) => {
  expect(mysqlAddress(url)).toMatchObject(expected);
});

test.each(['postgres://u:planted-1@h', 'planted-1', 'mysql://'])(
  '%s is no address, and is not told',
  (url) => {
    try {
      mysqlAddress(url);
      expect.unreachable();
    } catch (thrown) {
      expect(isSondeError(thrown, 'bad_config')).toBe(true);
      expect(String(thrown)).not.toContain('planted-1');
    }
  },
);

test('grants as MySQL writes them', () => {
  expect(
    rightsOf([
      'GRANT SELECT, PROCESS, REPLICATION CLIENT ON *.* TO `watcher`@`%`',
      'GRANT SELECT (`id`, `note`), INSERT (`id`) ON `shop`.`orders` TO `watcher`@`%` WITH GRANT OPTION',
    ]),
  ).toEqual({ missing: [], excess: ['INSERT on `shop`.`orders`', 'GRANT OPTION on `shop`.`orders`'] });
  expect(rightsOf(['GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost`'])).toEqual({
    missing: [],
    excess: ['ALL PRIVILEGES on *.*'],
  });
});
