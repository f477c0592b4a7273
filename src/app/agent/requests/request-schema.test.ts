/** Requests that an older version kept are there, in their order, with what is known of them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase, openQueueIn, openSessionsIn } from '../../../store/index.ts';
import { openPositionStore } from './position-store.ts';
import { openRequestQueue } from './request-queue.ts';
import { requestSchema } from './request-schema.ts';

it('requests of 9b0012d become jobs of the queue, once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-desk-'));
  const path = join(folder, 'notes.db');
  const { needs: _, ...rest } = requestSchema;
  const old = openDatabase({
    path,
    schemas: [{ ...rest, steps: requestSchema.steps.slice(0, 3) }],
    busyMs: 1_000,
  });
  const message = { kind: 'message', text: 'ä\u0000"', schedule: null, event: null, limits: { tokens: 5 } };
  const deep = { kind: 'answer', question: 'q', value: JSON.parse('['.repeat(3_000) + ']'.repeat(3_000)) };
  const outcome = { status: 'answered', text: 'well' };
  const row = (
    id: string,
    thread: string,
    request: object,
    state: string,
    more: readonly (string | number | null)[],
  ) =>
    old.run(
      'INSERT INTO desk_requests (id, thread, request, state, outcome, deaths, stuck, progress, created, updated) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 7, 9)',
      id,
      thread,
      JSON.stringify(request),
      state,
      ...more,
    );
  row('client:a:old', 't', message, 'done', [JSON.stringify(outcome), 0, 0, null]);
  row('first', 't', message, 'waiting', [null, 0, 0, null]);
  row('answer', 't', deep, 'waiting', [null, 0, 0, null]);
  row('bad', 'u', message, 'running', [null, 4, 4, 12]);
  old.run("INSERT INTO desk_marks VALUES ('world events', 41)");
  old.close();

  for (const _again of [1, 2]) {
    const db = openDatabase({ path, schemas: [], busyMs: 1_000 });
    const { queue } = openSessionsIn(db);
    expect(openPositionStore(db).read('world events')).toBe(41);
    const desk = await openRequestQueue({
      queue,
      tell: () => {},
      progress: async () => 12,
      issue: () => ({ tools: { url: '', token: '' }, revoke: () => {} }),
    });
    expect(await desk.find('client:a:old')).toMatchObject({
      thread: 't',
      request: message,
      state: 'done',
      outcome,
    });
    expect(await desk.waitUntilDone('client:a:old')).toEqual(outcome);
    expect(await desk.find('first')).toMatchObject({ state: 'waiting', request: message, deaths: 0 });
    expect(await desk.find('bad')).toMatchObject({ state: 'waiting', thread: 'u', deaths: 4 });
    await desk.close();
    db.close();
  }
  const db = openDatabase({ path, schemas: [], busyMs: 1_000 });
  const queue = openQueueIn(db);
  const claims = await queue.claim({ topic: 'agent requests', max: 9 });
  expect(claims.map(({ job }) => job.key)).toEqual(['answer', 'bad']);
  expect(claims[0]!.job.payload).toEqual(deep);
  await queue.settle(claims[0]!, { kind: 'done' });
  const [next] = await queue.claim({ topic: 'agent requests', max: 9 });
  expect(next?.job).toMatchObject({ key: 'first', created: 7 });
  await queue.close();
  db.close();
  rmSync(folder, { recursive: true });
});
