import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFileLock } from '../../store/lock.ts';
import { worldWrite } from '../../world/index.ts';
import { servingLock } from '../agent/port/port.ts';
import { loadConfiguration, workspaceFile } from '../config/index.ts';
import { createSmallWorld } from '../testbed/small-world.ts';
import { type Backup, keepBackups, listBackups, makeBackup } from './backups.ts';
import { restoreWorkspace } from './restore-workspace.ts';
import { author, type OpenWorkspace, openWorkspace } from './workspace.ts';

let home: string;
let path: string;
const folder = (): string => join(home, 'copies');
const configuration = () => loadConfiguration({ environment: { SONDE_HOME: home } });

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'sonde-backups-'));
  path = await createSmallWorld(home);
});
afterEach(() => rmSync(home, { recursive: true }));

function write({ world }: Pick<OpenWorkspace, 'world'>, page: string): void {
  const operation = { op: 'create_page', path: page, text: `${page}.\n` } as const;
  world.submit(worldWrite({ operation, caller: author(), source: 'test', idempotencyKey: null }));
}
async function pagesIn(file: string): Promise<readonly string[]> {
  const open = await openWorkspace(file, { make: false });
  try {
    return open.world.pages().map(({ path: page }) => page);
  } finally {
    open.close();
  }
}
const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

describe('copies of a workspace', () => {
  it('are made while others write, and the oldest of them removed', async () => {
    const [open, other] = [await openWorkspace(path), await openWorkspace(path)];
    const stop = new AbortController();
    const made: Backup[] = [];
    const enough = Promise.withResolvers<void>();
    const keeping = keepBackups({
      ...{ rules: { folder: folder(), every: 20, keep: 2 }, open, signal: stop.signal, tell: () => {} },
      async onBackup(backup) {
        made.push(backup);
        write(other, `Written after ${made.length}`);
        if (made.length === 5) enough.resolve();
      },
    });
    await enough.promise;
    stop.abort();
    await keeping;
    const [place] = readdirSync(folder());
    const left = listBackups(join(folder(), place!));
    expect(left.map(({ file }) => file)).toEqual(made.slice(-2).map(({ file }) => file));
    expect(readdirSync(join(folder(), place!))).toHaveLength(2);
    const held = await pagesIn(made.at(-1)!.file);
    expect(held).toContain('Written after 4');
    expect(held).not.toContain('Written after 5');
    open.close();
    other.close();
  });

  it('are not made again at once by a host that is started again, and what a killed one left is removed', async () => {
    const open = await openWorkspace(path);
    const stop = new AbortController();
    const made: Backup[] = [];
    const options = { rules: { folder: folder(), every: 60_000, keep: 9 }, open, tell: () => {} };
    const keep = (signal: AbortSignal, onMade: () => void) =>
      keepBackups({
        ...{ ...options, signal },
        async onBackup(backup) {
          made.push(backup);
          onMade();
        },
      });
    await keep(stop.signal, () => stop.abort());
    await keep(AbortSignal.timeout(50), () => {});
    expect(made).toHaveLength(1);
    const part = join(dirname(made[0]!.file), '.2026-11-24T01-00-00.000Z.db.1.part');
    writeFileSync(part, 'half');
    writeFileSync(`${part}-wal`, 'half');
    await makeBackup(path, dirname(part));
    expect(readdirSync(dirname(part)).filter((name) => name.startsWith('.'))).toEqual([]);
    open.close();
  });

  it('that cannot be made are told of once, and tried again', async () => {
    const open = await openWorkspace(path);
    writeFileSync(folder(), 'a file is in the way');
    const stop = new AbortController();
    const said: string[] = [];
    const rules = { folder: folder(), every: 10, keep: 2 };
    const well = Promise.withResolvers<void>();
    const keeping = keepBackups({
      ...{ rules, open, signal: stop.signal, onBackup: async () => well.resolve() },
      tell(line) {
        said.push(line);
        rmSync(folder(), { force: true });
      },
    });
    await well.promise;
    stop.abort();
    await keeping;
    expect(said[0]).toContain('backup:');
    expect(said).toHaveLength(2);
    open.close();
  });
});

describe('a workspace is restored', () => {
  async function aCopy(): Promise<string> {
    return (await makeBackup(path, folder())).file;
  }
  const restore = (from: string, workspace = 'main') =>
    restoreWorkspace(configuration(), { workspace, from });

  it('from a copy, which is only read; what it lacks is told, and the old file kept', async () => {
    const copy = await aCopy();
    const before = hashOf(copy);
    const open = await openWorkspace(path);
    for (const page of ['One', 'Two']) write(open, page);
    open.close();
    const restored = await restore(copy);
    const made = Date.parse(restored.copied);
    expect(Math.abs(Date.now() - made)).toBeLessThan(60_000);
    expect(restored).toMatchObject({ path, pages: 3, lost: { writes: 2, minutes: 1 } });
    expect(await pagesIn(path)).not.toContain('One');
    expect(await pagesIn(restored.replaced!)).toContain('One');
    expect(hashOf(copy)).toBe(before);
    // It goes on from there.
    const again = await openWorkspace(path);
    write(again, 'Three');
    again.close();
    expect(await pagesIn(path)).toContain('Three');
    expect(await pagesIn(restored.replaced!)).not.toContain('Three');
  });

  it('and what was written is counted from when the copy was made, not from the last write in it', async () => {
    const copy = join(home, 'copy.db');
    copyFileSync(await aCopy(), copy);
    const anHourAgo = new Date(Date.now() - 3_600_000);
    utimesSync(copy, anHourAgo, anHourAgo);
    expect(await restore(copy)).toMatchObject({
      copied: anHourAgo.toISOString(),
      lost: { writes: 0, minutes: 0 },
    });
    const open = await openWorkspace(path);
    write(open, 'Late');
    open.close();
    expect((await restore(copy)).lost).toEqual({ writes: 1, minutes: 61 });
  });

  it('where there is none', async () => {
    const copy = await aCopy();
    expect(await restore(copy, 'fresh')).toMatchObject({ pages: 3, replaced: null, lost: null });
    expect(await pagesIn(workspaceFile(configuration().directories, 'fresh'))).toContain('Harbour');
  });

  it('in the place of a damaged one, which is kept as it is', async () => {
    const copy = await aCopy();
    writeFileSync(path, 'no database at all '.repeat(1_000));
    const before = hashOf(path);
    const { replaced, lost } = await restore(copy);
    expect([hashOf(replaced!), lost]).toEqual([before, null]);
    expect(await pagesIn(path)).toContain('Harbour');
  });

  const refusals: readonly [string, (copy: string) => Promise<() => void> | (() => void), string][] = [
    [
      'a host has it',
      () => {
        const lock = openFileLock(servingLock(path));
        lock.tryTake();
        return () => lock.release();
      },
      'run_state',
    ],
    [
      'another process has it open',
      async () => {
        const open = await openWorkspace(path);
        return () => open.close();
      },
      'run_state',
    ],
    [
      'the copy is damaged',
      (copy) => {
        truncateSync(copy, 20_000);
        return () => {};
      },
      'store_corrupt',
    ],
    [
      'there is no copy',
      (copy) => {
        rmSync(copy);
        return () => {};
      },
      'not_found',
    ],
  ];
  it.each(refusals)('but not where %s: nothing is changed then', async (_, prepare, code) => {
    const copy = await aCopy();
    const open = await openWorkspace(path);
    write(open, 'Mine');
    open.close();
    const undo = await prepare(copy);
    await expect(restore(copy)).rejects.toMatchObject({ code });
    undo();
    expect(await pagesIn(path)).toContain('Mine');
    expect(readdirSync(dirname(path)).filter((name) => /restored|replaced/.test(name))).toEqual([]);
  });

  it('but not from itself', async () => {
    await expect(restore(path)).rejects.toMatchObject({ code: 'bad_argument' });
    mkdirSync(folder());
  });
});
