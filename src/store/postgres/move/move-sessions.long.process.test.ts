/** Conversations, schedules and jobs of a file, moved to a server, where they go on. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../database.ts';
import { openStore } from '../../open-store.ts';
import { queueSchema } from '../../queue/queue-schema.ts';
import { openSessionsIn, type Sessions } from '../../sessions/open-sessions.ts';
import { openQueueIn } from '../../sqlite/sqlite-queue.ts';
import type { PostgresOptions } from '../connection.ts';
import { noPostgres, type TestPostgres, testPostgres } from '../postgres-server.contract.ts';
import { openPostgresAlerts } from '../queue/open-queue.ts';
import { openPostgresSessions } from '../sessions/postgres-sessions.ts';
import { isMoved, moveStores, type StoreMove } from './move-store.ts';

async function moveFile(
  file: string,
  here: PostgresOptions,
  { look: compareOnly = false, alerts }: { readonly look?: boolean; readonly alerts?: string } = {},
): Promise<StoreMove> {
  const { schema } = here;
  const files = { file, ...(schema !== undefined && { schema }), ...(alerts !== undefined && { alerts }) };
  return (await moveStores([files], here, { compareOnly }))[0]!;
}

const bytes = new Uint8Array([0, 255]);
const list = (length: number) => ({
  kind: 'list' as const,
  pieces: Array.from({ length }, (_, n) => ({ type: 'data', data: `${n} \u0000 ${'x'.repeat(200)}` })),
});
const base = { namespace: '', metadata: '{}', body: '{}', kept: [] };
const fire = { key: '5', due: 5, at: 5, payload: { text: '\u0000' } };

describe.skipIf(noPostgres() !== null)('what sessions keep', () => {
  let postgres: TestPostgres;
  let folder: string;
  beforeAll(async () => {
    postgres = await testPostgres();
    folder = mkdtempSync(join(tmpdir(), 'sonde-move-'));
  });
  afterAll(async () => {
    await postgres?.close();
    rmSync(folder, { recursive: true });
  });

  async function fill({ channels, threads, checkpoints, roles, schedules, queue }: Sessions): Promise<void> {
    await channels.create({ id: 'work', title: 'Work' });
    await threads.create({ id: 'talk', channel: 'work' });
    const lease = await threads.acquire('talk');
    for (const [nth, parent] of [null, 'c0', 'c1'].entries()) {
      const changed = new Map([['m', list(20 + nth)]]);
      const content = { kind: 'one', piece: { type: 'bytes', data: bytes } } as const;
      const write = { namespace: '', checkpoint: `c${nth}`, task: 't', index: 0, path: '', channel: 'b' };
      await checkpoints.write(lease, {
        checkpoints: [{ ...base, id: `c${nth}`, parent, changed }],
        writes: [{ ...write, content }],
      });
    }
    await lease.release();
    await roles.set({ level: 'channel', within: 'work' }, { content: 'Short.', appliesTo: ['planner'] });
    const schedule = {
      prompt: 'p',
      thread: null,
      missed: 'all',
      jitterMs: 0,
      limits: {},
      enabled: true,
    } as const;
    await schedules.add({ ...schedule, id: 'often', trigger: { kind: 'interval', everyMs: 5 } }, 5);
    await schedules.advance('often', 5, [fire], 10);
    await queue.setRule({ topic: 'fires', team: null, shape: null, max: 2, paused: false });
  }

  it('comes over row by row, twice the same, and goes on there', async () => {
    const path = join(folder, 'workspace.db');
    const file = openDatabase({ path, schemas: [] });
    const before = openSessionsIn(file);
    await fill(before);
    await before.close();
    file.close();
    const here = postgres.fresh();
    const look = await moveFile(path, here, { look: true });
    expect([isMoved(look), look.tables.find(({ table }) => table === 'threads')?.target.rows]).toEqual([
      false,
      0,
    ]);
    for (let nth = 0; nth < 2; nth += 1) {
      const move = await moveFile(path, here);
      expect(move.tables.filter(({ source, target }) => source.hash !== target.hash)).toEqual([]);
      const rows = Object.fromEntries(move.tables.map(({ table, target }) => [table, target.rows]));
      expect(rows).toMatchObject({ channels: 1, threads: 1, langgraph_checkpoints: 3, langgraph_writes: 3 });
      expect(rows).toMatchObject({ roles: 1, schedules: 1, queue_jobs: 1, queue_rules: 1 });
      expect(move.left.filter(({ table }) => table !== 'sqlite_sequence')).toEqual([]);
    }
    const sessions = openPostgresSessions(here);
    const { threads, checkpoints, schedules, queue } = sessions;
    expect((await checkpoints.latest('talk', ''))!.channels.get('m')).toEqual(list(22));
    expect((await checkpoints.writes({ thread: 'talk', namespace: '', id: 'c1' }))[0]!.content).toEqual({
      kind: 'one',
      piece: { type: 'bytes', data: bytes },
    });
    const lease = await threads.acquire('talk');
    const grown = { ...base, id: 'c3', parent: 'c2', changed: new Map([['m', list(25)]]) };
    await checkpoints.write(lease, { checkpoints: [grown], writes: [] });
    expect((await checkpoints.latest('talk', ''))!.channels.get('m')).toEqual(list(25));
    const [usage] = await checkpoints.usage('talk');
    // The pieces that came over are found again by their content.
    expect([usage!.checkpoints, usage!.pieces]).toEqual([4, 26]);
    expect((await schedules.fires('often'))[0]).toMatchObject({ due: 5, payload: { text: '\u0000' } });
    expect(await schedules.advance('often', 10, [{ ...fire, key: '10' }], 15)).toBe(true);
    expect((await queue.claim({ topic: 'fires', max: 9 })).map(({ job }) => job.key)).toEqual([
      'often/5',
      'often/10',
    ]);
    await sessions.close();
  });

  it('alerts come over with their groups, under names that the server takes', async () => {
    const [path, beside] = [join(folder, 'runs.db'), join(folder, 'beside.db')];
    await openStore(path).close();
    const file = openDatabase({ path: beside, schemas: [] });
    file.include({
      name: 'alerts',
      needs: [queueSchema],
      steps: [
        {
          name: 'as the file of alerts has them',
          sql: `CREATE TABLE alerts (id INTEGER PRIMARY KEY, alert_group INTEGER, fingerprint TEXT NOT NULL,
              received INTEGER NOT NULL, sent TEXT NOT NULL, state TEXT NOT NULL) STRICT;
            CREATE TABLE alert_deliveries (delivery TEXT PRIMARY KEY, received INTEGER NOT NULL, taken TEXT NOT NULL) STRICT;`,
        },
      ],
    });
    const before = openQueueIn(file);
    const key = ['json', 'Down', 'orders'].join('\u0000');
    const job = { topic: 'alert groups', key, payload: { title: 'Down' } };
    const [group] = await before.enqueue([job]);
    const number = group!.kind === 'full' ? 0 : group!.job.id;
    file.run('INSERT INTO alerts VALUES (7, ?, ?, 1, ?, ?)', number, 'f\u0000', 'Down \u0000', 'firing');
    file.run(`INSERT INTO alert_deliveries VALUES ('d', 1, '[]')`);
    const here = postgres.fresh();
    const [held] = await before.claim({ topic: 'alert groups', max: 1 });
    await expect(moveFile(path, here, { alerts: beside })).rejects.toMatchObject({ code: 'run_state' });
    await before.settle(held!, { kind: 'release' });
    await before.close();
    file.close();
    for (let nth = 0; nth < 2; nth += 1) {
      const move = await moveFile(path, here, { alerts: beside });
      expect([isMoved(move), move.left]).toEqual([true, []]);
    }
    const { records, queue, close } = openPostgresAlerts(here);
    expect(await queue.get('alert groups', key)).toMatchObject({ id: number, key });
    expect((await records.findGroups(['f\u0000'])).get('f\u0000')).toBe(number);
    expect(await records.findKnown(['d'])).toEqual(new Set(['d']));
    const next = { group: number, fingerprint: 'f', sent: '', state: 'resolved' } as const;
    const [kept] = await records.keep([{ alerts: [next], delivery: null, remember: () => null }]);
    expect(kept).toEqual({ kind: 'kept', alerts: [8] });
    await close();
  });
});
