/** Channels, roles, schedules, tokens, old runs and the file of a workspace, by their commands, in this process. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newHome } from '../../testbed/run-sonde.ts';
import { sonde } from '../../testbed/sonde-here.ts';

let home: string;
beforeEach(async () => {
  home = newHome();
  await run('world', 'new', 'main');
});
afterEach(() => rmSync(home, { recursive: true }));

const run = (...args: string[]) => sonde(args, { home });

/** What it printed, where it ended with 0. */
async function said(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await run(...args);
  expect({ args, status, stderr }).toMatchObject({ status: 0 });
  return stdout + stderr;
}
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout);

describe('channel', () => {
  it('is made, listed with its conversations, and removed', async () => {
    expect(await said('channel', 'ls')).toContain('There is no channel.');
    expect(await said('channel', 'add', 'kitchen', '--title', 'What we cook')).toContain(
      'channel kitchen exists now',
    );
    expect(await said('channel', 'assign', 'bread', 'kitchen')).toContain('bread is in kitchen');
    expect(await said('channel', 'assign', 'soup', 'kitchen')).toContain('soup is in kitchen');
    expect(await said('channel', 'ls')).toMatch(/kitchen {2}What we cook {2}2 conversations: /);
    expect(await said('channel', 'assign', 'bread')).toContain('bread is in no channel');
    expect(await json('channel', 'ls')).toMatchObject([{ id: 'kitchen', threads: ['soup'] }]);
    expect(await said('channel', 'rm', 'kitchen')).toContain('its conversations are in no channel');
    expect(await json('channel', 'ls')).toEqual([]);
  });

  it('of a wrong name, or that is not there, is refused', async () => {
    expect(await run('channel', 'add', 'a b')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('is not a valid id'),
    });
    expect(await run('channel', 'assign', 'bread', 'cellar')).toMatchObject({ status: 2 });
    expect(await run('channel', 'rm', 'cellar')).toMatchObject({ status: 2 });
  });
});

describe('role', () => {
  it('is set at a level, listed from the narrowest, and taken away', async () => {
    expect(await said('role', 'ls')).toContain('no role');
    await said('role', 'set', 'Be brief.', '--at', 'workspace');
    await said('role', 'set', 'Speak of bread.', '--at', 'thread', '--thread', 'bread', '--for', 'planner');
    const listed = await said('role', 'ls');
    expect(listed.indexOf('Speak of bread.')).toBeLessThan(listed.indexOf('Be brief.'));
    expect(await json('role', 'ls')).toHaveLength(2);
    expect(await said('role', 'rm', '--at', 'workspace')).toContain('has no role now');
    expect(await run('role', 'rm', '--at', 'workspace')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('has no role'),
    });
  });

  it('at no level, or at one without its name, is refused', async () => {
    expect(await run('role', 'set', 'x', '--at', 'planet')).toMatchObject({ status: 2 });
    expect(await run('role', 'set', 'x', '--at', 'thread')).toMatchObject({ status: 2 });
  });
});

describe('schedule', () => {
  it('is added by time, by distance and by event, listed, run at once, and removed', async () => {
    expect(await said('schedule', 'ls')).toContain('There is no schedule.');
    const cron = ['--cron', '0 7 * * 1-5', '--zone', 'Europe/Berlin'];
    expect(await said('schedule', 'add', 'morning', 'What changed?', ...cron)).toContain('next ');
    await said(
      'schedule',
      'add',
      'often',
      'Look around',
      '--every',
      '30m',
      '--missed',
      'skip',
      '--jitter',
      '1m',
    );
    expect(await said('schedule', 'add', 'new-page', 'Read it', '--on', 'create_page')).toContain(
      'waits for its event',
    );
    const listed = await said('schedule', 'ls');
    for (const trigger of ['0 7 * * 1-5 (Europe/Berlin)', 'every 1800 s', 'on create_page'])
      expect(listed).toContain(trigger);
    expect(await said('schedule', 'run', 'morning')).toMatch(/morning in \S+: answered/);
    const [morning] = (await json('schedule', 'ls')).filter(({ id }: { id: string }) => id === 'morning');
    expect(morning).toMatchObject({ id: 'morning', trigger: { kind: 'cron', zone: 'Europe/Berlin' } });
    expect(await said('schedule', 'rm', 'often')).toContain('often was removed');
    expect(await said('schedule', 'run')).toContain('Nothing is due.');
  });

  it.each([
    [['--every', 'soon'], '--every is "soon"'],
    [['--cron', '0 7 * * *', '--every', '5m'], 'exactly one of'],
    [['--every', '5m', '--zone', 'Europe/Berlin'], '--zone is for --cron'],
    [['--on', 'full_moon'], 'it would never start'],
    [[], 'exactly one of'],
  ])('%j can never fire, and is refused', async (flags, why) => {
    expect(await run('schedule', 'add', 'x', 'Look', ...flags)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(why),
    });
    expect(await json('schedule', 'ls')).toEqual([]);
  });
});

describe('token', () => {
  it('is printed once, listed without itself, and taken away', async () => {
    expect(await said('token', 'ls')).toContain('There is no token.');
    const { stdout } = await run('token', 'add', 'editor', '--workspace', 'main', '--allow', 'read-only');
    const made = stdout.trim();
    expect(made).toMatch(/^\S{32,}$/);
    await said('token', 'add', 'pager', '--alerts');
    await said('token', 'add', '--sender', 'opsgenie');
    const listed = await said('token', 'ls');
    expect(listed).toMatch(/opsgenie {2}\(alerts of opsgenie\)/);
    await said('token', 'rm', 'opsgenie');
    expect(listed).toMatch(/editor {2}main {2}read-only/);
    expect(listed).toMatch(/pager {2}\(alerts\)/);
    expect(listed).not.toContain(made);
    expect(await said('token', 'rm', 'pager', '--alerts')).toContain('pager was revoked');
    expect(await json('token', 'ls')).toMatchObject([{ name: 'editor' }]);
    expect(await run('token', 'rm', 'pager', '--alerts')).toMatchObject({ status: 2 });
  });
});

describe('prune', () => {
  it('shows what would go, and removes it when told to', async () => {
    await said('incident', '--replay', join(import.meta.dirname, '../../../../examples/incident/data'));
    expect(await said('prune')).toContain('Nothing to remove.');
    expect(await said('prune', '--keep', '0')).toMatch(/run-\S+ .*\n(.*\n)*.*Would be removed: 1 run/);
    expect(await json('runs')).toHaveLength(1);
    expect(await said('prune', '--keep', '0', '--yes')).toContain('Removed: 1 run');
    expect(await json('runs')).toEqual([]);
  });

  it('of no duration, or of no number, is refused', async () => {
    expect(await run('prune', '--older-than', 'long')).toMatchObject({ status: 2 });
    expect(await run('prune', '--keep', 'some')).toMatchObject({ status: 2 });
  });
});

describe('the file of a workspace', () => {
  const write = (text: string) => sonde(['world', 'edit', 'Bread', '--from', '-'], { home, input: text });

  it('is made, copied and checked', async () => {
    expect(await said('world', 'new', 'garden')).toContain('garden');
    expect(await run('world', 'new', 'garden')).toMatchObject({ status: 2 });
    await write('# Bread\n\nBake at 230 °C.\n');
    const copy = join(home, 'copy.db');
    expect(await said('world', 'backup', copy)).toContain('1 page copied');
    expect(await run('world', 'backup', copy)).toMatchObject({ status: 2 });
    expect(await said('world', 'check')).toContain('1 page, all as they were written');
    expect(await json('world', 'check', '--workspace', copy)).toMatchObject({ ok: true, damaged: [] });
  });

  it('that is damaged is named, and what can be read is saved', async () => {
    const text = 'Bake at two hundred and thirty degrees.';
    await write(`# Bread\n\n${text}\n`);
    const copy = join(home, 'copy.db');
    await said('world', 'backup', copy);
    const bytes = readFileSync(copy);
    // A letter of the block that stands in its table, not of the log.
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
      bytes[at] = 'M'.charCodeAt(0);
      writeFileSync(copy, bytes);
      const { status, stdout } = await run('world', 'check', '--workspace', copy);
      if (status === 0) {
        bytes[at] = 'B'.charCodeAt(0);
        continue;
      }
      expect(stdout).toContain('damaged. Keep');
      const out = join(home, 'saved.db');
      const saved = await run('world', 'salvage', copy, out);
      expect(saved.stdout).toMatch(/saved into .*saved\.db: 1 page,/);
      expect(existsSync(out)).toBe(true);
      expect(await run('world', 'check', '--workspace', out)).toMatchObject({ status: 0 });
      return;
    }
    throw new Error('no place was found whose change is damage');
  });
});
