/** The store on PostgreSQL over a way that breaks: what was sent is kept once, whatever its sender was told. */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPool } from '../../core/pools.ts';
import type { Store } from '../store.ts';
import type { PostgresOptions } from './connection.ts';
import { openPostgres } from './database.ts';
import { type FaultyWire, faultyWire } from './faulty-wire.contract.ts';
import { noPostgres, type TestPostgres, testPostgres } from './postgres-server.contract.ts';
import { openPostgresStore } from './runs/postgres-engine.ts';
import { readSchemaState, upgradeSchema } from './schema/migrate.ts';
import { schemaSteps } from './schema/schema.ts';

const missing = noPostgres();
const run = 'run-a';
const draft = { id: run, shape: 's', question: 'why \0 not?', root: '/', params: {} };
const note = (text: string) => ({ kind: 'note', level: 'info', text }) as const;

describe.skipIf(missing !== null)('the store on PostgreSQL, over a way that breaks', () => {
  let postgres: TestPostgres;
  let wire: FaultyWire;
  let here: PostgresOptions;
  /** Over the wire that breaks, and straight. */
  let store: Store;
  let other: Store;
  beforeAll(async () => {
    postgres = await testPostgres();
  });
  afterAll(() => postgres?.close());
  beforeEach(async () => {
    wire = await faultyWire(postgres.server.address);
    here = postgres.fresh();
    const through = new URL(here.url);
    through.port = String(wire.port);
    store = openPostgresStore({ ...here, url: String(through), answerMs: 500 });
    other = openPostgresStore(here);
    await store.runs.create(draft);
  });
  afterEach(async () => {
    wire.loseAnswersTo = null;
    wire.deliverKept();
    // What was refused can't be kept at the end either.
    await Promise.allSettled([store.close(), other.close()]);
    await wire.close();
  });

  async function sql(text: string) {
    const client = new pg.Client({ connectionString: here.url, options: `-c search_path=${here.schema}` });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Waits until the server has done what it was sent, while its answers are lost; then the way is whole again. */
  async function losingAnswers(
    to: string,
    work: () => Promise<unknown>,
    done: () => Promise<boolean>,
  ): Promise<void> {
    wire.loseAnswersTo = to;
    const working = work();
    working.catch(() => {});
    while (!(await done())) await new Promise((resolve) => setTimeout(resolve, 5));
    wire.cut();
    wire.loseAnswersTo = null;
    await working;
  }

  it('keeps a question that holds what a text of the server can not', async () => {
    expect((await other.runs.get(run)).question).toBe(draft.question);
  });

  it('a commit whose answer is lost is kept once', async () => {
    const lease = await store.runs.acquire(run);
    const pool = openPool(store.ledger(lease), { account: run, run, fence: lease.fence });
    const reply = pool.reserve('call', { tokens: 10 });
    store.log(lease).append('a', note('a'));
    await losingAnswers(
      'take a turn',
      () => store.commit(lease),
      async () => (await other.events(run)).length === 1,
    );
    if (reply.kind === 'reserved') reply.settle({ tokens: 4 });
    store.log(lease).append('b', note('b'));
    expect(await store.commit(lease)).toBe(2);
    expect((await other.events(run)).map(({ seq, key }) => [seq, key])).toEqual([
      [1, 'a'],
      [2, 'b'],
    ]);
    const { spent, reserved } = await other.accounts.balance(run);
    expect([spent.tokens, reserved.tokens]).toEqual([4, 0]);
  });

  it('a last commit that gives the lease back is kept once, and is no loss of it, where its answer is lost', async () => {
    const lease = await store.runs.acquire(run);
    store.log(lease).append('a', note('a'));
    store.runs.finish(run, lease);
    await losingAnswers(
      'take a turn',
      () => lease.release(),
      async () => (await other.runs.get(run)).status === 'finished',
    );
    expect(await other.runs.isHeld(run)).toBe(false);
    expect(await other.events(run)).toHaveLength(1);
    await lease.release();
    expect((await other.runs.acquire(run)).fence).toBe(2);
  });

  it('tells once that the server is away, and gives up when it is told to', async () => {
    const told: number[] = [];
    const stop = new AbortController();
    const through = new URL(here.url);
    through.port = String(wire.port);
    const waiting = { patienceMs: 600_000, signal: stop.signal, onAway: () => void told.push(1) };
    const patient = openPostgresStore({ ...here, url: String(through), answerMs: 300, ...waiting });
    expect(await patient.runs.list()).toHaveLength(1);
    wire.loseAnswersTo = 'runs';
    const asked = patient.runs.list();
    asked.catch(() => {});
    await expect.poll(() => told, { timeout: 20_000 }).toHaveLength(1);
    wire.loseAnswersTo = null;
    wire.cut();
    expect(await asked).toHaveLength(1);
    wire.loseAnswersTo = 'runs';
    const again = patient.runs.list();
    again.catch(() => {});
    await expect.poll(() => told, { timeout: 20_000 }).toHaveLength(2);
    stop.abort();
    await expect(again).rejects.toMatchObject({ code: 'store_away' });
    await patient.close();
  });

  it('a run whose removal was answered in vain is gone, and nobody is told that it is unfinished', async () => {
    const lease = await store.runs.acquire(run);
    store.runs.finish(run, lease);
    await lease.release();
    const gone = async () => (await other.runs.list()).length === 0;
    await losingAnswers('require over', () => store.runs.remove(run), gone);
    await expect(other.runs.get(run)).rejects.toMatchObject({ code: 'not_found' });
    await expect(store.runs.remove(run)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('a commit that arrives behind later ones, or under an old fence, changes nothing', async () => {
    const lease = await store.runs.acquire(run);
    const pool = openPool(store.ledger(lease), { account: run, run, fence: lease.fence });
    const reply = pool.reserve('call', { tokens: 10 });
    wire.keepBack = true;
    const committed = store.commit(lease);
    while (wire.kept === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    // Its sender gives it up and sends it again, over a way that is whole, and goes on.
    wire.keepBack = false;
    wire.cut();
    await committed;
    if (reply.kind === 'reserved') reply.settle({ tokens: 4 });
    await store.commit(lease);
    wire.deliverKept();
    await expect.poll(() => wire.kept).toBe(0);
    await expect
      .poll(
        async () =>
          (await sql(`SELECT count(*)::int AS n FROM pg_stat_activity WHERE state = 'active'`))[0].n,
      )
      .toBe(1);
    const { spent, reserved } = await other.accounts.balance(run);
    expect([spent.tokens, reserved.tokens]).toEqual([4, 0]);
  });

  it('a run that was taken with a lost answer is held by who took it, under one fence', async () => {
    const held = async () => (await sql('SELECT fence FROM leases WHERE host IS NOT NULL')).length === 1;
    let fence = 0;
    await losingAnswers(
      'take a lease',
      async () => {
        fence = (await store.runs.acquire(run)).fence;
      },
      held,
    );
    expect(fence).toBe(1);
    expect((await other.runs.get(run)).id).toBe(run);
    await expect(other.runs.acquire(run)).rejects.toMatchObject({ code: 'run_state' });
  });

  it.each<[string, (target: Store) => Promise<unknown>, object]>([
    ['a charge', ({ accounts }) => accounts.charge('team', { tokens: 3 }), { spent: 3, held: 5 }],
    ['a settlement', ({ accounts }) => accounts.settle('run-a/call#1', { tokens: 2 }), { spent: 2, held: 0 }],
    ['a release', ({ accounts }) => accounts.release('run-a/call#1'), { spent: 0, held: 0 }],
  ])('%s whose answer is lost is made once, though others decide meanwhile', async (_what, verb, stands) => {
    await other.accounts.open({ id: 'team', parent: null, limits: { tokens: 100 }, reserve: {} });
    await other.accounts.reserve({
      account: 'team',
      key: { run, step: 'call', fence: 1 },
      amounts: { tokens: 5 },
    });
    const decisions = async () => Number((await sql('SELECT count(*) AS n FROM account_decisions'))[0].n);
    const before = await decisions();
    await losingAnswers(
      'take roots',
      () => verb(store),
      async () => (await decisions()) > before,
    );
    const { spent, reserved } = await other.accounts.balance('team');
    expect({ spent: spent.tokens, held: reserved.tokens }).toEqual(stands);
  });

  it('a run that was created with a lost answer is there once, and another of its name is refused', async () => {
    await losingAnswers(
      'create a run',
      () => store.runs.create({ ...draft, id: 'run-b' }),
      async () => (await sql(`SELECT 1 FROM runs WHERE id = 'run-b'`)).length === 1,
    );
    await expect(store.runs.create({ ...draft, id: 'run-b' })).rejects.toMatchObject({ code: 'run_state' });
  });

  it('goes on when the server ends its connections, at rest or at work', async () => {
    const lease = await store.runs.acquire(run);
    for (let n = 0; n < 10; n += 1) {
      store.log(lease).append(`${n}`, note('n'));
      const committed = store.commit(lease);
      await sql('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
      await committed;
    }
    expect((await other.events(run)).map(({ key }) => key).join('')).toBe('0123456789');
  });

  it('writes of many that commit at once are numbered without a gap', async () => {
    const lease = await store.runs.acquire(run);
    const commits = Array.from({ length: 30 }, async (_, n) => {
      store.log(lease).append(`${n}`, note('n'));
      await store.commit(lease);
    });
    await Promise.all(commits);
    expect((await other.events(run)).map(({ seq }) => seq)).toEqual(commits.map((_, n) => n + 1));
  });

  it('many over few connections wait for each other, and none of them takes the server for away', async () => {
    const few = openPostgres({ ...here, maxConnections: 1, patienceMs: 0 });
    const asked = Array.from({ length: 3 }, () =>
      few.ask({ name: 'slow', text: 'SELECT pg_sleep(1.7)', values: [] }),
    );
    expect(await Promise.all(asked)).toHaveLength(3);
    await few.close();
  });

  it('leaves no transaction open, and tells who can not be reached, without the password', async () => {
    const lease = await store.runs.acquire(run);
    store.log(lease).append('a', note('a'));
    await store.commit(lease);
    expect(await sql(`SELECT 1 FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'`)).toEqual([]);
    const away = openPostgresStore({
      ...here,
      url: 'postgres://me:secret-word@127.0.0.1:1/db',
      patienceMs: 0,
    });
    const error = await away.runs.list().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'store_away' });
    expect(JSON.stringify(error)).not.toContain('secret-word');
    await away.close();
    const wrong = new URL(here.url);
    wrong.password = 'secret-word';
    const refused = openPostgresStore({ ...here, url: String(wrong) });
    const told = await refused.runs.list().catch((thrown: unknown) => thrown);
    expect(told).toMatchObject({ code: 'store_unusable' });
    expect(JSON.stringify(told)).not.toContain('secret-word');
    await refused.close();
  });

  it('who is older than the schema goes on where nothing breaks, and writes nothing where something does', async () => {
    const lease = await store.runs.acquire(run);
    const more = { name: 'more', sql: 'CREATE TABLE more (id int)' };
    expect((await readSchemaState(here, [...schemaSteps, more])).pending).toEqual(['more']);
    expect(await upgradeSchema(here, [...schemaSteps, more])).toEqual(['more']);
    expect(await upgradeSchema(here, [...schemaSteps, more])).toEqual([]);
    store.log(lease).append('a', note('a'));
    expect(await store.commit(lease)).toBe(1);
    const breaking = { name: 'other', sql: 'ALTER TABLE more ADD COLUMN x int', breaking: true } as const;
    await upgradeSchema(here, [...schemaSteps, more, breaking]);
    store.log(lease).append('b', note('b'));
    await expect(store.commit(lease)).rejects.toMatchObject({ code: 'store_version' });
    await expect(store.runs.create({ ...draft, id: 'late' })).rejects.toMatchObject({
      code: 'store_version',
    });
    await expect(
      store.accounts.open({ id: 't', parent: null, limits: {}, reserve: {} }),
    ).rejects.toMatchObject({
      code: 'store_version',
    });
    expect(await sql('SELECT key FROM events')).toEqual([{ key: 'a' }]);
    const late = openPostgresStore(here);
    await expect(late.runs.list()).rejects.toMatchObject({ code: 'store_version' });
    await late.close();
  });

  it('who is newer than the schema waits for its upgrade', async () => {
    const fresh = postgres.fresh();
    await upgradeSchema(fresh, [{ name: 'older', sql: 'SELECT 1' }].slice(0, 0));
    const newer = openPostgresStore(fresh);
    await expect(newer.runs.list()).rejects.toMatchObject({ code: 'store_version' });
    expect(await upgradeSchema(fresh)).toEqual(schemaSteps.map(({ name }) => name));
    expect(await newer.runs.list()).toEqual([]);
    await newer.close();
  });
});
