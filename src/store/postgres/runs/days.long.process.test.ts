/** Runs by day in a real PostgreSQL: their tables are made ahead, and dropped with what is in them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noPostgres, type TestPostgres, testPostgres } from '../postgres-server.contract.ts';
import { openPostgresHostChannel } from '../queue/postgres-host-channel.ts';
import { dayStep } from '../schema/day-schema.ts';
import { admitFronts, upgradeSchema } from '../schema/migrate.ts';
import { schemaSteps } from '../schema/schema.ts';
import { makeDays } from './days.ts';
import { openPostgresStore } from './postgres-engine.ts';
import { pruneShared, type SharedPruneOptions } from './prune-days.ts';

const dayMs = 24 * 60 * 60_000;
const today = Math.floor(Date.now() / dayMs) * dayMs;
const dayOf = (daysAgo: number): string => new Date(today - daysAgo * dayMs).toISOString().slice(0, 10);
const tables = ['events', 'journal', 'snapshots'] as const;

/** The id of a run that was made so many days ago. */
const idOf = (daysAgo: number, name: string): string =>
  `run-${(today - daysAgo * dayMs + 3_600_000).toString(36).padStart(9, '0')}${name.padEnd(6, '0')}`;

describe.skipIf(noPostgres() !== null)('runs by day', () => {
  let postgres: TestPostgres;
  let url: string;
  beforeAll(async () => {
    postgres = await testPostgres();
  });
  afterAll(() => postgres?.close());
  beforeEach(async () => {
    url = await postgres.freshDatabase();
    await upgradeSchema({ url });
  });

  async function rows(text: string, values: readonly unknown[] = []) {
    const client = await postgres.connect(url);
    try {
      await client.query('SET search_path = sonde');
      return (await client.query(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }
  /** The tables of days that are over are not made by anybody. */
  const pastDay = (daysAgo: number) => rows('SELECT make_day($1::date) AS made', [dayOf(daysAgo)]);
  /** So that days before today may have tables. */
  const begunLongAgo = async () => {
    for (const table of tables)
      await rows(`ALTER TABLE ${table} DETACH PARTITION ${table}_past;
        ALTER TABLE ${table} ATTACH PARTITION ${table}_past FOR VALUES FROM (MINVALUE) TO ('run-0')`);
  };
  async function makeRun(id: string, { finish = true, daysAgo = 0 } = {}) {
    const store = openPostgresStore({ url });
    await store.runs.create({ id, shape: 'research', question: `about ${id}`, root: '/', params: {} });
    const lease = await store.runs.acquire(id);
    store.log(lease).append('a', { kind: 'note', text: 'x'.repeat(500) } as never);
    store.journal(lease).record('k', 'x'.repeat(500));
    if (finish) store.runs.finish(id, lease);
    await store.commit(lease);
    await lease.release();
    await store.close();
    await rows('UPDATE runs SET created = $2, updated = $2 WHERE id = $1', [id, today - daysAgo * dayMs]);
  }
  const where = async (id: string) =>
    (await rows('SELECT tableoid::regclass::text AS at FROM events WHERE run = $1', [id])).map(
      ({ at }) => at,
    );
  const ids = async () => (await rows('SELECT id FROM runs ORDER BY 1')).map(({ id }) => id);
  const terms: SharedPruneOptions = { olderThan: 10 * dayMs, keep: 0, remove: true };
  const prune = (more: Partial<SharedPruneOptions> = {}) => pruneShared({ url }, { ...terms, ...more });

  it('writes a run into the tables of its day, and any other id beside them', async () => {
    await makeRun(idOf(0, 'now'));
    await makeRun(idOf(-40, 'ahead'));
    await makeRun('run-one');
    await makeRun('a name');
    const name = `events_d${dayOf(0).replaceAll('-', '')}`;
    expect(await Promise.all([idOf(0, 'now'), idOf(-40, 'ahead'), 'run-one', 'a name'].map(where))).toEqual([
      [name],
      ['events_late'],
      ['events_other'],
      ['events_past'],
    ]);
  });

  it('makes the days to come once, and leaves one whose rows came before its tables', async () => {
    await makeRun(idOf(-3, 'early'));
    for (const table of tables) await rows(`DROP TABLE ${table}_d${dayOf(-3).replaceAll('-', '')}`);
    await makeRun(idOf(-3, 'late'));
    await makeDays({ url });
    await makeDays({ url });
    expect(await where(idOf(-3, 'late'))).toEqual(['events_late']);
    const made =
      await rows(`SELECT count(*)::int AS n FROM pg_class WHERE relname ~ '^(events|journal|snapshots)_d2'
      AND relkind = 'r'`);
    expect(made).toEqual([{ n: 9 }]);
  });

  it('keeps all rows of a store that was there before', async () => {
    const old = await postgres.freshDatabase();
    url = old;
    await upgradeSchema({ url }, schemaSteps.slice(0, schemaSteps.indexOf(dayStep)));
    const put = (run: string) =>
      rows(
        `WITH one AS (INSERT INTO runs VALUES ($1, 'research', '""', '/', '{}', 'finished', $2, $2) RETURNING id)
         SELECT 1 FROM one`,
        [run, today],
      );
    const own = [idOf(0, 'own'), idOf(-2, 'ahead'), 'run-one', 'b'];
    for (const run of own) {
      await put(run);
      await rows(`INSERT INTO events VALUES ($1, 1, 0, 'a', '{}'), ($1, 2, 0, 'b', '{}')`, [run]);
      await rows(`INSERT INTO journal VALUES ($1, 'k', '1')`, [run]);
    }
    await upgradeSchema({ url });
    const count = `SELECT (SELECT count(*)::int FROM events) AS events, (SELECT count(*)::int FROM journal) AS journal`;
    expect(await rows(count)).toEqual([{ events: 8, journal: 4 }]);
    expect(await where(own[1]!)).toEqual(['events_past', 'events_past']);
    const store = openPostgresStore({ url });
    expect((await store.events(own[2]!)).map(({ key }) => key)).toEqual(['a', 'b']);
    await store.close();
  });

  it('drops a day whose runs are over, and leaves what is young, waits or was taken up', async () => {
    await begunLongAgo();
    for (const ago of [20, 15, 5]) await pastDay(ago);
    for (const name of ['a', 'b']) await makeRun(idOf(20, name), { daysAgo: 20 });
    await makeRun(idOf(15, 'over'), { daysAgo: 15 });
    await makeRun(idOf(15, 'waits'), { daysAgo: 15, finish: false });
    await makeRun(idOf(15, 'again'), { daysAgo: 1 });
    await makeRun(idOf(5, 'young'), { daysAgo: 5 });
    await makeRun(idOf(30, 'alone'), { daysAgo: 30 });

    const shown = await prune({ remove: false });
    expect(shown.runs.map(({ id }) => id)).toEqual([
      idOf(30, 'alone'),
      idOf(20, 'a'),
      idOf(20, 'b'),
      idOf(15, 'over'),
    ]);
    expect(await ids()).toHaveLength(7);
    const done = await prune({ by: { name: 'user:ann', team: '' } });
    expect(done.runs).toEqual(shown.runs);
    expect(done.days.map(({ day }) => day)).toEqual([dayOf(20), dayOf(15)]);
    expect(done.kept).toEqual({ unfinished: 1, behind_pages: 0, recent: 2 });
    expect(await ids()).toEqual([idOf(15, 'again'), idOf(15, 'waits'), idOf(5, 'young')].toSorted());
    expect(await where(idOf(15, 'waits'))).toEqual(['events_late']);
    for (const table of tables)
      expect(await rows(`SELECT 1 FROM ${table} WHERE run NOT IN (SELECT id FROM runs)`), table).toEqual([]);
    for (const [table, column] of [
      ['leases', 'run'],
      ['accounts', 'id'],
      ['balances', 'account'],
      ['reservations', 'run'],
    ])
      expect(
        await rows(`SELECT 1 FROM ${table} WHERE split_part(${column}, '/', 1) NOT IN (SELECT id FROM runs)`),
      ).toEqual([]);
    expect(
      (await rows(`SELECT target FROM audit WHERE act = 'run_removed'`))
        .map(({ target }) => target)
        .toSorted(),
    ).toEqual(done.runs.map(({ id }) => id).toSorted());
    // One that stays goes on where it was.
    const store = openPostgresStore({ url });
    const lease = await store.runs.acquire(idOf(15, 'waits'));
    expect(lease.run).toBe(idOf(15, 'waits'));
    expect((await store.events(idOf(15, 'waits'))).map(({ key }) => key)).toEqual(['a']);
    store.log(lease).append('b', { kind: 'note', text: 'further' } as never);
    await store.commit(lease);
    await lease.release();
    await store.close();
  });

  it('ends alike when it was broken off', async () => {
    await begunLongAgo();
    await pastDay(20);
    for (let nth = 0; nth < 5; nth += 1) await makeRun(idOf(20, `n${nth}`), { daysAgo: 20 });
    const broken = prune({
      onBatch: async () => {
        throw new Error('broken off');
      },
    });
    await expect(broken).rejects.toThrow('broken off');
    expect(await ids()).toEqual([]);
    expect((await where(idOf(20, 'n0'))).length).toBe(1);
    expect((await prune()).days.map(({ day }) => day)).toEqual([dayOf(20)]);
    expect(await rows('SELECT 1 FROM events')).toEqual([]);
  });

  it('leaves what pages of a workspace rest on, and everything while a host has not said what', async () => {
    await begunLongAgo();
    await pastDay(20);
    for (const name of ['cited', 'not']) await makeRun(idOf(20, name), { daysAgo: 20 });
    const channel = openPostgresHostChannel({ url, schema: 'sonde_w_main' });
    // A mistyped name has no host, and no pages.
    await upgradeSchema({ url, schema: 'sonde_w_mian' });
    const seat = (await channel.takeSeat({}))!;
    const silent = await prune();
    expect([silent.runs, silent.notes.join()]).toEqual([
      [],
      expect.stringContaining('no host of main has reported'),
    ]);
    await seat.recordReferences({ runs: new Set(['run-other']), threads: new Set() });
    await seat.recordReferences({ runs: new Set([idOf(20, 'cited')]), threads: new Set(['th-1']) });
    expect(await rows('SELECT id FROM sonde_w_main.pages_rest_on ORDER BY 1')).toEqual([
      { id: idOf(20, 'cited') },
      { id: 'th-1' },
    ]);
    const done = await prune();
    expect([done.runs.map(({ id }) => id), done.kept.behind_pages]).toEqual([[idOf(20, 'not')], 1]);
    expect(await where(idOf(20, 'cited'))).toEqual(['events_late']);
    await channel.close();
  });

  it('drops a day beside a transaction that holds its table, and lets others past', async () => {
    await begunLongAgo();
    await pastDay(20);
    await makeRun(idOf(20, 'over'), { daysAgo: 20 });
    const holder = await postgres.connect(url);
    await holder.query(`BEGIN; SELECT count(*) FROM sonde.events`);
    const dropping = prune();
    let longest = 0;
    for (let nth = 0; nth < 20; nth += 1) {
      const began = performance.now();
      await rows(`SELECT count(*) FROM events WHERE run = $1`, [idOf(0, 'now')]);
      longest = Math.max(longest, performance.now() - began);
    }
    await holder.query('COMMIT');
    await holder.end();
    expect((await dropping).days).toHaveLength(1);
    expect(longest).toBeLessThan(1_000);
  });

  it('shows a front no partition by its own name', async () => {
    const client = await postgres.connect(url);
    await client.query(`DO $$ BEGIN CREATE ROLE front LOGIN PASSWORD 'front-password';
      EXCEPTION WHEN duplicate_object THEN NULL; END $$`);
    await client.end();
    await admitFronts({ url }, 'front');
    await makeDays({ url });
    await makeRun(idOf(0, 'now'));
    await makeRun('run-one');
    const front = await postgres.connect(url.replace(/\/\/[^@]*@/, '//front:front-password@'));
    for (const who of ['', 'red', '@sonde']) {
      await front.query(`SELECT set_config('sonde.team', $1, false)`, [who]);
      for (const name of [`d${dayOf(0).replaceAll('-', '')}`, 'other', 'past', 'late'])
        expect((await front.query(`SELECT * FROM sonde.events_${name}`)).rows, `${who} ${name}`).toEqual([]);
    }
    await expect(front.query(`DROP TABLE sonde.events_late`)).rejects.toThrow('must be owner');
    await front.end();
  });
});
