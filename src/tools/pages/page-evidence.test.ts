/** What the page tools give as evidence is cited, re-read and checked, here and in the files of an export. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { pagesMaterial } from '../../app/investigation/material.ts';
import { verify } from '../../app/library.ts';
import { type Caller, checkClaim, type Evidence, masker, type ToolResult } from '../../core/index.ts';
import { openMemory } from '../../memory/index.ts';
import { openDatabase } from '../../store/index.ts';
import { openWorld, type World } from '../../world/index.ts';
import { exportVault, importVault } from '../../world/vault/index.ts';
import { capabilitySet } from '../capability-sets.ts';
import { openToolHost } from '../open-host.ts';
import { type PageSearchScript, scriptedPageSearch } from '../scripted-page-search.ts';
import { createCall } from '../testbed/plain-tools.ts';
import { resultBytes } from '../tools.ts';
import { pageTools } from './page-entries.ts';

const long = Array.from({ length: 900 }, (_, n) => `Line ${n} says something about ${n * n}.\n\n`).join('');
const vault = {
  'Plan.md': '---\ntags: [a, b]\n---\n# Plan\n\nWe launch in May.\n\n- one\n- two\n\n\nThe end.',
  'crlf.md': '---\r\nx: 1\r\n---\r\n# a\r\n\r\ntext\r\nmore\r\n',
  'mixed.md': 'a\nb\r\nc\n\nlast\n',
  'fence.md': '# F\n\n```\ncode\n\n\nmore code\n```\nunder it\n',
  'bom.md': '\uFEFF---\nx: 1\n---\ntext\n',
  'odd.md': 'a\u0001b\u2028c\rd\n',
  'blank.md': '\n\n \n',
  'front.md': '---\ntitle: only\n---\n',
  'Deep/日記.md': '今日は。\n\n> [!note] Callout\n> text\n',
  'long.md': long,
  'wide.md': `# Wide\n\n${'wide '.repeat(2_000)}\n\nafter it\n`,
};

const endings: (() => void)[] = [];
afterEach(() => {
  for (const end of endings.splice(0).reverse()) end();
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'sonde-page-evidence-'));
  endings.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const callerOf = (kind: Caller['kind']): Caller => ({
  kind,
  name: 'ann',
  device: 'test',
  thread: null,
  channel: null,
});

/** A vault that was imported, its tools, and its export. */
async function setting(files: Readonly<Record<string, string>>, hits?: (world: World) => PageSearchScript) {
  const root = folder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const database = openDatabase({ path: join(folder(), 'world.db'), schemas: [], busyMs: 1000 });
  endings.push(() => database.close());
  const world = openWorld(database);
  await importVault({ world, database }, { root, device: 'test', clock: Date.now });
  const search = scriptedPageSearch(hits?.(world) ?? []);
  const host = openToolHost({
    tools: pageTools({ world, search }),
    workspace: world.workspace,
  });
  const account = openDatabase({ path: ':memory:', schemas: [], busyMs: 0 });
  endings.push(() => account.close());
  const memory = openMemory({ workspace: database, workspaceId: world.workspace.id, account });
  return {
    world,
    /** Of an investigation over this workspace. */
    reader: pagesMaterial(world, search, memory, masker({ key: Buffer.from('a key'), known: [] })).text,
    async call(tool: string, args: object, kind: Caller['kind'] = 'agent') {
      const by = createCall({ caller: callerOf(kind), capabilities: capabilitySet('owner') });
      return told(await host.callTool(tool, args, by));
    },
    async exported() {
      const to = join(folder(), 'out');
      expect((await exportVault({ world, database }, { to })).problems).toEqual([]);
      return to;
    },
  };
}

function told(result: ToolResult) {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result;
}

const claimOf = ({ file_path: path, start_line: start, end_line: end, hash }: Evidence) => ({
  path,
  start,
  end,
  hash,
});
const linesOf = ({ start_line, end_line }: Evidence) => [start_line, end_line] as const;

describe('evidence of read_page', () => {
  it.each<[file: string, lines: readonly (readonly [number, number])[]]>([
    ['Plan.md', [[1, 12]]],
    ['crlf.md', [[1, 7]]],
    ['mixed.md', [[1, 5]]],
    ['fence.md', [[1, 9]]],
    ['bom.md', [[1, 4]]],
    ['odd.md', [[1, 1]]],
    ['blank.md', []],
    ['front.md', [[1, 3]]],
    ['Deep/日記.md', [[1, 4]]],
    [
      'long.md',
      [
        [1, 200],
        [201, 400],
        [401, 600],
        [601, 800],
        [801, 1000],
      ],
    ],
    // Of a line too long to quote, a part.
    [
      'wide.md',
      [
        [1, 2],
        [3, 3],
        [4, 5],
      ],
    ],
  ])('of %s is met again in the export and by an investigation', async (file, lines) => {
    const { call, exported, reader } = await setting(vault);
    const path = file.replace(/\.md$/, '');
    const { evidence } = await call('read_page', { page: path });
    expect(evidence.map((one) => [one.file_path, ...linesOf(one)])).toEqual(lines.map((of) => [path, ...of]));
    const root = await exported();
    const claims = evidence.map((one) => ({ ...claimOf(one), path: file }));
    expect((await verify(claims, { root })).map(({ status }) => status)).toEqual(claims.map(() => 'valid'));
    for (const one of evidence) expect(await checkClaim(claimOf(one), reader)).toEqual({ status: 'valid' });
  });

  it('says what it leaves out of a page that is too long, and shows a part of a line that is', async () => {
    const { call } = await setting(vault);
    const wide = await call('read_page', { page: 'wide' });
    expect(wide.evidence[1]!.content).toHaveLength(8_000);
    const long = await call('read_page', { page: 'long' });
    expect(long.notes[0]).toBe('evidence ends before line 1001 of 1800: read_block gives that of a block');
    const bytes = Buffer.byteLength(JSON.stringify(long.evidence));
    expect(bytes).toBeLessThan(resultBytes / 4);
  });

  it('takes the room there is, and makes no result too long', async () => {
    const { call } = await setting(
      Object.fromEntries(
        Array.from({ length: 40 }, (_, n) => [`p${n}.md`, `${'word '.repeat(200)}\n\n`.repeat(n * 2 + 1)]),
      ),
    );
    let whole = 0;
    for (let n = 0; n < 40; n += 1) {
      const { notes, data, text, evidence } = await call('read_page', { page: `p${n}` });
      const cut = notes.some((note) => note.startsWith('Cut: '));
      const bytes = Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(data));
      if (cut) expect(data).toMatchObject({ cut: true });
      else whole = bytes;
      expect(bytes + Buffer.byteLength(JSON.stringify(evidence))).toBeLessThanOrEqual(resultBytes);
    }
    // Those that were whole without evidence still are.
    expect(whole).toBeGreaterThan(resultBytes * 0.95);
  });

  it('is of what the view shows, numbered as the whole page', async () => {
    const { world, call, reader } = await setting(vault);
    const under = world.read(world.page('Plan')!.id)!.blocks.find(({ text }) => text.startsWith('We'))!;
    await call('add_block', { page: 'Plan', after: under.id, text: 'Or in June.' });
    const all = await call('read_page', { page: 'Plan' });
    const canonical = await call('read_page', { page: 'Plan', view: 'canonical' });
    expect(all.evidence.map(linesOf)).toEqual([[1, 14]]);
    expect(all.evidence[0]!.content).toContain('Or in June.');
    expect(canonical.evidence.length).toBeGreaterThan(1);
    for (const { content } of canonical.evidence) expect(content).not.toContain('June');
    for (const one of [...all.evidence, ...canonical.evidence])
      expect(await checkClaim(claimOf(one), reader)).toEqual({ status: 'valid' });
  });
});

it('read_block gives the lines of the block, wherever it stands', async () => {
  const { world, call, reader } = await setting(vault);
  for (const { id } of world.pages({ view: 'all' }))
    for (const block of world.read(id, 'all')!.blocks.slice(0, 12)) {
      const { evidence } = await call('read_block', { block: block.id });
      const text = block.text.replace(/\r\n/g, '\n').replace(/\n$/, '');
      if (text.trim() === '') expect(evidence).toEqual([]);
      else if (text.length > 8_000) expect(text).toContain(evidence[0]!.content);
      else expect(evidence.map(({ content }) => content)).toEqual([text]);
      for (const one of evidence) expect(await checkClaim(claimOf(one), reader)).toEqual({ status: 'valid' });
    }
});

describe('evidence of search_pages', () => {
  it('is the lines of the blocks that were found', async () => {
    const { call, reader } = await setting(vault, (world) => {
      const page = world.page('Plan')!;
      const blocks = world.read(page.id)!.blocks.filter(({ text }) => /May|end/.test(text));
      return [
        { page: page.id, path: 'Plan', blocks: blocks.map(({ id }) => id), score: 0.5 },
        { page: world.page('crlf')!.id, path: 'crlf' },
        { page: world.page('blank')!.id, path: 'blank' },
      ];
    });
    const { evidence, notes } = await call('search_pages', { query: 'launch' });
    expect(evidence.map((one) => [one.file_path, ...linesOf(one), one.score])).toEqual([
      ['Plan', 6, 12, 0.5],
      ['crlf', 1, 7, 0.5],
    ]);
    expect(evidence[0]!.reason).toBe('found by searching for: launch');
    expect(notes).toEqual([]);
    for (const one of evidence) expect(await checkClaim(claimOf(one), reader)).toEqual({ status: 'valid' });
  });

  it('goes to the best of many hits, and says so', async () => {
    const { call } = await setting(vault, (world) => {
      const { id, path } = world.page('long')!;
      return Array.from({ length: 300 }, () => ({ page: id, path }));
    });
    const { evidence, notes } = await call('search_pages', { query: 'something', wide: true });
    expect(evidence).toHaveLength(5);
    expect(notes).toEqual(['evidence for the first 5 of 300 hits: read_page gives that of a page']);
  });
});
