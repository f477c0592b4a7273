/** Runs in a real PostgreSQL by the command line, and a store of a laptop that moves into it. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, openQueueIn, openStore } from '../../../store/index.ts';
import { openFileLock } from '../../../store/lock.ts';
import {
  noPostgres,
  type TestPostgres,
  testPostgres,
} from '../../../store/postgres/postgres-server.contract.ts';
import { servingLock } from '../../agent/port/port.ts';
import { requestTopic } from '../../agent/requests/request-rows.ts';
import { newHome } from '../../testbed/run-sonde.ts';
import { createSmallTree } from '../../testbed/small-tree.ts';
import { sonde } from '../../testbed/sonde-here.ts';
import { createUsedWorkspace, usedThread } from '../../testbed/used-workspace.ts';

const question = 'How is a failed delivery retried?';
const ask = ['ask', question, '--model', 'extractive', '--json'];

describe('a store in a file', () => {
  it('has a status, and nothing that waits', async () => {
    const home = newHome();
    const status = async () => JSON.parse((await sonde(['store', 'status', '--json'], { home })).stdout);
    expect(await status()).toMatchObject({ engine: 'sqlite', version: 0 });
    await sonde([...ask, createSmallTree()], { home });
    expect(await status()).toMatchObject({ engine: 'sqlite', version: expect.any(Number), pending: [] });
    expect((await sonde(['store', 'upgrade'], { home })).stdout).toBe('Nothing was pending.\n');
  });

  it.each([
    [['migrate', '--to', 'postgres'], 'bad_argument', /--from is missing/],
    [['migrate', '--from', 'sqlite', '--to', 'mysql'], 'bad_argument', /--to is "mysql"/],
    [['migrate', '--from', 'sqlite:', '--to', 'postgres'], 'bad_argument', /--from is "sqlite:"/],
    [['migrate', '--from', 'sqlite', '--to', 'postgres'], 'bad_config', /no database is configured/],
  ])('store %j is refused', async (args, code, message) => {
    const { status, stdout } = await sonde(['store', ...args, '--json'], { home: newHome() });
    expect({ status, error: JSON.parse(stdout).error }).toMatchObject({
      status: 2,
      error: { code, message: expect.stringMatching(message) },
    });
  });

  it('a project names no store', async () => {
    const tree = createSmallTree();
    writeFileSync(
      join(tree, 'sonde.json'),
      JSON.stringify({ store: 'postgres', store_url_file: '/etc/passwd' }),
    );
    const { status, stderr } = await sonde([...ask, tree], { home: newHome() });
    expect({ status, stderr }).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(
        /sets store, which no project may[\s\S]*sets store_url, which no project may/,
      ),
    });
  });
});

describe.skipIf(noPostgres() !== null)('a store in PostgreSQL', () => {
  let postgres: TestPostgres;
  let env: Readonly<Record<string, string>>;
  beforeAll(async () => {
    postgres = await testPostgres();
  });
  afterAll(() => postgres?.close());
  beforeEach(async () => {
    env = { SONDE_STORE: 'postgres', SONDE_STORE_URL: await postgres.freshDatabase() };
  });
  const migrate = (home: string, ...more: string[]) =>
    sonde(['store', 'migrate', '--from', 'sqlite', '--to', 'postgres', '--json', ...more], { home, env });

  it('keeps runs that any machine can show, and shows the password to nobody', async () => {
    const [tree, home, other] = [createSmallTree(), newHome(), newHome()];
    const asked = await sonde([...ask, tree], { home, env });
    const { run_id, answer, status } = JSON.parse(asked.stdout);
    expect({ exit: asked.status, status }).toEqual({ exit: 0, status: 'quotes' });
    rmSync(tree, { recursive: true });
    for (const command of ['show', 'replay'])
      expect(
        JSON.parse((await sonde([command, run_id, '--json'], { home: other, env })).stdout),
      ).toMatchObject(command === 'show' ? { result: { answer } } : { answer });
    expect(JSON.parse((await sonde(['runs', '--json'], { home: other, env })).stdout)).toMatchObject([
      { run_id, state: 'finished' },
    ]);
    const shown = await sonde(['config', '--json'], { home, env });
    const status2 = await sonde(['store', 'status', '--json'], { home, env });
    expect(JSON.parse(status2.stdout)).toMatchObject({ engine: 'postgres', pending: [] });
    expect(JSON.stringify([asked, shown, status2])).not.toContain('store-password');
  });

  it('that does not answer is told by status', async () => {
    const away = { ...env, SONDE_STORE_URL: 'postgres://sonde:hidden-password@127.0.0.1:1/sonde' };
    const { status, stdout } = await sonde(['store', 'status', '--json'], { home: newHome(), env: away });
    expect([status, JSON.parse(stdout).error.code]).toEqual([1, 'store_away']);
    expect(stdout).not.toContain('hidden-password');
  });

  it('takes the store of a laptop, which is only read, and goes on with what was interrupted', async () => {
    const [home, tree] = [newHome(), createSmallTree()];
    const { run_id } = JSON.parse((await sonde([...ask, tree], { home })).stdout);
    await sonde([...ask, tree, '--steps', '2'], { home });
    const file = join(home, 'data', 'sonde.db');
    const before = readFileSync(file);
    const replayed = (await sonde(['replay', run_id, '--json'], { home })).stdout;

    const dry = await migrate(home, '--dry-run');
    expect([dry.status, JSON.parse(dry.stdout)]).toMatchObject([1, { equal: false, dry_run: true }]);
    const moved = await migrate(home);
    const { equal, tables } = JSON.parse(moved.stdout);
    expect({ exit: moved.status, equal }).toEqual({ exit: 0, equal: true });
    for (const { source, target } of tables) expect(target).toEqual(source);
    expect(tables.find(({ table }: { table: string }) => table === 'runs').source.rows).toBe(2);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect((await sonde(['replay', run_id, '--json'], { home: newHome(), env })).stdout).toBe(replayed);
    // The same move again finds nothing to do.
    expect(JSON.parse((await migrate(home)).stdout)).toMatchObject({ equal: true });
  });

  it('refuses a target with rows of others, and a file whose run is worked on', async () => {
    const [home, tree] = [newHome(), createSmallTree()];
    await sonde([...ask, tree], { home });
    await sonde([...ask, tree], { home: newHome(), env });
    const refused = await migrate(home);
    expect([refused.status, JSON.parse(refused.stdout).error.message]).toEqual([
      1,
      expect.stringMatching(/contains rows that .* does not have: runs run-/),
    ]);

    env = { ...env, SONDE_STORE_URL: await postgres.freshDatabase() };
    const store = openStore(join(home, 'data', 'sonde.db'));
    const [row] = await store.runs.list(1);
    const lease = await store.runs.acquire(row!.id);
    const busy = await migrate(home);
    await lease.release();
    await store.close();
    expect([busy.status, JSON.parse(busy.stdout).error.code]).toEqual([2, 'run_state']);
  });

  it('takes the conversations of a workspace into its own schema, and pages stay', async () => {
    const home = newHome();
    const path = await createUsedWorkspace(home);
    const dry = JSON.parse((await migrate(home, '--dry-run')).stdout);
    expect(dry).toMatchObject({ equal: false, tables: [], workspaces: [{ workspace: 'main', from: path }] });
    const client = await postgres.connect(env['SONDE_STORE_URL']!);
    const schemas = `SELECT 1 FROM pg_namespace WHERE nspname LIKE 'sonde%'`;
    // A dry run makes no schema either.
    expect((await client.query(schemas)).rowCount).toBe(0);
    const { status, stdout } = await migrate(home);
    const { equal, workspaces } = JSON.parse(stdout);
    expect([status, equal, workspaces[0].schema, workspaces[0].left]).toEqual([0, true, 'sonde_w_main', []]);
    const { rows } = await client.query('SELECT id, channel FROM sonde_w_main.threads');
    expect(rows).toEqual([{ id: usedThread, channel: 'work' }]);
    expect(JSON.parse((await migrate(home)).stdout)).toMatchObject({ equal: true });
    // One that a worker writes in is left alone.
    await client.query(`INSERT INTO sonde_w_main.leases VALUES ('host', 1, 'elsewhere', 1, '1', 9e15)`);
    expect(JSON.parse((await migrate(home)).stdout).error).toMatchObject({
      code: 'run_state',
      message: expect.stringMatching(/A worker already hosts this workspace/),
    });
    await client.query('UPDATE sonde_w_main.leases SET expires = 1');
    expect(JSON.parse((await migrate(home)).stdout)).toMatchObject({ equal: true });
    await client.query(`INSERT INTO sonde_w_main.channels VALUES ('other', 'Other', 1)`);
    expect(JSON.parse((await migrate(home)).stdout).error.message).toMatch(/does not have: channels other/);
    await client.end();
    const serving = openFileLock(servingLock(path));
    serving.tryTake();
    expect(JSON.parse((await migrate(home)).stdout).error).toMatchObject({
      code: 'run_state',
      message: 'A server has the workspace main',
    });
    serving.release();
  });

  it('a job that is worked on, and a file of an earlier version, are refused', async () => {
    const home = newHome();
    const path = await createUsedWorkspace(home);
    const database = openDatabase({ path, schemas: [] });
    const queue = openQueueIn(database);
    const claims = await queue.claim({ topic: requestTopic, max: 1 });
    expect([claims.length, JSON.parse((await migrate(home)).stdout).error.code]).toEqual([1, 'run_state']);
    await queue.settle(claims[0]!, { kind: 'release' });
    await queue.close();
    database.run(`DELETE FROM versions WHERE part = 'session' AND version = 5`);
    database.close();
    expect(JSON.parse((await migrate(home)).stdout).error.code).toBe('store_version');
  });

  it('a file that is no store is told', async () => {
    const home = newHome();
    mkdirSync(join(home, 'data'), { recursive: true });
    writeFileSync(join(home, 'data', 'sonde.db'), 'these are notes');
    const { status, stdout } = await migrate(home);
    expect({ status, code: JSON.parse(stdout).error.code }).toEqual({ status: 1, code: 'store_unusable' });
  });
});
