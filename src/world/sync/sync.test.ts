import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { importVault } from '../vault/index.ts';
import { type Folder, hashOf, openFolder } from './folder.ts';
import { type Effect, openKnownFiles } from './known.ts';
import { scanFolder } from './scan.ts';
import { agent, openScene, type SyncScene } from './sync.contract.ts';

const open: SyncScene[] = [];
afterEach(() => {
  for (const scene of open.splice(0)) scene.close();
});
function sceneOf(files: Readonly<Record<string, string>> = {}): SyncScene {
  const scene = openScene(files);
  open.push(scene);
  return scene;
}

/** In step after a first pass. */
async function agreed(files: Readonly<Record<string, string>>): Promise<SyncScene> {
  const scene = sceneOf(files);
  await scene.sync();
  return scene;
}

const quiet = { pulled: [], pushed: [], merged: [], renamed: [], deleted: [], conflicts: [], problems: [] };
const bread = '# Bread\n\nBake at 230.\n\nLet it cool.\n';

describe('both ways', () => {
  it('pulls a folder, and then nothing', async () => {
    const scene = sceneOf({
      'Bread.md': bread,
      'In/Oven.md': 'hot\r\n',
      'no end.md': '\uFEFFx',
      'empty.md': '',
    });
    expect(await scene.sync()).toMatchObject({
      ...quiet,
      pulled: ['Bread.md', 'In/Oven.md', 'empty.md', 'no end.md'],
    });
    expect(scene.pages()).toEqual({ Bread: bread, 'In/Oven': 'hot\r\n', 'no end': '\uFEFFx', empty: '' });
    expect(await scene.sync()).toMatchObject({ ...quiet, unchanged: 4 });
  });

  it('writes pages into a folder without notes', async () => {
    const scene = sceneOf();
    scene.edit('Projects/Plan', '# Plan\n');
    expect(await scene.sync()).toMatchObject({ ...quiet, pushed: ['Projects/Plan.md'] });
    expect(scene.text('Projects/Plan.md')).toBe('# Plan\n');
    expect(await scene.sync()).toMatchObject({ ...quiet, unchanged: 1 });
  });

  it('brings what changed on each side to the other', async () => {
    const scene = await agreed({ 'A.md': 'one\n', 'B.md': 'two\n' });
    scene.put({ 'A.md': 'one, edited\n', 'C.md': 'three\n' });
    scene.edit('B', 'two, edited\n');
    scene.edit('D', 'four\n');
    expect(await scene.sync()).toMatchObject({
      ...quiet,
      pulled: ['A.md', 'C.md'],
      pushed: ['B.md', 'D.md'],
    });
    expect(scene.pages()).toEqual({ A: 'one, edited\n', B: 'two, edited\n', C: 'three\n', D: 'four\n' });
    expect(scene.text('B.md')).toBe('two, edited\n');
    expect(scene.text('D.md')).toBe('four\n');
    expect(await scene.sync()).toMatchObject({ ...quiet, unchanged: 4 });
  });

  it('merges changes of separate paragraphs', async () => {
    const scene = await agreed({ 'Bread.md': bread });
    scene.put({ 'Bread.md': bread.replace('230', '240') });
    scene.edit('Bread', bread.replace('cool', 'cool down'));
    expect(await scene.sync()).toMatchObject({ ...quiet, merged: ['Bread.md'] });
    const both = '# Bread\n\nBake at 240.\n\nLet it cool down.\n';
    expect(scene.text('Bread.md')).toBe(both);
    expect(scene.page('Bread')).toBe(both);
    expect(await scene.sync()).toMatchObject({ ...quiet, unchanged: 1 });
  });

  it('moves the file of a deleted page to the trash, deletes the page of a file that is gone', async () => {
    const scene = await agreed({ 'A.md': 'a\n', 'B.md': 'b\n', 'C.md': 'c\n' });
    scene.write({ op: 'delete_page', page: scene.world.page('A')!.id });
    scene.remove('B.md');
    expect(await scene.sync()).toMatchObject({
      ...quiet,
      deleted: [
        { file: 'A.md', by: 'workspace' },
        { file: 'B.md', by: 'folder' },
      ],
    });
    expect(scene.files()).toEqual(['C.md']);
    expect(scene.pages()).toEqual({ C: 'c\n' });
    expect(readFileSync(join(scene.root, '.trash/A.md'), 'utf8')).toBe('a\n');
    expect(await scene.sync()).toMatchObject({ ...quiet, unchanged: 1 });
  });

  it('an edit outlives a deletion on the other side', async () => {
    const scene = await agreed({ 'A.md': 'a\n', 'B.md': 'b\n', 'C.md': 'c\n', 'D.md': 'd\n' });
    scene.write({ op: 'delete_page', page: scene.world.page('A')!.id });
    scene.put({ 'A.md': 'a, edited\n' });
    scene.remove('B.md', 'C.md');
    scene.edit('B', 'b, edited\n');
    scene.write({ op: 'delete_page', page: scene.world.page('C')!.id });
    expect(await scene.sync()).toMatchObject({ ...quiet, pulled: ['A.md'], pushed: ['B.md'], unchanged: 1 });
    expect(scene.pages()).toEqual({ A: 'a, edited\n', B: 'b, edited\n', D: 'd\n' });
    expect(scene.files()).toEqual(['A.md', 'B.md', 'D.md']);
  });

  it('agrees where both were made alike, and asks where they differ', async () => {
    const scene = await agreed({ 'x.md': 'x\n' });
    scene.put({ 'Same.md': 'same\n', 'Other.md': 'in the folder\n' });
    scene.edit('Same', 'same\n');
    scene.edit('Other', 'in the workspace\n');
    const report = await scene.sync();
    expect(report).toMatchObject({ ...quiet, conflicts: [{ file: 'Other.md' }] });
    expect(scene.text('Other.md')).toBe('in the folder\n');
    expect(scene.page('Other')).toBe('in the workspace\n');
  });
});

describe('conflicts', () => {
  const here = bread.replace('230', '220');
  const there = bread.replace('230', '240');

  async function inConflict(): Promise<SyncScene & { readonly id: string }> {
    const scene = await agreed({ 'Bread.md': bread });
    scene.edit('Bread', here);
    scene.put({ 'Bread.md': there });
    const { conflicts } = await scene.sync();
    return { ...scene, id: conflicts[0]!.id };
  }
  const decide = (scene: SyncScene & { id: string }, decision: 'keep' | { text: string }) =>
    expect(scene.write({ op: 'resolve_deviation', deviation: scene.id, decision })).toMatchObject({
      applied: true,
    });

  it('leave both sides as they are, and show them with the text they were made of', async () => {
    const scene = await inConflict();
    expect(scene.text('Bread.md')).toBe(there);
    expect(scene.page('Bread')).toBe(here);
    const [item] = scene.world.inbox();
    expect(item).toMatchObject({
      kind: 'deviation',
      id: scene.id,
      path: 'Bread',
      before: here,
      after: there,
    });
    expect(item!.conflicts).toEqual([
      { base: 'Bake at 230.\n\n', ours: 'Bake at 220.\n\n', theirs: 'Bake at 240.\n\n' },
    ]);
    expect(await scene.sync()).toMatchObject({ ...quiet, conflicts: [{ id: scene.id }] });
    expect(scene.world.inbox()).toHaveLength(1);
  });

  it.each([
    ['keep', 'keep', here],
    ['another text', { text: 'neither\n' }, 'neither\n'],
    ['the text of the file', { text: there }, there],
  ] as const)('%s: the decision reaches the file', async (_name, decision, wanted) => {
    const scene = await inConflict();
    decide(scene, decision);
    const report = await scene.sync();
    expect(report.conflicts).toEqual([]);
    expect(scene.text('Bread.md')).toBe(wanted);
    expect(scene.page('Bread')).toBe(wanted);
    expect(await scene.sync()).toMatchObject({ ...quiet, unchanged: 1 });
  });

  it('what was written in the folder after it was told is merged with the decision', async () => {
    const scene = await inConflict();
    decide(scene, 'keep');
    scene.put({ 'Bread.md': there.replace('cool', 'cool down') });
    expect(await scene.sync()).toMatchObject({ ...quiet, merged: ['Bread.md'] });
    expect(scene.text('Bread.md')).toBe(here.replace('cool', 'cool down'));
  });

  it('a decision and a new edit of the same paragraph are a conflict again', async () => {
    const scene = await inConflict();
    decide(scene, 'keep');
    scene.put({ 'Bread.md': bread.replace('230', '260') });
    expect(await scene.sync()).toMatchObject({ ...quiet, conflicts: [{ file: 'Bread.md' }] });
    expect(scene.page('Bread')).toBe(here);
    expect(scene.world.inbox()[0]).toMatchObject({ after: bread.replace('230', '260') });
  });

  it('end when the person mends them in either place', async () => {
    const scene = await inConflict();
    scene.put({ 'Bread.md': here });
    expect(await scene.sync()).toMatchObject(quiet);
    expect(scene.world.inbox()).toEqual([]);
    const other = await inConflict();
    other.edit('Bread', there);
    expect(await other.sync()).toMatchObject(quiet);
    expect(other.world.inbox()).toEqual([]);
  });

  it('one item at a time for a file, with its newest text', async () => {
    const scene = await inConflict();
    scene.put({ 'Bread.md': bread.replace('230', '250') });
    const { conflicts } = await scene.sync();
    expect(conflicts).toHaveLength(1);
    expect(scene.world.inbox().map(({ after }) => after)).toEqual([bread.replace('230', '250')]);
  });
});

describe('names', () => {
  const long = '# Oven\n\nIt heats to 250 degrees in twenty minutes.\n';

  it('a file that was renamed, and even edited, is the same page, and links to it follow', async () => {
    const scene = await agreed({ 'Oven.md': long, 'Bread.md': 'See [[Oven]].\n' });
    const { id } = scene.world.page('Oven')!;
    renameSync(join(scene.root, 'Oven.md'), join(scene.root, 'Stove.md'));
    expect(await scene.sync()).toMatchObject({
      ...quiet,
      renamed: [{ from: 'Oven.md', to: 'Stove.md', by: 'folder' }],
      pushed: ['Bread.md'],
    });
    expect(scene.world.page('Stove')!.id).toBe(id);
    expect(scene.text('Bread.md')).toBe('See [[Stove]].\n');
    scene.remove('Stove.md');
    scene.put({ 'Kitchen/Range.md': `${long}\nAnd gas.\n` });
    expect(await scene.sync()).toMatchObject({
      renamed: [{ to: 'Kitchen/Range.md' }],
      pulled: ['Kitchen/Range.md'],
    });
    expect(scene.world.page('Kitchen/Range')!.id).toBe(id);
    expect(await scene.sync()).toMatchObject({ ...quiet, unchanged: 2 });
  });

  it('only the file that was renamed moves, not what is below its page', async () => {
    const scene = await agreed({ 'A.md': long, 'A/Below.md': 'below\n' });
    renameSync(join(scene.root, 'A.md'), join(scene.root, 'B.md'));
    expect(await scene.sync()).toMatchObject({ ...quiet, renamed: [{ from: 'A.md', to: 'B.md' }] });
    expect(Object.keys(scene.pages())).toEqual(['A/Below', 'B']);
  });

  it('a page that was renamed takes its file along, also with one that was edited meanwhile', async () => {
    const scene = await agreed({ 'Oven.md': long, 'Bread.md': 'See [[Oven]].\n' });
    scene.write({ op: 'rename_page', page: scene.world.page('Oven')!.id, name: 'Stove' });
    scene.put({ 'Oven.md': `${long}\nAnd gas.\n` });
    expect(await scene.sync()).toMatchObject({
      ...quiet,
      renamed: [{ from: 'Oven.md', to: 'Stove.md', by: 'workspace' }],
      pulled: ['Stove.md'],
      pushed: ['Bread.md'],
    });
    expect(scene.files()).toEqual(['Bread.md', 'Stove.md']);
    expect(scene.page('Stove')).toBe(`${long}\nAnd gas.\n`);
    expect(await scene.sync()).toMatchObject({ ...quiet, unchanged: 2 });
  });

  it('a short note that was renamed, added to and saved anew while its page was edited', async () => {
    const scene = await agreed({ 'A.md': 'a note of six short words\n' });
    scene.edit('A', 'above\n\na note of six short words\n');
    scene.remove('A.md');
    scene.put({
      'In/B.md': 'a note of six short words\n\nwith quite other things below\n\nin two paragraphs\n',
    });
    expect(await scene.sync()).toMatchObject({
      renamed: [{ from: 'A.md', to: 'In/B.md' }],
      merged: ['In/B.md'],
    });
    expect(scene.files()).toEqual(['In/B.md']);
  });

  it('a note in a conflict that is renamed stays in it, with one page', async () => {
    const scene = sceneOf({ 'A.md': 'a note that lay in the folder\n' });
    scene.edit('A', 'and a page of another text altogether\n');
    const [first] = (await scene.sync()).conflicts;
    renameSync(join(scene.root, 'A.md'), join(scene.root, 'B.md'));
    const report = await scene.sync();
    expect(report).toMatchObject({
      ...quiet,
      renamed: [{ to: 'B.md' }],
      conflicts: [{ file: 'B.md', id: first!.id }],
    });
    expect(Object.keys(scene.pages())).toEqual(['B']);
  });

  it('one that is renamed while the folders are listed is not gone', async () => {
    const scene = await agreed({ 'A.md': long, 'In/B.md': 'b\n' });
    const folder = openFolder(scene.root);
    let looked = false;
    const renaming: Folder = {
      ...folder,
      stats(file) {
        if (!looked) renameSync(join(scene.root, 'A.md'), join(scene.root, 'In/C.md'));
        looked = true;
        return folder.stats(file);
      },
    };
    const known = new Map(
      openKnownFiles(scene.database)
        .all(1)
        .map((each) => [each.file, each]),
    );
    const { gone, stamps } = await scanFolder(renaming, known, 0, () => null);
    expect([...gone]).toEqual(['A.md']);
    expect([...stamps.keys()]).toEqual(['In/B.md', 'In/C.md']);
  });

  it('pages that exchange their names', async () => {
    const scene = await agreed({ 'A.md': 'was a\n', 'B.md': 'was b\n' });
    const [a, b] = [scene.world.page('A')!.id, scene.world.page('B')!.id];
    scene.write({ op: 'move_page', page: a, to: 'Aside' });
    scene.write({ op: 'move_page', page: b, to: 'A' });
    scene.write({ op: 'move_page', page: a, to: 'B' });
    await scene.sync();
    expect([scene.text('A.md'), scene.text('B.md')]).toEqual(['was b\n', 'was a\n']);
    expect(scene.files()).toEqual(['A.md', 'B.md']);
    expect(await scene.sync()).toMatchObject({ ...quiet, unchanged: 2 });
  });

  it('links that the editor wrote in its own way stay its way', async () => {
    const scene = await agreed({ 'In/Oven.md': long, 'Bread.md': 'See [[Oven]].\n' });
    renameSync(join(scene.root, 'In/Oven.md'), join(scene.root, 'In/Stove.md'));
    scene.put({ 'Bread.md': 'See [[In/Stove]].\n' });
    const report = await scene.sync();
    expect(report).toMatchObject({ conflicts: [] });
    expect(scene.text('Bread.md')).toBe('See [[In/Stove]].\n');
    expect(scene.page('Bread')).toBe('See [[In/Stove]].\n');
  });

  it('a page that was moved out of the folder’s part leaves it', async () => {
    const scene = sceneOf({ 'A.md': 'a\n', 'B.md': 'b\n' });
    await scene.sync({ into: 'Notes' });
    scene.write({ op: 'move_page', page: scene.world.page('Notes/A')!.id, to: 'Elsewhere/A' });
    expect(await scene.sync()).toMatchObject({ ...quiet, deleted: [{ file: 'A.md', by: 'workspace' }] });
    expect(scene.files()).toEqual(['B.md']);
    expect(Object.keys(scene.pages())).toEqual(['Elsewhere/A', 'Notes/B']);
  });
});

describe('who', () => {
  it('candidates stay out of the folder until they are promoted', async () => {
    const scene = await agreed({ 'A.md': 'a\n' });
    const made = scene.write({ op: 'create_page', path: 'Idea', text: 'an idea\n' }, agent);
    const page = scene.world.page('A')!.id;
    const added = scene.write({ op: 'add_block', page, text: 'a thought\n' }, agent);
    expect(await scene.sync()).toMatchObject({ ...quiet });
    expect(scene.files()).toEqual(['A.md']);
    if (made.kind !== 'accepted' || added.kind !== 'accepted') throw new Error('refused');
    scene.world.shown('ada', [...scene.world.inbox(), scene.world.read(made.content_ids[0]!, 'all')!]);
    scene.write({ op: 'promote', content: made.content_ids[0]! });
    scene.write({ op: 'promote', content: added.content_ids[0]! });
    expect(await scene.sync()).toMatchObject({ ...quiet, pushed: ['A.md', 'Idea.md'] });
    expect(scene.text('A.md')).toContain('a thought');
    expect(scene.text('Idea.md')).toBe('an idea\n');
  });

  it('a page that was only promoted is not changed here', async () => {
    const scene = await agreed({ 'A.md': 'a\n' });
    scene.write({ op: 'promote', content: scene.world.page('A')!.id });
    expect(await scene.sync()).toMatchObject({ ...quiet, unchanged: 1 });
    scene.put({ 'A.md': 'a, edited\n' });
    expect(await scene.sync()).toMatchObject({ ...quiet, pulled: ['A.md'] });
    expect(scene.world.page('A')).toMatchObject({ lifecycle: 'Canonical' });
    expect(scene.page('A')).toBe('a, edited\n');
  });

  it('a file in the place of what an agent proposes waits, and nothing of it is lost', async () => {
    const scene = await agreed({ 'A.md': 'a\n' });
    const made = scene.write({ op: 'create_page', path: 'Idea', text: 'the agent’s\n' }, agent);
    scene.put({ 'Idea.md': 'mine\n' });
    const { conflicts } = await scene.sync();
    expect(conflicts).toHaveLength(1);
    scene.world.shown('ada', scene.world.inbox());
    if (made.kind !== 'accepted') throw new Error('refused');
    scene.write({ op: 'reject', content: made.content_ids[0]! });
    await scene.sync();
    expect(scene.page('Idea')).toBe('mine\n');
    expect(scene.text('Idea.md')).toBe('mine\n');
  });

  it('new pages of the folder are drafts of an import, and edits of a page of the person’s are the person’s', async () => {
    const scene = await agreed({ 'A.md': 'a\n' });
    expect(scene.world.page('A')).toMatchObject({ origin: 'Imported', lifecycle: 'Draft' });
    scene.put({ 'A.md': 'b\n' });
    await scene.sync();
    expect(scene.world.page('A')).toMatchObject({ lifecycle: 'Draft' });
    scene.edit('A', 'c\n');
    await scene.sync();
    scene.put({ 'A.md': 'd\n' });
    await scene.sync();
    expect(scene.world.history(scene.world.page('A')!.id)[0]).toMatchObject({
      caller_kind: 'user',
      caller: 'ada',
    });
    expect(scene.world.deviations()).toEqual([]);
  });
});

describe('left alone', () => {
  it('dot files, the editor’s folder, links out of the folder', async () => {
    const outside = sceneOf({ 'secret.md': 'outside\n', 'in/deep.md': 'outside\n' });
    const scene = sceneOf({ '.obsidian/app.json': '{}', '.hidden.md': 'x', 'A.md': 'a\n', 'In/B.md': 'b\n' });
    symlinkSync(join(outside.root, 'secret.md'), join(scene.root, 'linked.md'));
    symlinkSync(join(outside.root, 'in'), join(scene.root, 'folder'));
    const report = await scene.sync();
    expect(report.pulled).toEqual(['A.md', 'In/B.md']);
    expect(report.problems.map(({ path, kind }) => [path, kind])).toEqual([
      ['folder', 'link'],
      ['linked.md', 'link'],
    ]);
    scene.edit('linked', 'mine\n');
    scene.edit('folder/deep', 'mine\n');
    scene.edit('.hidden', 'mine\n');
    await scene.sync();
    expect(outside.text('secret.md')).toBe('outside\n');
    expect(outside.text('in/deep.md')).toBe('outside\n');
    expect(readFileSync(join(scene.root, '.hidden.md'), 'utf8')).toBe('x');
    expect(scene.pages()).toMatchObject({ linked: 'mine\n', 'folder/deep': 'mine\n', '.hidden': 'mine\n' });
  });

  it('a note and a folder that a link took the place of are not deleted', async () => {
    const outside = sceneOf({ 'x.md': 'outside\n' });
    const scene = await agreed({ 'A.md': 'a\n', 'In/B.md': 'b\n', 'C.md': 'c\n' });
    scene.remove('A.md', 'In');
    symlinkSync(join(outside.root, 'x.md'), join(scene.root, 'A.md'));
    symlinkSync(outside.root, join(scene.root, 'In'));
    expect(await scene.sync()).toMatchObject({ deleted: [], unchanged: 1 });
    expect(scene.pages()).toEqual({ A: 'a\n', 'In/B': 'b\n', C: 'c\n' });
  });

  it('a socket', async () => {
    const scene = await agreed({ 'A.md': 'a\n' });
    const server = createServer().listen(join(scene.root, 'S.md'));
    await once(server, 'listening');
    try {
      const { problems, pulled, deleted } = await scene.sync();
      expect(problems).toMatchObject([{ path: 'S.md', kind: 'unreadable' }]);
      expect([pulled, deleted]).toEqual([[], []]);
      expect(Object.keys(scene.pages())).toEqual(['A']);
    } finally {
      server.close();
    }
  });

  it('what a site generator writes in braces, beside links that follow', async () => {
    const text = '[bread]({{< relref "Loaf.md" >}}) and [[Loaf]], {{< ref "Loaf" >}}\n';
    const scene = await agreed({ 'Loaf.md': 'a loaf\n', 'Site.md': text });
    scene.write({ op: 'rename_page', page: scene.world.page('Loaf')!.id, name: 'Bun' });
    await scene.sync();
    expect(scene.files()).toEqual(['Bun.md', 'Site.md']);
    expect(scene.text('Site.md')).toBe(text.replace('[[Loaf]]', '[[Bun]]'));
    expect(await scene.sync()).toMatchObject({ ...quiet, unchanged: 2 });
  });

  it('what is no text, and what became none', async () => {
    const scene = await agreed({ 'A.md': 'a\n', 'B.md': 'b\n' });
    writeFileSync(join(scene.root, 'A.md'), Buffer.from([0xff, 0xfe, 0x41]));
    expect(await scene.sync()).toMatchObject({ deleted: [], problems: [{ path: 'A.md', kind: 'not_utf8' }] });
    expect(scene.page('A')).toBe('a\n');
  });

  it('a folder whose notes are all gone', async () => {
    const scene = await agreed({ 'A.md': 'a\n' });
    scene.remove('A.md');
    // As where a disk was: not even the mark is there.
    scene.remove('.sonde-sync');
    await expect(scene.sync()).rejects.toThrow(/has no notes any more/);
    expect(existsSync(join(scene.root, '.sonde-sync'))).toBe(false);
    expect(scene.pages()).toEqual({ A: 'a\n' });
    expect(await scene.sync({ deleteMissing: true })).toMatchObject({ deleted: [{ file: 'A.md' }] });
    expect(scene.pages()).toEqual({});
  });

  it('a folder that is not there, or that a file took the place of', async () => {
    const scene = await agreed({ 'A.md': 'a\n' });
    renameSync(scene.root, `${scene.root}-away`);
    try {
      await expect(scene.sync({ deleteMissing: true })).rejects.toThrow(/does not exist/);
      writeFileSync(scene.root, 'a file\n');
      await expect(scene.sync({ deleteMissing: true })).rejects.toThrow(/is not a folder/);
    } finally {
      rmSync(scene.root, { force: true });
      renameSync(`${scene.root}-away`, scene.root);
    }
    expect(scene.pages()).toEqual({ A: 'a\n' });
  });

  it('more than half of its notes gone at once; those that were moved are not gone', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `In/N${n}.md`);
    const scene = await agreed(
      Object.fromEntries(names.map((name) => [name, `the note ${name} by itself\n`])),
    );
    const before = scene.pages();
    renameSync(join(scene.root, 'In'), join(scene.root, 'Out'));
    expect((await scene.sync()).renamed).toHaveLength(12);
    renameSync(join(scene.root, 'Out'), join(scene.root, 'In'));
    await scene.sync();
    scene.remove(...names.slice(0, 7));
    await expect(scene.sync()).rejects.toMatchObject({
      message: expect.stringMatching(/7 of 12 notes/),
      remedy: expect.stringContaining('--delete-missing'),
    });
    expect(scene.pages()).toEqual(before);
    expect((await scene.sync({ dryRun: true })).deleted).toHaveLength(7);
    expect((await scene.sync({ deleteMissing: true })).deleted).toHaveLength(7);
    scene.remove(...names.slice(7, 9));
    expect((await scene.sync()).deleted).toHaveLength(2);
    expect(Object.keys(scene.pages())).toHaveLength(3);
  });

  it('a vault of another workspace, above and below one', async () => {
    const scene = await agreed({ 'A.md': 'a\n', 'In/B.md': 'b\n' });
    const other = sceneOf();
    await expect(other.sync({ root: scene.root })).rejects.toThrow(/synchronised with/);
    await expect(other.sync({ root: join(scene.root, 'In') })).rejects.toThrow(/synchronised with/);
    const link = join(other.root, 'link');
    symlinkSync(scene.root, link);
    await expect(other.sync({ root: link })).rejects.toThrow(/synchronised with/);
    await expect(other.sync({ root: join(link, 'In') })).rejects.toThrow(/synchronised with/);
    const around = await agreed({ 'Deep/x.md': 'x\n' });
    await expect(scene.sync({ root: join(around.root, 'Deep') })).rejects.toThrow(/lies in/);
    const inner = sceneOf({ 'Deep/x.md': 'x\n' });
    await inner.sync({ root: join(inner.root, 'Deep') });
    await expect(other.sync({ root: inner.root })).rejects.toThrow(/of its own/);
    expect(other.pages()).toEqual({});
  });

  it('a file that was touched and not changed', async () => {
    const scene = await agreed({ 'A.md': 'a\n' });
    utimesSync(join(scene.root, 'A.md'), new Date(), new Date());
    expect(await scene.sync()).toMatchObject({ ...quiet, unchanged: 1 });
    utimesSync(join(scene.root, 'A.md'), 1000, 1000);
    expect(await scene.sync()).toMatchObject({ ...quiet, unchanged: 1 });
    expect(scene.world.history(scene.world.page('A')!.id)).toHaveLength(1);
  });
});

describe('a page that is written while a pass has read it', () => {
  const during = (scene: SyncScene, work: () => void) => {
    let left = 1;
    return scene.sync({ onEffect: (what) => void (what === 'write pages' && left-- === 1 && work()) });
  };

  it('keeps what was written, beside an edit of the file', async () => {
    const scene = await agreed({ 'A.md': 'one\n' });
    scene.put({ 'A.md': 'one\n\ntwo\n' });
    const first = await during(scene, () => scene.edit('A', 'zero\n\none\n'));
    expect(first).toMatchObject({ pulled: [], waiting: ['A.md'] });
    expect(await scene.sync()).toMatchObject({ merged: ['A.md'] });
    expect([scene.page('A'), scene.text('A.md')]).toEqual(Array(2).fill('zero\n\none\n\ntwo\n'));
  });

  it('keeps what was written, beside an edit of both before', async () => {
    const scene = await agreed({ 'A.md': 'one\n' });
    scene.put({ 'A.md': 'one\n\ntwo\n' });
    scene.edit('A', 'zero\n\none\n');
    await during(scene, () => scene.edit('A', 'zero\n\nhalf\n\none\n'));
    await scene.sync();
    expect([scene.page('A'), scene.text('A.md')]).toEqual(Array(2).fill('zero\n\nhalf\n\none\n\ntwo\n'));
  });

  it('is not deleted with its file', async () => {
    const scene = await agreed({ 'A.md': 'one\n', 'B.md': 'b\n' });
    scene.remove('A.md');
    await during(scene, () => scene.edit('A', 'one\n\ntwo\n'));
    await scene.sync();
    expect([scene.page('A'), scene.text('A.md')]).toEqual(Array(2).fill('one\n\ntwo\n'));
  });
});

describe('written into a file at the instant in which it is replaced', () => {
  it('what can’t be merged waits in the inbox, whatever becomes of the file, until somebody decides', async () => {
    const scene = await agreed({ 'A.md': 'one line\n' });
    scene.edit('A', 'one line, by the page\n');
    const late = openSync(join(scene.root, 'A.md'), 'r+');
    const onEffect = (what: string): void => {
      if (what === 'keep writes') writeSync(late, 'one line, by the folder\n', 0);
    };
    await scene.sync({ onEffect });
    closeSync(late);
    const [first, ...more] = (await scene.sync()).conflicts;
    expect([first?.file, more]).toEqual(['A.md', []]);
    // The file alone, the page alone, both in a way that is merged.
    scene.put({ 'A.md': 'one line, by the page\n\nbelow\n' });
    expect((await scene.sync()).conflicts).toEqual([first]);
    scene.edit('A', 'above\n\none line, by the page\n\nbelow\n');
    expect((await scene.sync()).conflicts).toEqual([first]);
    scene.edit('A', 'more\n\nabove\n\none line, by the page\n\nbelow\n');
    scene.put({ 'A.md': 'above\n\none line, by the page\n\nbelow\n\nand more\n' });
    expect((await scene.sync()).conflicts).toEqual([first]);
    const item = scene.world.inbox().find(({ id }) => id === first!.id);
    expect(item?.after).toContain('one line, by the folder');
    const text = 'one line, by both\n';
    scene.write({ op: 'resolve_deviation', deviation: first!.id, decision: { text } });
    expect(await scene.sync()).toMatchObject({ conflicts: [], pushed: ['A.md'] });
    expect(scene.text('A.md')).toBe(text);
  });

  it('beside a conflict that waits already, both wait', async () => {
    const scene = await agreed({ 'A.md': 'one line\n\nand two\n' });
    scene.edit('A', 'one line\n\nand two, by the page\n');
    const late = openSync(join(scene.root, 'A.md'), 'r+');
    const onEffect = (what: string): void => {
      if (what === 'keep writes') writeSync(late, 'one line\n\nand two, late!\n', 0);
    };
    await scene.sync({ onEffect });
    closeSync(late);
    scene.edit('A', 'one line, by the page\n\nand two, by the page\n');
    scene.put({ 'A.md': 'one line, by the folder\n\nand two, by the page\n' });
    expect((await scene.sync()).conflicts.map(({ file }) => file)).toEqual(['A.md', 'A.md']);
    expect((await scene.sync()).conflicts).toHaveLength(2);
  });
});

describe('after a pass that was cut off', () => {
  /** A pass that ends before the first effect of that name, as if it had been killed. */
  async function cutOff(scene: SyncScene, before: RegExp): Promise<void> {
    let over = false;
    const onEffect = (what: string): void => {
      over ||= before.test(what);
      if (over) throw new Error('cut off');
    };
    await expect(scene.sync({ onEffect })).rejects.toThrow('cut off');
  }
  /** As many editors do: a new file in its place. */
  function saveNew(scene: SyncScene, file: string, text: string): void {
    scene.put({ '.save~': text });
    renameSync(join(scene.root, '.save~'), join(scene.root, file));
  }
  const rename = (scene: SyncScene, from: string, to: string) =>
    renameSync(join(scene.root, from), join(scene.root, to));
  const note = 'a note of a few words\n';

  it('a new file that was edited since is the page with an edit', async () => {
    const scene = await agreed({});
    scene.edit('N', note);
    await cutOff(scene, /keep writes/);
    saveNew(scene, 'N.md', `${note}\nand more\n`);
    expect(await scene.sync()).toMatchObject({ pulled: ['N.md'], conflicts: [] });
    expect(scene.pages()).toEqual({ N: `${note}\nand more\n` });
  });

  it.each([
    ['an empty folder', {}],
    ['a few notes', { 'A.md': 'a\n', 'B.md': 'b\n' }],
  ])('new files that were planned and not written are not gone: %s', async (_what, files) => {
    const scene = await agreed(files);
    for (let n = 0; n < 12; n++) scene.edit(`N${n}`, note);
    await cutOff(scene, /^finish writes/);
    for (const file of scene.files()) if (file.startsWith('N')) scene.remove(file);
    const known = openKnownFiles(scene.database);
    for (const each of known.all(known.vaults()[0]!.n))
      if (each.file.startsWith('N')) known.set(each.n, { hash: null, stamp: '' });
    await scene.sync();
    await scene.sync();
    expect(scene.files()).toHaveLength(12 + Object.keys(files).length);
    expect(Object.keys(scene.pages())).toHaveLength(12 + Object.keys(files).length);
  });

  it('a new file that was renamed and edited since is the same page', async () => {
    const scene = await agreed({});
    scene.edit('N', note);
    await cutOff(scene, /keep writes/);
    rename(scene, 'N.md', 'Other.md');
    scene.put({ 'Other.md': `${note}\nand more\n` });
    await scene.sync();
    await scene.sync();
    expect(scene.pages()).toEqual({ Other: `${note}\nand more\n` });
    expect(scene.files()).toEqual(['Other.md']);
  });

  it('a page whose file was deleted while it was edited is written all the same', async () => {
    const scene = await agreed({ 'N.md': note, 'O.md': 'other\n' });
    scene.remove('N.md');
    scene.edit('N', `${note}\nand more\n`);
    await cutOff(scene, /^write \.sonde/);
    expect(await scene.sync()).toMatchObject({ deleted: [] });
    expect(scene.files()).toEqual(['N.md', 'O.md']);
    expect(scene.text('N.md')).toBe(`${note}\nand more\n`);
  });

  it.each([
    ['the old one was renamed', (scene: SyncScene) => rename(scene, 'N.md', 'Other.md'), 'Other', note],
    ['the new one was renamed', (scene: SyncScene) => rename(scene, 'P.md', 'Other.md'), 'Other', note],
    [
      'both were renamed',
      (scene: SyncScene) => {
        rename(scene, 'N.md', 'Other.md');
        rename(scene, 'P.md', 'Third.md');
      },
      'Other',
      note,
    ],
    [
      'the old one was saved anew',
      (scene: SyncScene) => saveNew(scene, 'N.md', `${note}x\n`),
      'P',
      `${note}x\n`,
    ],
    [
      'the new one was saved anew',
      (scene: SyncScene) => saveNew(scene, 'P.md', `${note}x\n`),
      'P',
      `${note}x\n`,
    ],
  ])('a file that had two names, and %s', async (_what, act, page, text) => {
    const scene = await agreed({ 'N.md': note });
    scene.write({ op: 'rename_page', page: scene.world.page('N')!.id, name: 'P' });
    await cutOff(scene, /^(?:unlink|remove) N/);
    expect(scene.files()).toEqual(['N.md', 'P.md']);
    act(scene);
    await scene.sync();
    await scene.sync();
    expect(scene.pages()).toEqual({ [page]: text });
    expect(scene.files()).toEqual([`${page}.md`]);
    expect(scene.text(`${page}.md`)).toBe(text);
  });

  /** The page N was renamed to P, and the pass ended while its file had both names. */
  async function withTwoNames(): Promise<SyncScene> {
    const scene = await agreed({ 'N.md': note });
    scene.write({ op: 'rename_page', page: scene.world.page('N')!.id, name: 'P' });
    await cutOff(scene, /^(?:unlink|remove) N/);
    return scene;
  }

  it.each<[string, (scene: SyncScene) => void, readonly string[]]>([
    [
      'both were edited, one after the other was saved anew',
      (scene) => {
        saveNew(scene, 'P.md', `one\n\n${note}`);
        scene.put({ 'N.md': `${note}\ntwo\n` });
      },
      ['one', 'two'],
    ],
    [
      'both were saved anew, and the page was edited',
      (scene) => {
        saveNew(scene, 'P.md', `one\n\n${note}`);
        saveNew(scene, 'N.md', `${note}\ntwo\n`);
        scene.edit('P', `${note}\nthree\n`);
      },
      ['one', 'two', 'three'],
    ],
    [
      'one was saved anew, the other renamed and edited',
      (scene) => {
        saveNew(scene, 'P.md', `one\n\n${note}`);
        rename(scene, 'N.md', 'Other.md');
        scene.put({ 'Other.md': `${note}\ntwo\n` });
      },
      ['one', 'two'],
    ],
  ])('a file that had two names, and %s: one note with all that was written', async (_what, act, words) => {
    for (const isCutAgain of [false, true]) {
      const scene = await withTwoNames();
      act(scene);
      if (isCutAgain) await cutOff(scene, /^unlink (?:N|Other)/);
      const { conflicts } = await scene.sync();
      await scene.sync();
      expect(scene.files()).toEqual(['P.md']);
      const shown = scene.world.inbox().map(({ after }) => after ?? '');
      expect(conflicts).toHaveLength(shown.length);
      const all = [scene.text('P.md'), ...shown].join('\n');
      for (const each of [note.trim(), ...words]) expect(all).toContain(each);
      if (shown.length === 0) expect(scene.pages()).toEqual({ P: scene.text('P.md') });
    }
  });

  it('a file that was renamed between its two names keeps one, also when that pass is cut off', async () => {
    const scene = await withTwoNames();
    rename(scene, 'P.md', 'Other.md');
    await cutOff(scene, /^remove N/);
    await scene.sync();
    await scene.sync();
    expect(scene.files()).toEqual(['Other.md']);
    expect(scene.pages()).toEqual({ Other: note });
  });

  it('another note under the name that a file was to get is another note', async () => {
    const scene = await agreed({ 'N.md': note });
    scene.write({ op: 'rename_page', page: scene.world.page('N')!.id, name: 'P' });
    // Killed after it was noted what will be done, and before it was.
    const files = openKnownFiles(scene.database);
    const inode = String(statSync(join(scene.root, 'N.md')).ino);
    const effect = { kind: 'move', to: 'P.md', path: 'P', inode, hash: hashOf(note) } as const;
    files.set(files.all(files.vaults()[0]!.n)[0]!.n, { effect });
    const other = 'nothing like the first of them, about something else\n';
    scene.put({ 'P.md': other });
    await scene.sync();
    await scene.sync();
    expect(scene.files()).toEqual(['N.md', 'P.md']);
    expect(Object.values(scene.pages()).toSorted()).toEqual([note, other].toSorted());
  });

  it('a new note that was given the number of the file that was moved takes no line from that one', async () => {
    const scene = await withTwoNames();
    saveNew(scene, 'P.md', `${note}\none\n`);
    scene.remove('N.md');
    const other = 'nothing like the first of them, about something else\n';
    scene.put({ 'N.md': other });
    // Which number a new file is given is for the file system to say, so the record says it here.
    const files = openKnownFiles(scene.database);
    const [known] = files.all(files.vaults()[0]!.n);
    const inode = String(statSync(join(scene.root, 'N.md')).ino);
    files.set(known!.n, { effect: { ...(known!.effect as Extract<Effect, { kind: 'move' }>), inode } });
    const { conflicts } = await scene.sync();
    expect(await scene.sync()).toMatchObject({ conflicts });
    expect(scene.files()).toEqual(['P.md']);
    expect([scene.text('P.md'), scene.page('P')]).toEqual(Array(2).fill(`${note}\none\n`));
    expect(scene.world.inbox().map(({ after }) => after)).toEqual([other]);
  });

  it.each<[string, (scene: SyncScene) => void]>([
    ['renamed', (scene) => rename(scene, 'N.md', 'Other.md')],
    [
      'renamed and edited',
      (scene) => {
        rename(scene, 'N.md', 'Other.md');
        scene.put({ 'Other.md': `${note}\nand more\n` });
      },
    ],
    [
      'edited, renamed and saved anew',
      (scene) => {
        scene.put({ 'N.md': `${note}\nand more\n` });
        rename(scene, 'N.md', 'Other.md');
        saveNew(scene, 'Other.md', `${note}\nand more\n\nmore\n`);
      },
    ],
  ])('a file that was %s on its way to the trash is one new note', async (_what, act) => {
    const scene = await agreed({ 'N.md': note, 'O.md': 'other\n' });
    scene.write({ op: 'delete_page', page: scene.world.page('N')!.id });
    await cutOff(scene, /^unlink N/);
    act(scene);
    const text = scene.text('Other.md');
    await scene.sync();
    await scene.sync();
    expect(scene.pages()).toEqual({ O: 'other\n', Other: text });
    expect(scene.files()).toEqual(['O.md', 'Other.md']);
  });

  it('a file that was edited and deleted on its way to the trash comes back', async () => {
    const scene = await agreed({ 'N.md': note, 'O.md': 'other\n' });
    scene.write({ op: 'delete_page', page: scene.world.page('N')!.id });
    await cutOff(scene, /^unlink N/);
    scene.put({ 'N.md': `${note}\nand more\n` });
    scene.remove('N.md');
    await scene.sync();
    expect(scene.pages()).toEqual({ N: `${note}\nand more\n`, O: 'other\n' });
  });
});

describe('beside imports and exports', () => {
  it('goes on where an import was: what changed since on one side is no conflict', async () => {
    const scene = sceneOf({ 'A.md': 'a\n', 'B.md': 'b\n', 'C.md': bread });
    const { world, database, root } = scene;
    await importVault({ world, database }, { root, device: 'desk', clock: Date.now });
    scene.put({ 'A.md': 'a, edited\n', 'C.md': bread.replace('230', '240') });
    scene.edit('B', 'b, edited\n');
    scene.edit('C', bread.replace('cool', 'cool down'));
    expect(await scene.sync()).toMatchObject({
      ...quiet,
      pulled: ['A.md'],
      pushed: ['B.md'],
      merged: ['C.md'],
    });
    expect(scene.text('C.md')).toBe('# Bread\n\nBake at 240.\n\nLet it cool down.\n');
    const again = await importVault({ world, database }, { root, device: 'desk', clock: Date.now });
    expect(again.deviations).toEqual([]);
    expect(await scene.sync()).toMatchObject({ ...quiet, unchanged: 3 });
  });

  it('a note that is not UTF-8 is kept as an attachment, once', async () => {
    const scene = sceneOf({ 'A.md': 'a\n' });
    writeFileSync(join(scene.root, 'Old.md'), Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]));
    const first = await scene.sync();
    expect(first.problems).toMatchObject([{ path: 'Old.md', kind: 'not_utf8' }]);
    expect(first.attachments).toEqual({ new: 1, changed: 0, removed: 0 });
    expect((await scene.sync()).attachments).toEqual({ new: 0, changed: 0, removed: 0 });
    writeFileSync(join(scene.root, 'Old.md'), 'café\n');
    expect(await scene.sync()).toMatchObject({ pulled: ['Old.md'], problems: [] });
    expect(readFileSync(join(scene.root, 'Old.md'), 'utf8')).toBe('café\n');
  });

  it('a note that was renamed between the import and the first pass stays the same page', async () => {
    const text = 'Bake at 230, then let it cool.\n';
    const scene = sceneOf({
      'Bread.md': text,
      'Oven.md': 'Hot, hotter, hottest of all.\n',
      'Loaf.md': '[[Bread]]\n',
    });
    const { root, world, database } = scene;
    await importVault({ world, database }, { root, device: 'desk', clock: Date.now });
    const { id } = world.page('Bread')!;
    renameSync(join(root, 'Bread.md'), join(root, 'White bread.md'));
    rmSync(join(root, 'Oven.md'));
    const renamed = [{ from: 'Bread.md', to: 'White bread.md', by: 'folder' }];
    expect((await scene.sync({ dryRun: true })).renamed).toEqual(renamed);
    // What was deleted before the first pass comes back: nothing says yet that the folder is kept in step.
    expect(await scene.sync()).toMatchObject({ renamed, pushed: ['Loaf.md', 'Oven.md'], conflicts: [] });
    expect(world.page('White bread')).toMatchObject({ id });
    expect(Object.keys(scene.pages()).toSorted()).toEqual(['Loaf', 'Oven', 'White bread']);
    expect(scene.text('Loaf.md')).toBe('[[White bread]]\n');
    expect(existsSync(join(root, 'Bread.md'))).toBe(false);
    expect(await scene.sync()).toMatchObject({ ...quiet, unchanged: 3 });
  });

  it('an import below a page is synced there', async () => {
    const scene = sceneOf({ 'A.md': 'a\n' });
    const { world, database, root } = scene;
    await importVault({ world, database }, { root, into: 'Notes', device: 'desk', clock: Date.now });
    scene.edit('Elsewhere', 'not of the folder\n');
    expect(await scene.sync()).toMatchObject({ ...quiet, into: 'Notes' });
    expect(scene.files()).toEqual(['A.md']);
    expect(Object.keys(scene.pages())).toEqual(['Elsewhere', 'Notes/A']);
  });

  it('pages of another folder stay out of this one', async () => {
    const other = sceneOf({ 'X.md': 'x\n' });
    const scene = await agreed({ 'A.md': 'a\n' });
    const { world, database } = scene;
    await importVault({ world, database }, { root: other.root, device: 'desk', clock: Date.now });
    expect(await scene.sync()).toMatchObject(quiet);
    expect(scene.files()).toEqual(['A.md']);
  });

  it('knows which files are no pages, and which page shows them', async () => {
    const scene = await agreed({ 'A.md': '![[photo.png]]\n', 'photo.png': 'PNG' });
    expect(scene.world.attachments()).toMatchObject([{ path: 'photo.png', bytes: 3 }]);
    expect(scene.world.attachments()[0]!.page).toBe(scene.world.page('A')!.id);
    scene.remove('photo.png');
    expect((await scene.sync()).attachments).toEqual({ new: 0, changed: 0, removed: 1 });
    expect(scene.world.attachments()).toEqual([]);
    expect(await scene.sync()).toMatchObject({ ...quiet, unchanged: 1 });
  });
});

describe('a dry run', () => {
  it('says what a run does, and does nothing', async () => {
    const scene = await agreed({
      'A.md': 'a\n',
      'B.md': bread,
      'D.md': 'd d d d d d\n',
      'E.md': 'e e e e e e\n',
    });
    scene.put({ 'A.md': 'a, edited\n', 'New.md': 'new\n' });
    scene.edit('B', bread.replace('cool', 'cool down'));
    scene.edit('C', 'c\n');
    renameSync(join(scene.root, 'D.md'), join(scene.root, 'Renamed.md'));
    scene.write({ op: 'rename_page', page: scene.world.page('E')!.id, name: 'Other' });
    const [files, pages, head] = [scene.files(), scene.pages(), scene.world.head()];
    const would = await scene.sync({ dryRun: true });
    expect(scene.files()).toEqual(files);
    expect(scene.pages()).toEqual(pages);
    expect(scene.world.head()).toBe(head);
    const { dryRun: _, ...did } = await scene.sync();
    expect(would).toMatchObject(did);
    expect(did).toMatchObject({
      renamed: [{ to: 'Renamed.md' }, { to: 'Other.md' }],
      pushed: ['B.md', 'C.md'],
    });
  });

  it('leaves no mark', async () => {
    const scene = sceneOf({ 'A.md': 'a\n' });
    await scene.sync({ dryRun: true });
    expect(existsSync(join(scene.root, '.sonde-sync'))).toBe(false);
    expect(scene.pages()).toEqual({});
  });
});
