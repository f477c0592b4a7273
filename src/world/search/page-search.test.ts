import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../core/index.ts';
import { memoryWorld, type ScriptedWorld } from '../scripted.ts';
import type { WorldOperation } from '../world-write.ts';
import { worldWrite } from '../write/make-write.ts';
import { openPageSearch } from './open-page-search.ts';
import type { PageQuery, PageSearch } from './page-search.ts';

const caller = (kind: Caller['kind']): Caller => ({
  kind,
  name: 'test',
  device: 'here',
  thread: null,
  channel: null,
});

let directory: string;
let world: ScriptedWorld;
let search: PageSearch;

function open(pages: Readonly<Record<string, string>>): void {
  world = memoryWorld(pages);
  directory = mkdtempSync(join(tmpdir(), 'sonde-pages-'));
  search = openPageSearch({ world, directory });
}

beforeEach(() =>
  open({
    'Animals/Zebra':
      '---\naliases: [Quagga cousin]\ntags: [striped]\n---\n# Zebra\n\nLives in herds.\n\nGrazes at dawn.\n',
    'Animals/Okapi': '# Okapi\n\nLives alone. #striped #forest\n',
    'Plans/Trip':
      'Visit the savannah, where [[Zebra|the one with bars on its coat]] lives.\n\nBook a tent.\n',
  }),
);

afterEach(async () => {
  await search.close();
  world.close();
  rmSync(directory, { recursive: true });
});

function write(operation: WorldOperation, kind: Caller['kind'] = 'user'): readonly string[] {
  const made = worldWrite({ operation, caller: caller(kind), source: 'test', idempotencyKey: null });
  const result = world.submit(made);
  if (result.kind === 'refused') throw new Error(result.message);
  return result.content_ids;
}

const id = (path: string): string => world.page(path)!.id;
const paths = async (query: string, more: Omit<PageQuery, 'query'> = {}): Promise<string[]> =>
  (await search.search({ query, ...more })).hits.map(({ path }) => path);

describe('finds pages', () => {
  it.each<[string, string, Omit<PageQuery, 'query'>, readonly string[]]>([
    ['by their text', 'herds', {}, ['Animals/Zebra']],
    ['by their title', 'okapi', {}, ['Animals/Okapi']],
    ['by an alias', 'quagga', {}, ['Animals/Zebra']],
    ['by a tag', 'forest', {}, ['Animals/Okapi']],
    ['that the best pages lead to', 'savannah', {}, ['Plans/Trip', 'Animals/Zebra']],
    ['below a page path', 'lives', { under: 'Plans' }, ['Plans/Trip']],
    ['not below a path that only begins alike', 'lives', { under: 'Pla' }, []],
    ['with a tag', 'lives', { tag: 'striped' }, ['Animals/Okapi', 'Animals/Zebra']],
    ['with a tag below a path', 'lives', { tag: 'striped', under: 'Plans' }, []],
    ['none for a word that is nowhere', 'walrus', {}, []],
  ])('%s', async (_how, query, more, expected) => {
    const found = await paths(query, more);
    expect(new Set(found)).toEqual(new Set(expected));
  });

  it('and says which blocks, with the line that tells most', async () => {
    const { hits } = await search.search({ query: 'grazes dawn' });
    const page = world.read(id('Animals/Zebra'))!;
    expect(hits[0]).toMatchObject({
      page: page.id,
      title: 'Zebra',
      lifecycle: 'Canonical',
      found_in: 'text',
      snippet: 'Grazes at dawn.',
    });
    const last = page.blocks.find(({ text }) => text.includes('dawn'))!;
    expect(hits[0]!.blocks).toContain(last.id);
    expect(hits[0]!.shown).toBe(last.id);
  });

  it.each(['alpha', 'beta', 'gamma', 'delta'])(
    'and in which block what is shown begins: %s',
    async (word) => {
      const text = '# Alpha walk\n\nOne.\nTwo of beta walk.\n\n- gamma walk\n- three\n\nLast is delta walk';
      write({ op: 'create_page', path: 'Walks', text });
      const { hits } = await search.search({ query: `${word} walk` });
      const blocks = world.read(id('Walks'))!.blocks;
      const block = blocks.find((one) => one.text.toLowerCase().includes(word))!;
      expect(hits.find(({ path }) => path === 'Walks')).toMatchObject({ shown: block.id });
    },
  );

  it('and says where only links led to them', async () => {
    const { hits } = await search.search({ query: 'savannah' });
    expect(hits.map(({ path, found_in, provenance }) => [path, found_in, provenance])).toEqual([
      ['Plans/Trip', 'text', 'bm25'],
      ['Animals/Zebra', 'links', 'graph'],
    ]);
    expect(hits[1]!.blocks).toHaveLength(1);
    expect(await paths('savannah', { under: 'Plans' })).toEqual(['Plans/Trip']);
  });

  it('the page that says it best itself first, however many lead to another', async () => {
    for (let k = 0; k < 9; k++)
      write({ op: 'create_page', path: `Zoo ${k}`, text: 'Savannah of [[Zebra]].\n' });
    write({ op: 'create_page', path: 'Savannah', text: 'Savannah: savannah grass of the savannah.\n' });
    expect((await paths('savannah')).slice(0, 2)).toEqual(['Savannah', 'Animals/Zebra']);
  });

  it('several parts of a page where a wide answer is asked for', async () => {
    const text = Array.from({ length: 5 }, (_, k) => `# Part ${k}\n\nA walrus of kind ${k}.\n\n`).join('');
    write({ op: 'create_page', path: 'Walrus', text });
    expect(await paths('walrus kind')).toEqual(['Walrus']);
    // Its title is a part, too.
    expect(await paths('walrus kind', { wide: true })).toEqual(Array(6).fill('Walrus'));
  });
});

describe('follows writes', () => {
  it('of every kind', async () => {
    await search.follow();
    write({ op: 'create_page', path: 'Animals/Walrus', text: 'Has tusks.\n' });
    expect(await paths('tusks')).toEqual(['Animals/Walrus']);
    const [tusks] = world.read(id('Animals/Walrus'))!.blocks;
    write({ op: 'update_block', block: tusks!.id, text: 'Has whiskers.\n' });
    expect([await paths('tusks'), await paths('whiskers')]).toEqual([[], ['Animals/Walrus']]);
    write({ op: 'add_block', page: id('Animals/Walrus'), text: 'Sleeps on ice.\n' });
    expect(await paths('ice')).toEqual(['Animals/Walrus']);
    write({ op: 'move_page', page: id('Animals/Walrus'), to: 'Sea/Walrus' });
    expect(await paths('ice')).toEqual(['Sea/Walrus']);
    write({ op: 'rename_page', page: id('Sea/Walrus'), name: 'Morse' });
    expect(await paths('ice')).toEqual(['Sea/Morse']);
    write({ op: 'set_properties', page: id('Sea/Morse'), set: { keeper: 'Ludmilla' } });
    expect(await paths('ludmilla')).toEqual(['Sea/Morse']);
    write({ op: 'delete_block', block: tusks!.id });
    expect(await paths('whiskers')).toEqual([]);
    write({ op: 'delete_page', page: id('Sea/Morse') });
    expect([await paths('ice'), await paths('ludmilla'), await paths('morse')]).toEqual([[], [], []]);
  });

  it('of links', async () => {
    await search.follow();
    const [trip] = world.read(id('Plans/Trip'))!.blocks;
    write({ op: 'update_block', block: trip!.id, text: 'Visit the savannah of [[Okapi]] with a lantern.\n' });
    expect(await paths('savannah')).toEqual(['Plans/Trip', 'Animals/Okapi']);
  });

  it('a subtree that moves, and one path that becomes that of another page', async () => {
    write({ op: 'create_page', path: 'Animals', text: 'All of them.\n' });
    await search.follow();
    write({ op: 'move_page', page: id('Animals'), to: 'Fauna' });
    write({ op: 'create_page', path: 'Animals/Okapi', text: 'An empty cage.\n' });
    expect(await paths('okapi')).toEqual(expect.arrayContaining(['Fauna/Okapi', 'Animals/Okapi']));
    expect(await paths('cage')).toEqual(['Animals/Okapi']);
    expect(await paths('herds')).toEqual(['Fauna/Zebra']);
  });

  it('in another process’s index, and after the index is gone', async () => {
    await search.follow();
    await search.close();
    write({ op: 'create_page', path: 'Late', text: 'A pangolin.\n' });
    search = openPageSearch({ world, directory });
    expect(await paths('pangolin')).toEqual(['Late']);
    await search.close();
    rmSync(directory, { recursive: true });
    search = openPageSearch({ world, directory });
    expect(await paths('pangolin')).toEqual(['Late']);
  });

  it('beside the answer where there are many, and says so', async () => {
    await search.follow();
    for (let k = 0; k < 300; k++)
      write({ op: 'create_page', path: `Many/${k}`, text: `Pangolin number ${k}.\n` });
    const early = await search.search({ query: 'herds' });
    expect(early).toMatchObject({
      completeness: 'partial',
      notes: [expect.stringContaining('300 writes behind')],
    });
    expect(early.hits.map(({ path }) => path)).toEqual(['Animals/Zebra']);
    await search.follow();
    expect(await search.search({ query: 'pangolin', k: 300 })).toMatchObject({
      completeness: 'complete',
      hits: { length: 300 },
    });
  });

  it('by itself within a second', async () => {
    search.watch(20);
    write({ op: 'create_page', path: 'Late', text: 'A pangolin.\n' });
    await expect
      .poll(() => openPageSearch({ world, directory }).search({ query: 'pangolin' }))
      .toMatchObject({
        hits: [{ path: 'Late' }],
      });
  });
});

describe('of what agents wrote', () => {
  beforeEach(() => {
    write({ op: 'create_page', path: 'Agent/Note', text: 'A pangolin eats ants.\n' }, 'agent');
    write({ op: 'add_block', page: id('Animals/Okapi'), text: 'It eats leaves.\n' }, 'agent');
  });

  it('marks candidates, pages and blocks alike', async () => {
    const { hits } = await search.search({ query: 'eats' });
    expect(hits.map(({ path, lifecycle }) => [path, lifecycle]).sort()).toEqual([
      ['Agent/Note', 'Candidate'],
      ['Animals/Okapi', 'Canonical'],
    ]);
  });

  it('shows none where the author’s own view is asked for', async () => {
    expect(await paths('pangolin ants', { view: 'canonical' })).toEqual([]);
    expect(await paths('okapi', { view: 'canonical' })).toEqual(['Animals/Okapi']);
  });
});

it('can be cancelled while it waits', async () => {
  await expect(search.search({ query: 'herds', signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'cancelled',
  });
});
