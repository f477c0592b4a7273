/** `sonde audit`: what a person did at this machine, from every file in which it is kept. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newHome, sonde } from '../testbed/run-sonde.ts';
import { createSmallTree } from '../testbed/small-tree.ts';

type Row = { readonly actor: string; readonly act: string; readonly on: string };

const home = newHome();
const run = async (...args: readonly string[]) => sonde(args, { home, env: { SONDE_MODEL: 'extractive' } });

it('has each act once, under the name of its person, and no text of it', async () => {
  const notes = join(home, 'notes');
  mkdirSync(notes, { recursive: true });
  writeFileSync(join(notes, 'Plan.md'), '# Plan\n');
  await run('world', 'import', notes, '--workspace', 'main');
  await run('ask', 'Where is a hunter22parcel delivered?', createSmallTree());
  await run('schedule', 'add', 'daily', 'hunter22digest', '--every', '1h', '--workspace', 'main');
  await run('schedule', 'enable', 'daily', '--workspace', 'main');
  await run('schedule', 'rm', 'daily', '--workspace', 'main');
  await run('role', 'set', 'hunter22brief', '--at', 'workspace', '--workspace', 'main');
  await run('role', 'rm', '--at', 'workspace', '--workspace', 'main');
  await run('role', 'set', 'hunter22kind', '--at', 'account');
  await run('token', 'add', 'phone', '--workspace', 'main', '--role', 'reader');
  await run('token', 'rm', 'phone');
  await run('world', 'rename', 'Plan', 'Goal', '--workspace', 'main');
  await run('prune', '--keep', '0', '--yes');
  const { stdout } = await run('audit', '--json');
  const rows = JSON.parse(stdout) as readonly Row[];
  expect(rows.map(({ act, on }) => `${act} ${on.replace(/^(run|pg)-.*/, '$1')}`)).toEqual([
    'run_removed run',
    'rename_page pg',
    'token_removed phone, for the workspace main',
    'token_added phone, for the workspace main',
    'role_set account',
    'role_removed workspace',
    'role_set workspace',
    'schedule_removed daily',
    'schedule_enabled daily',
    'schedule_added daily',
    'run_started run',
  ]);
  expect(new Set(rows.map(({ actor }) => actor)).size).toBe(1);
  expect(rows[0]!.actor).toMatch(/^user:./);
  expect(stdout).not.toContain('hunter22');
  const some = await run('audit', '--actor', rows[0]!.actor, '--since', '1h', '--max', '2');
  expect(some.stdout.trim().split('\n')).toHaveLength(2);
  expect((await run('audit', '--actor', 'user:nobody')).stdout).toBe('');
});

it.each([
  ['--since', 'soon', /--since is "soon"/],
  ['--max', '0', /--max is "0"/],
])('refuses %s %s', async (flag, value, words) => {
  const { status, stderr } = await run('audit', flag, value);
  expect([status, stderr]).toEqual([2, expect.stringMatching(words)]);
});
