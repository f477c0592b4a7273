/** Groups and alerts that an older version kept in their own file are there, with their numbers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../core/index.ts';
import { openDatabase, openQueueIn } from '../../store/index.ts';
import { openIntakeIn } from './alerts.contract.ts';
import { fileRecords } from './file-records.ts';
import { alertGroups, groupTopic, toGroup } from './groups.ts';
import { openAlerts } from './open-alert-database.ts';
import { alertsSchema } from './schema.ts';

it('groups become jobs of the queue, once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-alerts-'));
  const { needs: _, ...rest } = alertsSchema;
  const old = openDatabase({
    path: join(folder, 'alerts.db'),
    schemas: [{ ...rest, steps: alertsSchema.steps.slice(0, 3) }],
    busyMs: 1_000,
  });
  old.run("INSERT INTO alert_sources VALUES ('sonde.db')");
  const holder = JSON.stringify({ host: 'h', pid: 1, started: '1' });
  for (const [id, state, title, run, reason, by, deaths] of [
    [3, 'done', 'A (orders)', 'run-3', null, null, 0],
    [5, 'failed', 'B\n"b"', 'run-5', 'The alert is\u0000 odd', null, 1],
    [6, 'running', null, 'run-6', null, holder, 2],
    [9, 'waiting', 'C', null, null, null, 0],
  ] as const) {
    old.run(
      'INSERT INTO alert_groups (id, name, state, run, attempts, opened, updated, title, reason, holder, deaths) VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?)',
      ...[
        id,
        ['Name', `s${id}`, ''].join('\u0000'),
        state,
        run,
        id * 10,
        id * 10 + 1,
        title,
        reason,
        by,
        deaths,
      ],
    );
    for (const n of [0, 1])
      old.run(
        'INSERT INTO alerts (id, alert_group, fingerprint, received, sent) VALUES (?, ?, ?, ?, ?)',
        ...[id * 10 + n, id, 'f', id, `{"alertname":"Name\u0000","n":${n}}`],
      );
  }
  old.run("INSERT INTO alerts (id, fingerprint, received, sent) VALUES (7, 'f', 1, 'over')");
  old.close();

  for (const _again of [1, 2]) {
    const db = openAlerts(join(folder, 'sonde.db'));
    const groups = alertGroups(fileRecords(db, systemClock), openQueueIn(db));
    expect(await groups.counts()).toEqual({ alerts: 9, waiting: 2, running: 0, done: 1, failed: 1 });
    const note = { alerts: 2, closed: false, reason: null };
    expect((await groups.list({ max: 9 })).groups).toEqual([
      { ...note, id: 9, title: 'C', state: 'waiting', run: null, opened: 90, updated: 91 },
      { ...note, id: 6, title: 'Name s6', state: 'waiting', run: 'run-6', opened: 60, updated: 61 },
      ...[
        {
          ...note,
          id: 5,
          title: 'B\n"b"',
          state: 'failed',
          run: 'run-5',
          reason: 'The alert is\u0000 odd',
          opened: 50,
          updated: 51,
        },
      ],
      { ...note, id: 3, title: 'A (orders)', state: 'done', run: 'run-3', opened: 30, updated: 31 },
    ]);
    db.close();
  }
  const db = openAlerts(join(folder, 'sonde.db'));
  const queue = openQueueIn(db);
  const claims = await queue.claim({ topic: groupTopic, max: 9 });
  expect(claims.map(({ job }) => [job.deaths, toGroup(job)])).toEqual([
    [2, { id: 6, title: 'Name s6', run: 'run-6', sent: '{"alertname":"Name\u0000","n":0}', before: null }],
    [0, { id: 9, title: 'C', run: null, sent: '{"alertname":"Name\u0000","n":0}', before: null }],
  ]);
  await queue.close();
  // Numbers go on where they were.
  const { taken } = await openIntakeIn(db).receive('{"alertname":"New"}');
  expect(taken).toMatchObject([{ id: 92, group: 10, state: 'opened' }]);
  db.close();
  rmSync(folder, { recursive: true });
});
