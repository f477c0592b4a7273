/** A store that moves into a real PostgreSQL while its mover is killed, and a server that is away. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../../store/index.ts';
import type { StoreMove } from '../../../store/postgres/move/move-store.ts';
import {
  noPostgres,
  type TestPostgres,
  testPostgres,
} from '../../../store/postgres/postgres-server.contract.ts';
import { toWorkspaceSchema, upgradeSchema } from '../../../store/postgres/schema/migrate.ts';
import { newHome, sonde as run, startSonde } from '../../testbed/run-sonde.ts';
import { createSmallTree } from '../../testbed/small-tree.ts';
import { createUsedWorkspace } from '../../testbed/used-workspace.ts';

const question = 'How is a failed delivery retried?';
const ask = ['ask', question, '--model', 'extractive', '--json'];

describe.skipIf(noPostgres() !== null)('a store in PostgreSQL', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await testPostgres();
  });
  afterAll(() => postgres?.close());

  it('that does not answer is named, without its password', async () => {
    const away = {
      SONDE_STORE: 'postgres',
      SONDE_STORE_URL: 'postgres://sonde:hidden-password@127.0.0.1:1/sonde',
    };
    const { status, stdout, stderr } = await run([...ask, createSmallTree()], { home: newHome(), env: away });
    expect({ status, stdout }).toMatchObject({ status: 1, stdout: expect.stringContaining('store_away') });
    expect(stdout + stderr).not.toContain('hidden-password');
  });

  it('has the same rows in the end, wherever its mover was killed', async () => {
    const home = newHome();
    const file = join(home, 'data', 'sonde.db');
    await run([...ask, createSmallTree()], { home });
    await manyRuns(file, 3_000);
    const before = readFileSync(file);
    const env = { SONDE_STORE: 'postgres', SONDE_STORE_URL: await postgres.freshDatabase() };
    const args = ['store', 'migrate', '--from', 'sqlite', '--to', 'postgres', '--json'];
    const counted = async () => {
      const client = await postgres.connect(env.SONDE_STORE_URL);
      const { rows } = await client
        .query('SELECT (SELECT count(*) FROM sonde.runs) + (SELECT count(*) FROM sonde.events) AS n')
        .catch(() => ({ rows: [{ n: 0 }] }));
      await client.end();
      return Number(rows[0].n);
    };
    const seen = [0];
    for (let life = 0; life < 5; life++) {
      const started = startSonde(args, { home, env });
      const more = (async () => {
        while ((await counted()) === seen.at(-1));
      })();
      await Promise.race([more, started.ended]);
      started.child.kill('SIGKILL');
      if ((await started.ended).status === 0) break;
      seen.push(await counted());
    }
    // It was killed with part of the rows there.
    expect(seen.length).toBeGreaterThan(2);
    const { status, stdout } = await run(args, { home, env });
    const { equal, tables } = JSON.parse(stdout);
    expect({ status, equal }).toEqual({ status: 0, equal: true });
    for (const { source, target } of tables) expect(target).toEqual(source);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('has the same rows of all that a home keeps, killed at each table', async () => {
    const home = newHome();
    await run([...ask, createSmallTree()], { home });
    const paths = [
      join(home, 'data', 'sonde.db'),
      await createUsedWorkspace(home),
      await createUsedWorkspace(home, 'My notes'),
    ];
    const before = paths.map((path) => readFileSync(path));
    const env = { SONDE_STORE: 'postgres', SONDE_STORE_URL: await postgres.freshDatabase() };
    const url = env.SONDE_STORE_URL;
    const args = ['store', 'migrate', '--from', 'sqlite', '--to', 'postgres', '--json'];
    const dry = JSON.parse((await run([...args, '--dry-run'], { home, env })).stdout);
    const full = ({ tables }: Pick<StoreMove, 'tables'>): readonly string[] =>
      tables.filter(({ source }) => source.rows > 0).map(({ table }) => table);
    const steps = [
      ...full(dry).map((table) => `sonde.${table}`),
      ...dry.workspaces.flatMap((move: StoreMove & { readonly schema: string }) =>
        full(move).map((table) => `${move.schema}.${table}`),
      ),
    ];
    expect(steps.map((step) => step.split('.')[1])).toEqual(
      expect.arrayContaining([
        'threads',
        'langgraph_checkpoints',
        'schedules',
        'roles',
        'channels',
        'queue_jobs',
      ]),
    );
    for (const schema of ['sonde', toWorkspaceSchema('main'), toWorkspaceSchema('My notes')])
      await upgradeSchema({ url, schema });
    const trials = process.env['TRIALS'] === 'all' ? steps : steps.filter((_, nth) => nth % 4 === 0);
    // Within a transaction the server shows the same activity again and again.
    const watcher = await postgres.connect(url);
    for (const step of trials) {
      // Its rows wait for this lock, so that it is killed in the middle of them.
      const locker = await postgres.connect(url);
      await locker.query(`BEGIN; LOCK TABLE ${step} IN SHARE ROW EXCLUSIVE MODE`);
      const started = startSonde(args, { home, env });
      const waits = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT INTO %'`;
      const reached = async (): Promise<boolean> => (await watcher.query(waits)).rowCount === 1;
      await expect.poll(reached, { timeout: 60_000, interval: 20 }).toBe(true);
      started.child.kill('SIGKILL');
      await started.ended;
      await locker.query('ROLLBACK');
      await locker.end();
    }
    await watcher.end();
    const { status, stdout } = await run(args, { home, env });
    const { equal, tables, workspaces } = JSON.parse(stdout);
    expect({ status, equal }).toEqual({ status: 0, equal: true });
    for (const move of [{ tables }, ...workspaces])
      for (const { source, target } of move.tables) expect(target).toEqual(source);
    expect(paths.map((path, at) => readFileSync(path).equals(before[at]!))).toEqual([true, true, true]);
  });
});

async function manyRuns(file: string, count: number): Promise<void> {
  const store = openStore(file, { unsynced: true });
  for (let n = 0; n < count; n++)
    await store.runs.create({
      id: `run-m${n}`,
      shape: 'research',
      question: `Question ${n}?`,
      root: '/material',
      params: { n },
    });
  await store.close();
}
