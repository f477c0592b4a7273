/** Fires that an older version kept are there, each once, as they stood. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../database.ts';
import { runsSchema } from '../sqlite/migrations.ts';
import { openSessionsIn } from './open-sessions.ts';
import { fireTopic } from './schedules.ts';
import { sessionSchema } from './session-schema.ts';

it('fires of 9b0012d become jobs of the queue, once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-session-'));
  const path = join(folder, 'notes.db');
  const { needs: _, ...rest } = sessionSchema;
  const before = sessionSchema.steps.findIndex(({ name }) => name === 'fires are jobs of the queue');
  const old = openDatabase({
    path,
    schemas: [runsSchema, { ...rest, steps: sessionSchema.steps.slice(0, before) }],
    busyMs: 1_000,
  });
  const schedule = {
    ...{ trigger: { kind: 'interval', everyMs: 1_000 }, prompt: 'p', thread: null, missed: 'all' },
    ...{ jitterMs: 0, limits: {} },
  };
  old.run(`INSERT INTO schedules VALUES ('often', ?, 1, 4000, 1)`, JSON.stringify(schedule));
  const event = {
    name: 'edit',
    payload: { text: '"\u0000ä', deep: JSON.parse('['.repeat(3_000) + ']'.repeat(3_000)) },
  };
  for (const [id, due, at, payload, state, note] of [
    ['often/1000', 1_000, 1_000, null, 'done', null],
    ['often/2000', 2_000, 2_100, null, 'failed', 'no "model"\u0000'],
    ['often/event/e1', 2_500, 2_500, event, 'waiting', null],
    ['often/3000', 3_000, 3_200, null, 'waiting', null],
  ] as const)
    old.run(
      'INSERT INTO schedule_fires VALUES (?, ?, ?, ?, ?, ?, ?)',
      id,
      'often',
      due,
      at,
      JSON.stringify(payload),
      state,
      note,
    );
  old.close();

  for (const _again of [1, 2]) {
    const db = openDatabase({ path, schemas: [], busyMs: 1_000 });
    const { schedules } = openSessionsIn(db);
    expect(await schedules.get('often')).toMatchObject({ id: 'often', next: 4_000, ...schedule });
    expect(await schedules.fires('often')).toEqual([
      {
        id: 'often/3000',
        schedule: 'often',
        byHand: false,
        due: 3_000,
        at: 3_200,
        payload: null,
        state: 'waiting',
        note: null,
        outcome: null,
        started: null,
      },
      {
        id: 'often/event/e1',
        schedule: 'often',
        byHand: false,
        due: 2_500,
        at: 2_500,
        payload: event,
        state: 'waiting',
        note: null,
        outcome: null,
        started: null,
      },
      ...[
        {
          id: 'often/2000',
          schedule: 'often',
          byHand: false,
          due: 2_000,
          at: 2_100,
          payload: null,
          state: 'failed',
          note: 'no "model"\u0000',
          outcome: null,
          started: null,
        },
      ],
      {
        id: 'often/1000',
        schedule: 'often',
        byHand: false,
        due: 1_000,
        at: 1_000,
        payload: null,
        state: 'done',
        note: null,
        outcome: null,
        started: null,
      },
    ]);
    db.close();
  }
  const db = openDatabase({ path, schemas: [], busyMs: 1_000 });
  const sessions = openSessionsIn(db);
  const fire = { key: '1000', due: 1_000, at: 1_000, payload: null };
  // Made before: it does not come again.
  expect(await sessions.schedules.advance('often', 4_000, [fire], 5_000)).toBe(true);
  const claims = await sessions.queue.claim({ topic: fireTopic, max: 9 });
  expect(claims.map(({ job }) => job.key)).toEqual(['often/event/e1', 'often/3000']);
  sessions.close();
  // With its fires; what somebody was at is lost to him.
  await sessions.schedules.remove('often');
  expect(await sessions.schedules.fires('often')).toEqual([]);
  await expect(sessions.queue.settle(claims[0]!, { kind: 'done' })).rejects.toMatchObject({
    code: 'lease_lost',
  });
  db.close();
  rmSync(folder, { recursive: true });
});
