/** Which ends count as deaths of the agent over a request. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { manualClock } from '../../core/index.ts';
import { openDatabase } from '../../store/index.ts';
import type { AgentClient } from './channel-client.ts';
import { openDesk } from './desk.ts';
import { deskRows } from './desk-rows.ts';

/** Takes every request, and never comes to an end with it. */
const endless = {
  request: () => new Promise(() => {}),
  onEvent: () => () => {},
} as unknown as AgentClient;

it.each([
  ['died', 1],
  ['ended', 0],
] as const)('an agent that %s: %i deaths, and the request waits for the next one', async (how, deaths) => {
  const db = openDatabase({ path: ':memory:', schemas: [], busyMs: 1_000 });
  const rows = deskRows(db, manualClock(0));
  const open = () =>
    openDesk({
      rows,
      tell: () => {},
      progress: () => 0,
      issue: () => ({ tools: { url: 'http://127.0.0.1:1', token: 't' }, revoke: () => {} }),
    });
  const desk = open();
  desk.post({
    id: 'm',
    thread: 't',
    request: { kind: 'message', text: 'x', schedule: null, event: null, limits: null },
  });
  desk.up(endless);
  while (rows.get('m')?.state !== 'running') await turn();
  desk.down(how);
  // The process goes, and the host starts again.
  desk.down();
  open();
  expect(rows.get('m')).toMatchObject({ state: 'waiting', deaths });
  db.close();
});

it('an agent that has not been there yet is started, not started again', async () => {
  const db = openDatabase({ path: ':memory:', schemas: [], busyMs: 1_000 });
  const desk = openDesk({
    rows: deskRows(db, manualClock(0)),
    tell: () => {},
    progress: () => 0,
    issue: () => ({ tools: { url: 'http://127.0.0.1:1', token: 't' }, revoke: () => {} }),
  });
  const asked = [() => desk.observe('t'), () => desk.cancel('t'), () => desk.drop('t')];
  for (const ask of asked) await expect(ask()).rejects.toThrow(/is being started$/);
  desk.up(endless);
  desk.down();
  for (const ask of asked) await expect(ask()).rejects.toThrow(/is being started again$/);
  db.close();
});
