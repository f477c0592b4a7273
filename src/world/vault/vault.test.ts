import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../core/index.ts';
import { type Database, openDatabase } from '../../store/index.ts';
import { openWorld, type World, type WorldOperation, worldWrite } from '../index.ts';
import { analyseVault, exportVault, importRuns, importVault, undoImport, type Vault } from './index.ts';

const vault: Vault = { analyseVault, importVault, importRuns, undoImport, exportVault };
type Files = Readonly<Record<string, string | Uint8Array>>;

const made: string[] = [];
const opened: Database[] = [];
afterEach(() => {
  for (const database of opened.splice(0)) database.close();
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(files: Files = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sonde-vault-')));
  made.push(folder);
  put(folder, files);
  return folder;
}

function put(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

const filesOf = (folder: string): string[] =>
  (readdirSync(folder, { recursive: true }) as string[])
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort();

const textsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(filesOf(folder).map((path) => [path, readFileSync(join(folder, path), 'latin1')]));

interface Scene {
  readonly root: string;
  readonly world: World;
  readonly database: Database;
  run(more?: {
    into?: string;
    deleteRemoved?: boolean;
    root?: string;
    signal?: AbortSignal;
  }): ReturnType<Vault['importVault']>;
  text(path: string): string | null;
  write(operation: WorldOperation, kind?: Caller['kind'], more?: object): string[];
  exported(): Promise<Record<string, string>>;
}

function scene(files: Files): Scene {
  const root = newFolder(files);
  const database = openDatabase({ path: join(newFolder(), 'world.db'), schemas: [], busyMs: 1000 });
  opened.push(database);
  const world = openWorld(database);
  const workspace = { world, database };
  return {
    root,
    ...workspace,
    run: (more = {}) => vault.importVault(workspace, { root, device: 'test', clock: Date.now, ...more }),
    text(path) {
      const page = world.page(path);
      const read = page === null ? null : world.read(page.id, 'all');
      return read === null ? null : read.front + read.blocks.map((block) => block.text).join('');
    },
    write(operation, kind = 'user', more = {}) {
      const caller: Caller = { kind, name: 'ann', device: 'test', thread: null, channel: null };
      const result = world.submit(
        worldWrite({ operation, caller, source: 'test', idempotencyKey: null, ...more }),
      );
      if (result.kind === 'refused') throw new Error(result.message);
      return [...result.content_ids];
    },
    async exported() {
      const to = join(newFolder(), 'out');
      expect((await vault.exportVault(workspace, { to })).problems).toEqual([]);
      return textsOf(to);
    },
  };
}

/** Only what is there of a count. */
const some = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

const everything: Files = {
  'Plan.md':
    '---\ntags: [a/b, жизнь]\naliases: [The plan]\n---\n# Plan\n\nSee [[日記/今日|today]] and ![[photo.png]].\n',
  '日記/今日.md': '今日は。 #日本語\n\n> [!note] Callout\n> text\n',
  'Projects/Deep/Down/Note.md': '[up](../../../Plan.md) [[Plan#Scope]]',
  'crlf.md': '# a\r\n\r\ntext\r\n',
  'mixed.md': 'a\nb\r\nc\rd',
  'bom.md': '\uFEFF---\nx: 1\n---\ntext\n',
  'broken.md': '---\ntags: [a\n---\ntext\n',
  'template.md': '---\ntitle: {{title}}\n---\n',
  'empty.md': '',
  'blank.md': '\n\n \n',
  'fence.md': '```\nnever closed [[Plan]]\n',
  'nul.md': 'a\u0000b\u0001\u2028c',
  'other.markdown': 'text\n',
  'with space & (signs).md': 'text',
  'latin1.md': Buffer.from('caf\xe9\n', 'latin1'),
  'photo.png': Buffer.from([0, 1, 2, 255]),
  'docs/paper.pdf': Buffer.from('%PDF'),
};

describe('a vault of everything', () => {
  it('comes back byte for byte', async () => {
    const { root, run, exported, world } = scene(everything);
    const report = await run();
    expect(some(report.pages)).toEqual({ new: 14 });
    expect(report.problems.map(({ path, kind }) => `${kind} ${path}`)).toEqual(['not_utf8 latin1.md']);
    expect(await exported()).toEqual(textsOf(root));
    const page = world.page('Plan')!;
    expect(page).toMatchObject({
      origin: 'Imported',
      lifecycle: 'Draft',
      origin_source_id: `${report.run}:Plan.md`,
    });
    expect(world.read(page.id)).toMatchObject({
      tags: expect.arrayContaining(['a/b', 'жизнь']),
      aliases: ['The plan'],
    });
    expect(world.backlinks(page.id).length).toBe(2);
    expect(world.attachments(page.id)).toMatchObject([{ path: 'photo.png', bytes: 4 }]);
  });

  it('is analysed without a write, and the run does what the analysis said', async () => {
    const { root, run, world, database } = scene(everything);
    const tables = () => database.all('SELECT name FROM sqlite_schema ORDER BY name');
    const before = tables();
    const analysis = await vault.analyseVault({ world, database }, { root });
    expect(tables()).toEqual(before);
    expect(world.events(0)).toEqual([]);
    expect(analysis.problems.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      'front_matter broken.md',
      'not_utf8 latin1.md',
      'front_matter template.md',
    ]);
    expect(analysis.links).toEqual({ resolved: 4, unresolved: 0 });
    const report = await run();
    expect(report.pages).toEqual(analysis.pages);
    expect(report.attachments).toEqual(analysis.attachments);
    expect(report.changes.map(({ path }) => path)).toEqual(analysis.changes.map(({ path }) => path));
  });

  it('again, nothing is written', async () => {
    const { run, world } = scene(everything);
    await run();
    const events = world.events(0).length;
    const again = await run();
    expect(some(again.pages)).toEqual({ unchanged: 14 });
    expect(again.attachments).toEqual({ new: 0, changed: 0, unchanged: 3, bytes: 13 });
    expect(again.changes).toEqual([]);
    expect(world.events(0)).toHaveLength(events);
  });
});

it('the Markdown that packages bring comes back byte for byte', async () => {
  const packages = fileURLToPath(new URL('../../../node_modules/', import.meta.url));
  const paths = globSync('**/*.md', { cwd: packages }).filter((path) => !/(^|\/)\./.test(path));
  const place = (path: string): string => path.replaceAll('node_modules', 'packages');
  const { root, run, exported, world, database } = scene(
    Object.fromEntries(paths.map((path) => [place(path), readFileSync(join(packages, path))])),
  );
  expect(paths.length).toBeGreaterThan(100);
  const analysis = await vault.analyseVault({ world, database }, { root });
  const report = await run();
  expect(report.pages).toEqual(analysis.pages);
  expect(report.pages.new + report.attachments.new).toBe(paths.length);
  const texts = await exported();
  for (const path of paths)
    expect(texts[place(path)] === readFileSync(join(root, place(path)), 'latin1'), path).toBe(true);
});

describe('what is passed over', () => {
  it('hidden folders, links of the file system, names of secrets; never what lies outside', async () => {
    const outside = newFolder({ 'secret.md': 'outside' });
    const { root, run, world } = scene({
      'a.md': 'a',
      '.obsidian/app.json': '{}',
      '.git/notes.md': 'no',
      '.trash/b.md': 'no',
      'node_modules/x/readme.md': 'no',
      id_rsa: 'key',
      '.env': 'KEY=1',
    });
    symlinkSync(join(outside, 'secret.md'), join(root, 'link.md'));
    symlinkSync(outside, join(root, 'folder'));
    symlinkSync(root, join(root, 'loop'));
    const report = await run();
    expect(report.problems.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      'link folder',
      'withheld id_rsa',
      'link link.md',
      'link loop',
    ]);
    expect(world.pages({ view: 'all' }).map(({ path }) => path)).toEqual(['a']);
    expect(world.attachments()).toEqual([]);
  });

  it('a name that no page can have does not take the others with it', async () => {
    const { run, world } = scene({ 'a.md': 'a', 'b\u0001.md': 'b', 'c.md': 'c' });
    const report = await run();
    expect(report.problems).toMatchObject([{ path: 'b\u0001.md', kind: 'refused' }]);
    expect(world.pages().map(({ path }) => path)).toEqual(['a', 'c']);
  });

  it('files of one name are pages of two', async () => {
    const { run, world, exported, root } = scene({
      'a.md': '1',
      'a.markdown': '2',
      'B.md': '3',
      'b.md': '4',
    });
    const report = await run();
    expect(report.problems.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      'same_name a.md',
      'same_but_case b.md',
    ]);
    expect(world.pages().map(({ path }) => path)).toEqual(['B', 'a', 'a.md', 'b']);
    expect(await exported()).toEqual(textsOf(root));
  });

  it('names whose accents stand apart', async () => {
    const { run, world, exported, root } = scene({ 'cafe\u0301.md': 'x' });
    await run();
    expect(world.page('caf\u00e9')).not.toBeNull();
    expect(await exported()).toEqual(textsOf(root));
  });

  it('no folder, or a file', async () => {
    const { run, root } = scene({ 'a.md': 'a' });
    await expect(run({ root: join(root, 'nothing') })).rejects.toMatchObject({ code: 'not_found' });
    await expect(run({ root: join(root, 'a.md') })).rejects.toMatchObject({ code: 'bad_argument' });
    await expect(run({ into: 'a//b' })).rejects.toMatchObject({ code: 'bad_argument' });
    expect((await run({ into: '/A/B/' })).into).toBe('A/B');
  });
});

describe('the folder changes', () => {
  it('only what changed is brought up to date, and keeps its ids', async () => {
    const { root, run, world, text } = scene({ 'a.md': '# A\n\none\n\ntwo\n', 'b.md': 'b' });
    await run();
    const before = world.read(world.page('a')!.id)!;
    const events = world.events(0).length;
    put(root, { 'a.md': '# A\n\none\n\nthree\n', 'c.md': 'c' });
    const report = await run();
    expect(some(report.pages)).toEqual({ new: 1, changed: 1, unchanged: 1 });
    expect(world.events(0)).toHaveLength(events + 2);
    expect(text('a')).toBe('# A\n\none\n\nthree\n');
    const after = world.read(before.id)!;
    expect(after.blocks.map(({ id }) => id).slice(0, 2)).toEqual(
      before.blocks.map(({ id }) => id).slice(0, 2),
    );
    expect(after).toMatchObject({ lifecycle: 'Draft', origin: 'Imported' });
  });

  it('files that are gone are told, and deleted only when asked to', async () => {
    const { root, run, world, write } = scene({ 'a.md': 'a', 'b.md': 'b', 'c.md': 'c', 'd.png': 'd' });
    await run();
    const mine = world.page('c')!.id;
    for (const name of ['b.md', 'c.md', 'd.png']) rmSync(join(root, name));
    write({ op: 'update_page', page: mine, text: 'mine' });
    expect((await run()).removed).toEqual(['b.md', 'c.md', 'd.png']);
    expect(world.pages()).toHaveLength(3);
    const report = await run({ deleteRemoved: true });
    expect(report.deleted).toEqual(['b.md', 'd.png']);
    expect(world.pages().map(({ path }) => path)).toEqual(['a', 'c']);
    rmSync(join(root, 'a.md'));
    await expect(run({ deleteRemoved: true })).rejects.toMatchObject({ code: 'bad_argument' });
    expect(world.pages()).toHaveLength(2);
  });

  it('a vault that was moved is the same', async () => {
    const { root, run, world } = scene({ 'a.md': 'a', 'b.md': 'b' });
    await run();
    const to = join(newFolder(), 'elsewhere');
    cpSync(root, to, { recursive: true });
    put(to, { 'b.md': 'changed' });
    expect(some((await run({ root: to })).pages)).toEqual({ adopted: 1, changed: 1 });
    expect(world.pages()).toHaveLength(2);
  });

  it('below a page, and two vaults in one workspace', async () => {
    const other = newFolder({ 'a.md': '[[b]] ![](i.png)', 'b.md': 'b', 'i.png': 'i' });
    const { run, world, exported, root } = scene({ 'a.md': 'a', 'i.png': 'other' });
    await run();
    await run({ root: other, into: 'Other/Notes' });
    expect(world.pages().map(({ path }) => path)).toEqual(['Other/Notes/a', 'Other/Notes/b', 'a']);
    expect(world.attachments().map(({ path }) => path)).toEqual(['Other/Notes/i.png', 'i.png']);
    const below = Object.entries(textsOf(other)).map(([path, text]) => [`Other/Notes/${path}`, text]);
    expect(await exported()).toEqual({ ...textsOf(root), ...Object.fromEntries(below) });
  });
});

describe('a person has been there', () => {
  it('and the file as well: the file waits, and waits once', async () => {
    const { root, run, world, text, write } = scene({ 'a.md': 'one', 'b.md': 'b' });
    await run();
    const page = world.page('a')!.id;
    write({ op: 'update_page', page, text: 'mine' });
    expect(some((await run()).pages)).toEqual({ edited_here: 1, unchanged: 1 });
    put(root, { 'a.md': 'theirs' });
    expect(some((await vault.analyseVault({ world, ...{ database: opened[0]! } }, { root })).pages)).toEqual({
      conflicting: 1,
      unchanged: 1,
    });
    const report = await run();
    expect(some(report.pages)).toEqual({ conflicting: 1, unchanged: 1 });
    expect(report.deviations).toHaveLength(1);
    expect(text('a')).toBe('mine');
    expect(world.inbox()).toMatchObject([
      {
        kind: 'deviation',
        before: 'mine',
        after: 'theirs',
        conflicts: [{ base: 'one', ours: 'mine', theirs: 'theirs' }],
      },
    ]);
    expect(some((await run()).pages)).toEqual({ told: 1, unchanged: 1 });
    expect(world.deviations()).toHaveLength(1);
    world.shown('ann', world.inbox());
    const deviation = report.deviations[0]!;
    // Neither is done over the other: which words stand is for a person to say.
    expect(() => write({ op: 'resolve_deviation', deviation, decision: 'accept' })).toThrow(
      /conflicts with later changes/,
    );
    expect(text('a')).toBe('mine');
    write({ op: 'resolve_deviation', deviation, decision: { text: 'theirs' } });
    expect(text('a')).toBe('theirs');
    expect(some((await run()).pages)).toEqual({ adopted: 1, unchanged: 1 });
    expect(some((await run()).pages)).toEqual({ unchanged: 2 });
  });

  it('what was decided against stays so until the file changes again', async () => {
    const { root, run, text, write, world } = scene({ 'a.md': 'one' });
    await run();
    write({ op: 'update_page', page: world.page('a')!.id, text: 'mine' });
    put(root, { 'a.md': 'two' });
    write({ op: 'resolve_deviation', deviation: (await run()).deviations[0]!, decision: 'keep' });
    expect(some((await run()).pages)).toEqual({ told: 1 });
    expect(text('a')).toBe('mine');
    put(root, { 'a.md': 'three' });
    expect(some((await run()).pages)).toEqual({ conflicting: 1 });
    expect(world.deviations({ status: 'open' })).toHaveLength(1);
  });

  it('what a person promoted is not overwritten, and not said to be changed here', async () => {
    const { root, run, text, write, world } = scene({ 'a.md': 'one' });
    await run();
    write({ op: 'promote', content: world.page('a')!.id });
    expect(some((await run()).pages)).toEqual({ unchanged: 1 });
    put(root, { 'a.md': 'two' });
    expect(some((await run()).pages)).toEqual({ promoted: 1 });
    expect(text('a')).toBe('one');
    expect(some((await run()).pages)).toEqual({ told: 1 });
    expect(world.deviations({ status: 'open' })).toHaveLength(1);
  });

  it('what was deleted here is not brought back', async () => {
    const { root, run, write, world } = scene({ 'a.md': 'one', 'b.md': 'b' });
    await run();
    write({ op: 'delete_page', page: world.page('a')!.id });
    expect(some((await run()).pages)).toEqual({ deleted_here: 1, unchanged: 1 });
    put(root, { 'a.md': 'two' });
    expect(some((await run()).pages)).toEqual({ deleted_here: 1, unchanged: 1 });
    expect(world.page('a')).toBeNull();
  });

  it('a page of the author at the path waits, a candidate has it', async () => {
    const { run, write, text } = scene({ 'a.md': 'file', 'b.md': 'file', 'c.md': 'same' });
    write({ op: 'create_page', path: 'a', text: 'mine' });
    write({ op: 'create_page', path: 'b', text: 'of an agent' }, 'agent');
    write({ op: 'create_page', path: 'c', text: 'same' });
    const report = await run();
    expect(some(report.pages)).toEqual({ conflicting: 1, taken: 1, adopted: 1 });
    expect([text('a'), text('b')]).toEqual(['mine', 'of an agent']);
    expect(some((await run()).pages)).toEqual({ told: 1, taken: 1, unchanged: 1 });
  });

  it('a page that was moved stays where it is, and links to it lead there in an export', async () => {
    const { root, run, write, world, text, exported } = scene({
      'a.md': 'see [[b]] and [b](b.md#x)\r\n',
      'b.md': 'b',
    });
    await run();
    write({ op: 'move_page', page: world.page('b')!.id, to: 'Elsewhere/New name' });
    expect(await exported()).toEqual({
      'a.md': 'see [[New name]] and [b](Elsewhere/New%20name.md#x)\r\n',
      'Elsewhere/New name.md': 'b',
    });
    expect(some((await run()).pages)).toEqual({ unchanged: 1, edited_here: 1 });
    put(root, { 'b.md': 'more' });
    expect(some((await run()).pages)).toEqual({ unchanged: 1, conflicting: 1 });
    expect(text('Elsewhere/New name')).toBe('b');
  });
});

describe('taking an import back', () => {
  const undo = ({ world, database }: Scene, run: string) =>
    vault.undoImport({ world, database }, { run, device: 'test', clock: Date.now });

  it('takes what nobody has touched, and tells the rest', async () => {
    const at = scene({ 'a.md': 'a', 'b.md': 'b', 'c.md': 'c ![[i.png]]', 'i.png': 'i' });
    const { run } = await at.run();
    at.write({ op: 'update_page', page: at.world.page('a')!.id, text: 'mine' });
    at.write({ op: 'create_page', path: 'About b', text: 'x' }, 'agent', {
      derivedFrom: [at.world.page('b')!.id],
    });
    const report = await undo(at, run);
    expect(report).toMatchObject({ deleted: ['c.md'], restored: [], attachments: 1 });
    expect(report.left).toEqual([
      { path: 'a.md', reason: 'its page was changed since' },
      { path: 'b.md', reason: 'other content derives from its page (1)' },
    ]);
    expect(at.world.pages().map(({ path }) => path)).toEqual(['a', 'b']);
    expect(await undo(at, run)).toMatchObject({ deleted: [], attachments: 0 });
    expect(vault.importRuns(at)).toMatchObject([{ run, undone: expect.any(Number) }]);
    await expect(undo(at, 'imp-none')).rejects.toMatchObject({ code: 'not_found' });
    expect(some((await at.run()).pages)).toEqual({ new: 1, edited_here: 1, unchanged: 1 });
  });

  it('of several runs, the last first', async () => {
    const at = scene({ 'a.md': '---\nx: 1\n---\none\r\n', 'b.md': 'b' });
    const first = await at.run();
    put(at.root, { 'a.md': 'two', 'c.md': 'c' });
    const second = await at.run();
    expect((await undo(at, first.run)).left.map(({ path }) => path)).toEqual(['a.md']);
    expect(await undo(at, second.run)).toMatchObject({ deleted: ['c.md'], restored: ['a.md'], left: [] });
    expect(at.text('a')).toBe('---\nx: 1\n---\none\r\n');
    expect(await undo(at, first.run)).toMatchObject({ deleted: ['a.md'], left: [] });
    expect(at.world.pages()).toEqual([]);
    expect(some((await at.run()).pages)).toEqual({ new: 3 });
    expect(await at.exported()).toEqual(textsOf(at.root));
  });
});

describe('an interrupted run', () => {
  it('is gone on with', async () => {
    const files = Object.fromEntries(Array.from({ length: 700 }, (_, n) => [`n${n}.md`, `note ${n}`]));
    const { run, world, root, exported } = scene(files);
    const stop = new AbortController();
    const first = await vault.importVault(
      { world, database: opened[0]! },
      { root, device: 't', clock: Date.now, signal: stop.signal, onProgress: () => stop.abort() },
    );
    expect(first).toMatchObject({ interrupted: true });
    const there = world.pages({ limit: 10_000 }).length;
    expect(there).toBeGreaterThan(0);
    expect(there).toBeLessThan(700);
    const second = await run();
    expect(second).toMatchObject({ run: first.run, resumed: true, interrupted: false });
    expect(some(second.pages)).toEqual({ new: 700 - there, unchanged: there });
    expect(await exported()).toEqual(textsOf(root));
  });

  it('two at once: one after the other', async () => {
    const { run } = scene({ 'a.md': 'a' });
    const reports = await Promise.all([run(), run()]);
    expect(reports.map(({ pages }) => some(pages))).toEqual([{ new: 1 }, { unchanged: 1 }]);
    expect(some((await run()).pages)).toEqual({ unchanged: 1 });
  });
});

describe('export', () => {
  it('refuses a folder with files, unless told, and deletes nothing', async () => {
    const { run, world, database, write } = scene({ 'a.md': 'a', 'b/c.md': 'c' });
    await run();
    const to = newFolder({ 'mine.txt': 'mine', 'a.md': 'a' });
    write({ op: 'update_page', page: world.page('a')!.id, text: 'new' });
    await expect(vault.exportVault({ world, database }, { to })).rejects.toMatchObject({
      code: 'bad_argument',
    });
    expect(textsOf(to)).toEqual({ 'mine.txt': 'mine', 'a.md': 'a' });
    const report = await vault.exportVault({ world, database }, { to, replace: true });
    expect(report.pages).toEqual({ written: 1, replaced: 1, unchanged: 0 });
    expect(textsOf(to)).toEqual({ 'mine.txt': 'mine', 'a.md': 'new', 'b/c.md': 'c' });
    const again = await vault.exportVault({ world, database }, { to, replace: true });
    expect(again.pages).toEqual({ written: 0, replaced: 0, unchanged: 2 });
  });

  it('replaces what it wrote or imported, and never what somebody has written there since', async () => {
    const { root, run, world, database, write } = scene({ 'a.md': 'a', 'b.md': 'b', 'c.md': 'c [[a]]' });
    await run();
    const edit = (path: string, text: string) =>
      write({ op: 'update_page', page: world.page(path)!.id, text });
    const replaced = (to: string) => vault.exportVault({ world, database }, { to, replace: true });
    edit('a', 'a here');
    edit('b', 'b here');
    put(root, { 'b.md': 'b there' });
    const back = await replaced(root);
    expect(back.pages).toEqual({ written: 0, replaced: 1, unchanged: 1 });
    expect(back.problems).toMatchObject([{ path: 'b.md', message: expect.stringContaining('never had') }]);
    expect(textsOf(root)).toEqual({ 'a.md': 'a here', 'b.md': 'b there', 'c.md': 'c [[a]]' });

    const to = join(newFolder(), 'out');
    await replaced(to);
    // As it is read once its link follows: no state that the log holds.
    write({ op: 'rename_page', page: world.page('a')!.id, name: 'z' });
    await replaced(to);
    expect(textsOf(to)['c.md']).toBe('c [[z]]');
    edit('c', 'c later');
    expect((await replaced(to)).problems).toEqual([]);
    put(to, { 'c.md': 'c by hand' });
    edit('c', 'c last');
    for (let n = 0; n < 2; n += 1) expect((await replaced(to)).problems).toMatchObject([{ path: 'c.md' }]);
    expect(textsOf(to)['c.md']).toBe('c by hand');
  });

  it('never writes through a link of the file system', async () => {
    const { run, world, database } = scene({ 'a.md': 'a', 'b/c.md': 'c' });
    await run();
    const outside = newFolder({ 'a.md': 'outside' });
    const to = newFolder();
    symlinkSync(outside, join(to, 'b'));
    symlinkSync(join(outside, 'a.md'), join(to, 'a.md'));
    const report = await vault.exportVault({ world, database }, { to, replace: true });
    expect(report.problems).toMatchObject([
      { path: 'b/c.md', message: expect.stringContaining('in the way') },
    ]);
    expect(textsOf(outside)).toEqual({ 'a.md': 'outside' });
    expect(readFileSync(join(to, 'a.md'), 'utf8')).toBe('a');
  });

  it('tells attachments that are gone or are others now, and leaves candidates out', async () => {
    const { root, run, world, database, write } = scene({
      'a.md': 'a',
      'x.png': 'x',
      'y.png': 'y',
      'z.png': 'z',
    });
    await run();
    write({ op: 'create_page', path: 'agent', text: 'x' }, 'agent');
    rmSync(join(root, 'x.png'));
    put(root, { 'y.png': 'other' });
    const to = newFolder();
    const report = await vault.exportVault({ world, database }, { to });
    expect(report.problems.map(({ path }) => path)).toEqual(['x.png', 'y.png']);
    expect(filesOf(to)).toEqual(['a.md', 'z.png']);
  });

  it('a part of it', async () => {
    const { run, world, database } = scene({ 'a.md': 'a', 'b.md': 'b', 'b/c.md': 'c', 'b/i.png': 'i' });
    await run();
    const to = newFolder();
    await vault.exportVault({ world, database }, { to, under: 'b' });
    expect(filesOf(to)).toEqual(['b.md', 'b/c.md', 'b/i.png']);
    await expect(
      vault.exportVault({ world, database }, { to: newFolder(), under: 'no' }),
    ).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('the source may have gone', async () => {
    const { root, run, exported } = scene({ 'a.md': 'a\r\n' });
    await run();
    renameSync(root, `${root}-gone`);
    made.push(`${root}-gone`);
    expect(await exported()).toEqual({ 'a.md': 'a\r\n' });
    expect(existsSync(root)).toBe(false);
  });
});
