/** What an older version kept can end nobody: it is investigated as far as it can be, or failed with its reason. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { systemClock } from '../../core/index.ts';
import { openDatabase, openQueueIn, openStore } from '../../store/index.ts';
import { loadConfiguration } from '../config/index.ts';
import { newHome } from '../testbed/run-sonde.ts';
import { fileRecords } from './file-records.ts';
import { alertGroups } from './groups.ts';
import { openInvestigations } from './investigations.ts';
import { openAlerts } from './open-alert-database.ts';
import { openAlertFile } from './open-alert-store.ts';
import { alertsSchema } from './schema.ts';

const replay = fileURLToPath(new URL('../../../examples/incident', import.meta.url));

it('rows of 9b0012d that ended their host', async () => {
  const home = newHome();
  const database = join(home, 'sonde.db');
  const old = openDatabase({
    path: database,
    schemas: [{ ...alertsSchema, steps: alertsSchema.steps.slice(0, 1) }],
    busyMs: 5_000,
  });
  const add = (state: string, run: string | null, sent: string | null): void => {
    const group = old.insert(
      'INSERT INTO alert_groups (name, state, run, opened, updated) VALUES (?, ?, ?, 0, 0)',
      ['Name', 'service', ''].join('\u0000'),
      state,
      run,
    );
    if (sent !== null)
      old.run(
        'INSERT INTO alerts (alert_group, fingerprint, received, sent) VALUES (?, ?, 0, ?)',
        group,
        'f',
        sent,
      );
  };
  add('waiting', null, 'x'.repeat(600_000));
  add('waiting', null, JSON.stringify({ alertname: 'Long', service: 'tickets', text: 'x'.repeat(600_000) }));
  add('waiting', null, `{"alertname":"Deep","a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`);
  add('waiting', null, ' ');
  add('waiting', null, null);
  add('running', null, '{"alertname":"A"}');
  add('running', 'run-that-is-gone', '{"alertname":"A"}');
  add('waiting', null, '{"alertname":"Good","service":"tickets"}');
  old.close();

  const configuration = loadConfiguration({
    environment: { SONDE_HOME: home },
    flags: { model: 'extractive' },
  });
  const store = openStore(database);
  const alerts = openAlertFile(database);
  const open = await openInvestigations({
    ...{ configuration, store, queue: alerts.queue, replay },
    tell: () => {},
  });
  await open.idle();
  await open.close();
  await alerts.close();
  await store.close();

  const db = openAlerts(database);
  const { groups } = await alertGroups(fileRecords(db, systemClock), openQueueIn(db)).list({ max: 99 });
  expect(groups.toReversed().map(({ state, reason }) => [state, reason])).toEqual([
    ['done', null],
    ['done', null],
    ['done', null],
    ['failed', 'The alert is empty'],
    ['failed', 'The alert is empty'],
    ['done', null],
    ['done', null],
    ['done', null],
  ]);
  // Taken over once: what was there before is there no more, and opened again nothing is there twice.
  expect(db.get('SELECT count(*) AS n FROM alerts')).toEqual({ n: 7 });
  db.close();
  openAlerts(database).close();
  const before = openDatabase({ path: database, schemas: [], busyMs: 5_000 });
  expect(
    before.get('SELECT (SELECT count(*) FROM alerts) + (SELECT count(*) FROM alert_groups) AS n'),
  ).toEqual({ n: 0 });
  before.close();
  rmSync(home, { recursive: true });
});
