/** `sonde alerts`, in this process, over a home of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createProgram } from '../cli/program.ts';
import { databaseFile, loadConfiguration } from '../config/index.ts';
import { alert, openIntakeIn } from './alerts.contract.ts';
import { listAlerts, retryAlerts } from './manage.ts';
import { openAlerts } from './open-alert-database.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sonde-alerts-'));
  vi.stubEnv('SONDE_HOME', home);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

/** Three groups, of which the second failed. */
async function received(): Promise<void> {
  const { directories } = loadConfiguration({ environment: { SONDE_HOME: home } });
  const db = openAlerts(databaseFile(directories));
  const { receive, jobs, start, fail } = openIntakeIn(db);
  for (const name of ['A', 'B', 'C', 'B']) await receive(alert(name));
  const first = await start('run-1');
  await fail(await start('run-2'), 'The alert is\nodd');
  await jobs.settle(first, { kind: 'release', kept: null });
  db.close();
}

async function printed(...args: readonly string[]): Promise<string> {
  let text = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((piece, ...rest) => {
    text += String(piece);
    const done = rest.find((one) => typeof one === 'function');
    done?.();
    return true;
  });
  await (await createProgram()).parseAsync(['node', 'sonde', 'alerts', ...args]);
  return text;
}

it('lists all groups, or those of one state', async () => {
  await expect(listAlerts({})).resolves.toMatchObject({ alerts: 0, groups: [], more: 0 });
  await received();
  const all = await listAlerts({});
  expect(all).toMatchObject({ alerts: 4, waiting: 2, running: 0, done: 0, failed: 1, more: 0 });
  expect(all.groups.map(({ id, state, alerts }) => [id, state, alerts])).toEqual([
    [3, 'waiting', 1],
    [2, 'failed', 2],
    [1, 'waiting', 1],
  ]);
  expect((await listAlerts({ state: 'failed' })).groups).toMatchObject([
    { id: 2, title: 'B (orders)', reason: 'The alert is\nodd', run: 'run-2' },
  ]);
  expect(() => listAlerts({ state: 'odd' })).toThrow('--state is odd');
});

it('has a group that failed wait again, and no other', async () => {
  await received();
  expect(await retryAlerts('2')).toMatchObject({ id: 2, state: 'waiting', reason: null });
  await expect(retryAlerts('2')).rejects.toMatchObject({ code: 'run_state' });
  await expect(retryAlerts('99')).rejects.toMatchObject({ code: 'not_found' });
  expect(() => retryAlerts('2; DROP')).toThrow('is not the id');
});

it('as a command', async () => {
  await received();
  expect(await printed('ls', '--state', 'failed')).toMatch(
    /^2 +failed +2 alerts +run-2 +B \(orders\)\n +The alert is odd\n$/,
  );
  expect(JSON.parse(await printed('ls', '--json'))).toMatchObject({ alerts: 4, groups: [{}, {}, {}] });
  expect(await printed('retry', '2')).toContain('2 waits again');
  expect(JSON.parse(await printed('ls', '--json'))).toMatchObject({ waiting: 3, failed: 0 });
});
