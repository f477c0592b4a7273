/** `sonde memory` as a real process: what its owner sees, writes, and erases. */
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { newHome } from './testbed/run-sonde.ts';
import { sonde } from './testbed/sonde-here.ts';

let home: string;
beforeAll(async () => {
  home = newHome();
  const vault = mkdtempSync(join(tmpdir(), 'sonde-vault-'));
  writeFileSync(join(vault, 'Plan.md'), 'A plan.\n');
  expect((await sonde(['world', 'import', vault, '--workspace', 'w'], { home })).status).toBe(0);
});

const run = (...args: readonly string[]) => sonde(['memory', ...args, '--workspace', 'w'], { home });
const json = async (...args: readonly string[]) => JSON.parse((await run(...args, '--json')).stdout);

/** Every file below the home that holds these bytes. */
const filesWith = (text: string) =>
  readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text));

describe('sonde memory', () => {
  it('puts, lists, removes', async () => {
    expect((await run('put', 'style', 'Short sentences.', '--tier', 'account')).stdout).toBe(
      'created in account\n',
    );
    expect(await json('put', 'launch', 'In May.')).toMatchObject({ tier: 'workspace', change: 'created' });
    expect(await json('put', 'mood', 'Good.', '--tier', 'conversation', '--thread', 't1')).toMatchObject({
      change: 'created',
    });
    expect(await json('put', 'topic', 'Tests.', '--tier', 'channel', '--channel', 'c1')).toMatchObject({
      change: 'created',
    });
    expect((await json('ls')).map((item: { key: string }) => item.key).sort()).toEqual(
      ['launch', 'mood', 'style', 'topic'].sort(),
    );
    expect(await json('ls', '--thread', 't1')).toMatchObject([
      { key: 'mood', within: 't1', writer: expect.stringMatching(/^user /) },
    ]);
    expect((await run('rm', 'launch')).stdout).toBe('forgotten in workspace\n');
    expect((await run('rm', 'launch')).stdout).toMatch(/no memory with that key/);
    expect(await json('ls', '--tier', 'workspace')).toEqual([]);
  });

  it('shows the account where there is no workspace', async () => {
    const { status, stdout } = await sonde(['memory', 'ls', '--tier', 'account'], { home });
    expect([status, stdout]).toEqual([0, 'account  style: Short sentences.\n']);
  });

  // world.md: Memory 5; and that a scrub leaves no byte.
  it('shows what a scrub would delete, and deletes it when told, from the files, too', async () => {
    const mark = 'xyzzy-confidential';
    for (const tier of ['workspace', 'account'])
      await run('put', `of ${tier}`, `${mark} ${tier}`, '--tier', tier);
    const shown = await run('scrub', '--match', mark);
    expect(shown).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/2 items\. Nothing was deleted/),
    });
    expect(shown.stdout).toContain(`${mark} account`);
    expect(filesWith(mark).length).toBeGreaterThan(0);
    const done = await json('scrub', '--match', mark, '--yes');
    expect(done).toMatchObject({ deleted: true, erased: true, items: [{}, {}] });
    expect(filesWith(mark)).toEqual([]);
    expect(await json('ls', '--match', 'Short')).toHaveLength(1);
  });

  it.each<[string, readonly string[], RegExp]>([
    ['a tier that is none', ['ls', '--tier', 'all'], /"all"[\s\S]*conversation, channel/],
    ['a place that is not named', ['put', 'k', 'x', '--tier', 'conversation'], /--thread/],
    ['a text that is too long', ['put', 'k', 'x'.repeat(20_000)], /20001 bytes.*16384/],
    ['a text that is none', ['put', 'k', ' '], /empty/],
  ])('%s', async (_name, args, words) => {
    const { status, stdout, stderr } = await run(...args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(words);
  });
});
