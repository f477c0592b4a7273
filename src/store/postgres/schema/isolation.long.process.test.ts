/** Row-level security, under a role that owns nothing: whatever a query asks for, it sees what its team may see. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPool, openPostgres, type PostgresDatabase } from '../database.ts';
import { noPostgres, type TestPostgres, testPostgres } from '../postgres-server.contract.ts';
import { openPostgresStore } from '../runs/postgres-engine.ts';
import { openPostgresSessions } from '../sessions/postgres-sessions.ts';
import { openPostgresTeams } from '../team/postgres-teams.ts';
import { requireWholeView } from '../team/whole-view.ts';
import { admitFronts, upgradeSchema } from './migrate.ts';
import { schemaSteps } from './schema.ts';

const by = { name: 'user:ann', team: '' };
const workspaces = { red: 'sonde_w_red', blue: 'sonde_w_blue' };
const teams = ['red', 'blue'] as const;

describe.skipIf(noPostgres() !== null)('isolation by the database', () => {
  let postgres: TestPostgres;
  let owner: string;
  let front: string;
  const open: { close(): Promise<unknown> }[] = [];
  const opened = <One extends { close(): Promise<unknown> }>(one: One): One => {
    open.push(one);
    return one;
  };

  beforeAll(async () => {
    postgres = await testPostgres();
    owner = await postgres.freshDatabase();
    const client = await postgres.connect(owner);
    await client.query(`CREATE ROLE front LOGIN PASSWORD 'front'`);
    await client.end();
    front = owner.replace(/\/\/[^@]*@/, '//front:front@');
    await upgradeSchema({ url: owner });
    await admitFronts({ url: owner }, 'front');
    const all = opened(openPostgresTeams({ url: owner }));
    const store = opened(openPostgresStore({ url: owner }));
    const jobs = opened(openPostgresSessions({ url: owner }));
    for (const team of teams) {
      await all.add(team, by);
      await all.give(team, { kind: 'workspace', name: team, role: 'author' }, by);
      // Made after the front was let in.
      const sessions = opened(openPostgresSessions({ url: owner, schema: workspaces[team] }));
      const runs = opened(openPostgresStore({ url: owner, schema: workspaces[team] }));
      await jobs.queue.enqueue([{ topic: 'runs', key: `run-${team}`, team, payload: `job of ${team}` }], {
        by: { name: `user:${team}`, team },
      });
      for (const [of, id] of [
        [store, `run-${team}`],
        [runs, `turn-${team}`],
      ] as const) {
        const question = `question of ${team}`;
        const params = of === runs ? { thread: `thread-${team}` } : {};
        await of.runs.create({ id, shape: 'research', question, root: '/', params });
        const lease = await of.runs.acquire(id);
        of.log(lease).append('planted', { kind: 'note', text: `logged by ${team}` } as never);
        await of.commit(lease);
        await lease.release();
      }
      await sessions.threads.create({ id: `thread-${team}`, title: `talk of ${team}` });
      await sessions.roles.set(
        { level: 'workspace', within: '' },
        { content: `role of ${team}`, appliesTo: null },
      );
    }
  });
  afterAll(async () => {
    await Promise.all(open.map((one) => one.close()));
    await postgres?.close();
  });

  const tables = async (client: pg.Client, schema: string): Promise<readonly string[]> =>
    (
      await client.query(`SELECT tablename FROM pg_tables WHERE schemaname = $1 ORDER BY 1`, [schema])
    ).rows.map(({ tablename }) => String(tablename));

  /** Every row of every table, as text, in one transaction in somebody's name; null: in nobody's. */
  async function everything(who: string | null): Promise<string> {
    const client = new pg.Client({ connectionString: front });
    await client.connect();
    try {
      const found: string[] = [];
      await client.query('BEGIN');
      if (who !== null) await client.query(`SELECT set_config('sonde.team', $1, true)`, [who]);
      for (const schema of ['sonde', ...Object.values(workspaces)])
        for (const table of await tables(client, schema)) {
          if (table === 'store_schema') continue;
          const { rows } = await client.query(`SELECT t::text AS row FROM ${schema}.${table} t`);
          found.push(...rows.map(({ row }) => `${schema}.${table} ${row}`));
        }
      await client.query('COMMIT');
      return found.join('\n');
    } finally {
      await client.end();
    }
  }

  it('has a policy on every table', async () => {
    const client = await postgres.connect(owner);
    const { rows } = await client.query(
      `SELECT relname FROM pg_class WHERE relnamespace = 'sonde'::regnamespace AND relkind IN ('r', 'p')
        AND NOT relispartition AND NOT relrowsecurity`,
    );
    await client.end();
    expect(rows).toEqual([]);
  });

  it('shows nobody anything, in a batch without an identity', async () => {
    expect(await everything(null)).toBe('');
    expect(await everything('')).toBe('');
    expect(await everything('green')).toBe('');
  });

  it.each([
    ['red', 'blue'],
    ['blue', 'red'],
  ])('shows %s all of its own, and nothing of %s', async (team, other) => {
    const seen = await everything(team);
    for (const own of [`question of ${team}`, `logged by ${team}`, `talk of ${team}`, `role of ${team}`])
      expect(seen).toContain(own);
    expect(seen).toContain(`job of ${team}`);
    expect(seen).toContain(`sonde.runs (run-${team}`);
    expect(seen).toContain(`turn-${team}`);
    expect(seen).toContain(`user:${team}`);
    expect(seen).not.toContain(other);
  });

  it('shows those who run a workspace that one alone', async () => {
    const seen = await everything('@sonde_w_red');
    expect(seen).toContain('talk of red');
    expect(seen).not.toMatch(/blue|sonde\.runs/);
  });

  it('holds where the condition was taken out of a query', async () => {
    const db = opened(openPostgres({ url: front, team: 'red' }));
    const text = 'SELECT id FROM runs';
    expect(await db.ask({ name: 'all', text, values: [] })).toEqual([{ id: 'run-red' }]);
    const [, rows] = await db.transact([
      { name: 'take', text: `UPDATE runs SET question = '"taken"' WHERE id = 'run-blue'`, values: [] },
      { name: 'all', text, values: [] },
    ]);
    expect(rows).toEqual([{ id: 'run-red' }]);
    for (const text of [
      `INSERT INTO events VALUES ('run-blue', 99, 0, 'key', '{}')`,
      `UPDATE runs SET team = 'blue' WHERE id = 'run-red'`,
      `INSERT INTO team_grants VALUES ('red', 'workspace', 'blue', 'author')`,
      `DELETE FROM audit RETURNING 1 / 0`,
      'ALTER TABLE runs DISABLE ROW LEVEL SECURITY',
      `SET ROLE tester`,
      `SELECT isolate('runs', 'true')`,
    ])
      await db.ask({ name: text.slice(0, 60), text, values: [] }).then(
        (rows) => expect(rows, text).toEqual([]),
        () => {},
      );
    const store = opened(openPostgresStore({ url: owner }));
    expect((await store.runs.get('run-blue')).question).toBe('question of blue');
    expect((await store.events('run-blue', 0)).some(({ seq }) => seq === 99)).toBe(false);
  });

  it('gives what is added in the name of a team to that team, and what a worker adds to that of its job', async () => {
    const client = await postgres.connect(owner);
    const teamOf = async (from: string): Promise<unknown> =>
      (await client.query(`SELECT team FROM ${from}`)).rows[0]?.team;
    expect(await teamOf(`sonde.runs WHERE id = 'run-red'`)).toBe('red');
    const sessions = opened(openPostgresSessions({ url: front, schema: workspaces.red, team: 'red' }));
    await sessions.threads.create({ id: 'made by red' });
    await sessions.queue.enqueue([
      { topic: 'agent requests', key: 'm1', group: 'asked by red', payload: {} },
    ]);
    expect(await teamOf(`sonde_w_red.threads WHERE id = 'made by red'`)).toBe('red');
    const host = opened(openPostgresSessions({ url: owner, schema: workspaces.red }));
    await host.threads.create({ id: 'asked by red' });
    const runs = opened(openPostgresStore({ url: owner, schema: workspaces.red }));
    const params = { thread: 'asked by red' };
    await runs.runs.create({ id: 'turn-1', shape: 'turn', question: 'q', root: '', params });
    expect(await teamOf(`sonde_w_red.threads WHERE id = 'asked by red'`)).toBe('red');
    expect(await teamOf(`sonde_w_red.runs WHERE id = 'turn-1'`)).toBe('red');
    await client.end();
  });

  it('ends a name with its batch: a connection that served one team is nobody’s for the next', async () => {
    const pool = openPool({ url: front, team: '', maxConnections: 1 });
    const as = (team?: string): PostgresDatabase =>
      openPostgres({ url: front, pool, ...(team !== undefined && { team }) });
    const runs = { name: 'runs of all', text: 'SELECT id FROM runs ORDER BY id', values: [] };
    const broken = { name: 'broken', text: 'SELECT 1 / 0', values: [] };
    const [red, blue, nobody] = [as('red'), as('blue'), as()];
    const ids = (rows: readonly unknown[]): readonly unknown[] =>
      rows.map((row) => (row as { id: unknown }).id);
    try {
      for (let round = 0; round < 20; round += 1) {
        const [ofRed, ofBlue, ofNobody, fails] = await Promise.allSettled([
          red.ask(runs),
          blue.transact([runs]).then(([rows]) => rows!),
          nobody.ask(runs),
          red.ask(broken),
        ]);
        expect(ofRed.status === 'fulfilled' && ids(ofRed.value)).toEqual(['run-red']);
        expect(ofBlue.status === 'fulfilled' && ids(ofBlue.value)).toEqual(['run-blue']);
        expect(ofNobody.status === 'fulfilled' && ids(ofNobody.value)).toEqual([]);
        expect(fails.status).toBe('rejected');
      }
    } finally {
      await pool.end();
    }
  });

  it('is no emptiness to an operator: the role of fronts is refused where all is to be seen', async () => {
    await expect(requireWholeView({ url: front })).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('The role front '),
    });
    await requireWholeView({ url: owner });
    await requireWholeView({ url: await postgres.freshDatabase() });
  });

  it('refuses a role that could see everything', async () => {
    const client = await postgres.connect(owner);
    await client.query('CREATE ROLE passing LOGIN BYPASSRLS');
    await client.query('CREATE ROLE owning LOGIN IN ROLE tester');
    await client.end();
    for (const [role, code] of [
      ['passing', 'bad_argument'],
      ['owning', 'bad_argument'],
      ['tester', 'bad_argument'],
      ['nobody', 'not_found'],
    ])
      await expect(admitFronts({ url: owner }, role!)).rejects.toMatchObject({ code });
  });

  it('names the rows that were there before the step', async () => {
    const url = await postgres.freshDatabase();
    const before = schemaSteps.findIndex(({ name }) => name === 'rows of teams');
    await upgradeSchema({ url }, schemaSteps.slice(0, before));
    const client = await postgres.connect(url);
    const job = (id: string, team: string) =>
      client.query(
        `INSERT INTO sonde.queue_jobs (topic, key, in_turn, priority, due, team, payload, state, created, updated)
          VALUES ('runs', $1, 0, 0, 0, $2, 'null', 'done', 0, 0)`,
        [id, team],
      );
    const run = (id: string) =>
      client.query(`INSERT INTO sonde.runs VALUES ($1, 'research', '""', '/', '{}', 'finished', 0, 0)`, [id]);
    await job('run-a', 'red');
    await job('run-b', '');
    for (const id of ['run-a', 'run-b', 'run-c']) await run(id);
    await upgradeSchema({ url });
    const { rows } = await client.query('SELECT id, team FROM sonde.runs ORDER BY id');
    await client.end();
    expect(rows.map(({ id, team }) => `${id} ${team}`)).toEqual(['run-a red', 'run-b ', 'run-c ']);
  });
});
