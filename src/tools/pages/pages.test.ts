/** The tools over a workspace, with the rules of a real one. */

import { afterEach, describe, expect, it } from 'vitest';
import type { Caller, ToolCall, ToolResult } from '../../core/index.ts';
import type { ScriptedWorld } from '../../world/index.ts';
import { memoryWorld } from '../../world/scripted.ts';
import { capabilitySet } from '../capability-sets.ts';
import { openToolHost } from '../open-host.ts';
import { noRunTrails, type RunTrails } from '../run-trails.ts';
import { type ScriptedPageSearch, scriptedPageSearch } from '../scripted-page-search.ts';
import { createCall } from '../testbed/plain-tools.ts';
import type { ToolHost } from '../tools.ts';
import { pageTools } from './page-entries.ts';

const worlds: ScriptedWorld[] = [];
afterEach(() => {
  for (const world of worlds.splice(0)) world.close();
});

const somebody = (kind: Caller['kind']): Caller => ({
  kind,
  name: `the ${kind}`,
  device: 'test',
  thread: kind === 'agent' ? 't1' : null,
  channel: null,
});
const by = (kind: Caller['kind'], more: Partial<ToolCall> = {}): ToolCall =>
  createCall({ caller: somebody(kind), capabilities: capabilitySet('owner'), ...more });

interface Setting {
  readonly host: ToolHost;
  readonly world: ScriptedWorld;
  readonly search: ScriptedPageSearch;
  /** The id of the n-th block of a page that says something, from 0. */
  block(path: string, n?: number): string;
}

function setting(trails?: RunTrails): Setting {
  const world = memoryWorld({
    Plan: '# Plan\n\nWe launch in May. #launch\n\nSee [[Budget]].\n',
    'Plan/Risks': 'Too few testers.\n',
    Budget: 'Ten thousand.\n',
  });
  worlds.push(world);
  const search = scriptedPageSearch([
    { page: world.page('Plan')!.id, path: 'Plan', snippet: 'We launch\nin May.' },
    { page: world.page('Plan/Risks')!.id, path: 'Plan/Risks', lifecycle: 'Candidate' },
  ]);
  const host = openToolHost({
    tools: pageTools({ world, search, ...(trails && { trails }) }),
    workspace: world.workspace,
  });
  const block = (path: string, n = 0) => {
    const { blocks } = world.read(world.page(path)!.id, 'all')!;
    return blocks.filter(({ kind }) => kind !== 'blank')[n]!.id;
  };
  return { host, world, search, block };
}

function told(result: ToolResult) {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result;
}
const errorOf = (result: ToolResult) => (result.ok ? result : result.error);
const data = (result: ToolResult) => told(result).data as Record<string, never>;

describe('reading', () => {
  // world.md: MCP tools 2 and 12.
  it.each<[tool: string, args: object, text: RegExp, held: object]>([
    ['search_pages', { query: 'launch' }, /^Plan\n {2}We launch in May\./, { hits: [{}, {}] }],
    [
      'search_pages',
      { query: 'launch', under: 'Plan/Risks' },
      /^Plan\/Risks \(Candidate\)\n/,
      { hits: [{}] },
    ],
    [
      'read_page',
      { page: 'Plan' },
      /^Plan \[pg-.*\n[\s\S]*\n#\d{4,} We launch in May/,
      { page: { path: 'Plan' } },
    ],
    ['list_pages', {}, /^All Canonical:\nBudget\nPlan\nPlan\/Risks$/, { next: null }],
    ['list_pages', { under: 'Plan', limit: 1 }, /^All Canonical:\nPlan$/, { pages: [{}], next: 'Plan' }],
    ['list_pages', { under: 'Plan', after: 'Plan' }, /^All Canonical:\nPlan\/Risks$/, { pages: [{}] }],
    ['list_tags', {}, /launch 1/, { tags: [{ tag: 'launch', pages: 1 }] }],
    ['get_backlinks', { page: 'Budget' }, /^Plan \[.*as Budget/, { links: [{}] }],
    ['page_history', { content: 'Plan' }, /create_page by user/, { events: [{ op: 'create_page' }] }],
    ['list_deviations', {}, /None/, { deviations: [] }],
  ])('%s %j', async (tool, args, text, held) => {
    const { host, world } = setting();
    const result = told(await host.callTool(tool, args, by('agent')));
    expect(result.text).toMatch(text);
    expect(result.data).toMatchObject(held);
    expect(world.submitted).toEqual([]);
  });

  it('a block by its id', async () => {
    const { host, block } = setting();
    const result = told(await host.callTool('read_block', { block: block('Budget') }, by('agent')));
    expect(result.data).toMatchObject({ block: { lifecycle: 'Canonical', origin: 'Authored' } });
  });

  it('a block names its page by the path as well', async () => {
    const { host, world, block } = setting();
    const { text } = told(await host.callTool('read_block', { block: block('Plan/Risks') }, by('agent')));
    expect(text).toMatch(new RegExp(`; page Plan/Risks \\[${world.page('Plan/Risks')!.id}\\]\\)$`));
  });

  it('what a page says above is not said again among its properties', async () => {
    const { host, world } = setting();
    const text = '---\ntitle: Ships\ntag: sea\nalias: [Boats]\nowner: ann\n---\nThey sail.\n';
    const made = await host.callTool('create_page', { path: 'Sea/Ships', text }, by('user'));
    const { id } = world.page('Sea/Ships')!;
    await host.callTool(
      'set_properties',
      { page: id, set: { tags: ['sea'], aliases: ['Boats'] } },
      by('user'),
    );
    expect(made.ok).toBe(true);
    const read = told(await host.callTool('read_page', { page: id }, by('agent')));
    expect(read.text).toMatch(/^Sea\/Ships .*\ntags: sea\naliases: Boats\nproperties: \{"owner":"ann"\}\n#/);
    await host.callTool('set_properties', { page: id, set: { title: 'Of ships', tag: 'lake' } }, by('user'));
    const other = told(await host.callTool('read_page', { page: id }, by('agent')));
    expect(other.text).toContain('"title":"Of ships"');
    expect(other.text).not.toContain('lake"');
  });

  it('a search tells programs what it is itself, apart from how it is cut for a reader', async () => {
    const { host } = setting();
    const cut = told(await host.callTool('search_pages', { query: 'launch', k: 2 }, by('agent')));
    expect(cut).toMatchObject({
      completeness: 'partial',
      notes: [expect.stringMatching(/the best 2 .*larger k/)],
      data: { completeness: 'complete', notes: [] },
    });
  });

  it('nothing leads there, as far as links are told', async () => {
    const { host } = setting();
    const none = told(await host.callTool('get_backlinks', { page: 'Plan/Risks' }, by('agent')));
    expect(none.text).toMatch(/Nothing leads there.*\[\[page\]\].*other forms are not counted/);
  });

  it('pages of several standings: the usual one is said once', async () => {
    const { host } = setting();
    await host.callTool('create_page', { path: 'New', text: 'x\n' }, by('agent'));
    const listed = told(await host.callTool('list_pages', {}, by('agent')));
    expect(listed.text).toBe(
      'Canonical, where nothing else is said:\nBudget\nNew (Candidate)\nPlan\nPlan/Risks',
    );
  });

  it('what an import did in a row is one line, and each write for programs', async () => {
    const { host, world } = setting();
    const head = world.head();
    const make = (path: string, kind: Caller['kind']) =>
      host.callTool('create_page', { path, text: 'x\n' }, by(kind));
    for (const path of ['V/a', 'V/b', 'V/c']) await make(path, 'import');
    await make('Mine', 'agent');
    await make('V/d', 'import');
    const listed = told(await host.callTool('list_changes', { after: head }, by('agent')));
    const when = '\\d{4}-\\S+Z';
    expect(listed.text.split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^${head + 5} ${when} create_page by import .*\\(wr-\\S+\\): V/d$`)),
      expect.stringMatching(new RegExp(`^${head + 4} ${when} create_page by agent .*: Mine$`)),
      expect.stringMatching(
        new RegExp(
          `^${head + 1} to ${head + 3} ${when} to ${when} create_page by import the import: 3 of them, as V/c$`,
        ),
      ),
    ]);
    expect(data(listed)['changes']).toHaveLength(5);
  });

  it('what was settled of what waited', async () => {
    const { host, world, block } = setting();
    const settled = () => host.callTool('list_inbox', { kind: 'settled' }, by('agent')).then(told);
    await host.callTool('update_block', { block: block('Budget'), text: 'No.\n' }, by('agent'));
    expect((await settled()).text).toBe('None was settled.');
    const [deviation] = world.deviations({ status: 'open' });
    await host.callTool('resolve_deviation', { deviation: deviation!.id, decision: 'keep' }, by('user'));
    expect((await settled()).text).toMatch(/^dv-\S+ (?:resolved|dismissed) overwrite of /);
  });

  it('what waits, and what changed since', async () => {
    const { host, world, block } = setting();
    const head = world.head();
    await host.callTool('create_page', { path: 'New', text: 'x\n' }, by('agent'));
    await host.callTool('update_block', { block: block('Budget'), text: 'No.\n' }, by('agent'));
    const call = (name: string, args: object) => host.callTool(name, args, by('agent'));
    const waiting = told(await call('list_inbox', {}));
    expect(waiting.text.split('\n')).toHaveLength(2);
    expect(waiting).toMatchObject({ completeness: 'complete', data: { waiting: 2 } });
    const held = told(await call('list_inbox', { kind: 'deviation' }));
    expect(held.text).toMatch(/^deviation dv-\S+ revision 1 of Budget, \d{4}-/);
    expect(told(await call('list_inbox', { limit: 1 }))).toMatchObject({
      completeness: 'partial',
      notes: ['1 item more: a larger limit lists them'],
    });
    expect(told(await call('list_inbox', { kind: 'flag' })).text).toBe('Nothing waits.');
    const changes = told(await call('list_changes', { after: head }));
    expect(changes.text).toMatch(/^\d+ \d{4}-\S+ \w+ by agent the agent \(wr-\S+\): (New|Budget)/);
    expect(changes.data).toMatchObject({ head: world.head() });
    expect(told(await call('list_changes', { after: world.head() })).text).toBe('Nothing changed.');
    const last = told(await call('list_changes', { limit: 1 }));
    expect(last).toMatchObject({ completeness: 'partial', data: { changes: [{ seq: world.head() }] } });
    expect(last.notes).toEqual([`changes 1 to ${world.head() - 1} are not listed`]);
    expect(JSON.stringify(changes.data)).not.toContain('"before"');
  });

  it('pages that changed since, each once by its last change, on as many listings as it takes', async () => {
    const { host, world, block } = setting();
    const call = (name: string, args: object) => host.callTool(name, args, by('agent'));
    const since = new Date(world.events(0, 1)[0]!.at).toISOString();
    for (const path of ['A', 'B', 'C']) await call('create_page', { path, text: 'x\n' });
    await call('update_block', { block: block('A'), text: 'y\n' });
    await call('delete_page', { page: 'B' });
    const first = told(await call('changed_since', { since, limit: 2 }));
    expect(first.text.split('\n')).toEqual([
      expect.stringMatching(/^B \(deleted\): 2 changes, last \d{4}-\S+ delete_page by agent the agent$/),
      expect.stringMatching(/^A: 2 changes, last \d{4}-\S+ update_block by agent the agent$/),
    ]);
    expect(first.completeness).toBe('partial');
    const { next } = first.data as { readonly next: number };
    expect(first.notes).toEqual([`there are more: before ${next} goes on`]);
    const rest = told(await call('changed_since', { since, before: next }));
    const paths = rest.text.split('\n').map((text) => text.replace(/: .*$/, ''));
    expect(paths).toEqual(['C', 'Budget', 'Plan/Risks', 'Plan']);
    expect(rest).toMatchObject({ completeness: 'complete', data: { next: null } });
    const none = told(await call('changed_since', { since: '2999-01-01' }));
    expect(none.text).toMatch(/^No page changed since 2998-12-31|2999-01-01/);
    expect(world.head()).toBeGreaterThan(7);
  });

  it('pages that changed since a turn of this conversation, and no other time', async () => {
    const turns = [60_000, 30, 0];
    const { host } = setting({ ...noRunTrails, listTurns: async () => turns });
    const call = (since: string) => host.callTool('changed_since', { since }, by('agent'));
    expect(data(await call('turn'))).toMatchObject({ since: 30 });
    expect(data(await call('turn 2'))).toMatchObject({ since: 0, pages: [{}, {}, {}] });
    expect(errorOf(await call('turn 3'))).toMatchObject({
      message: expect.stringContaining('2 earlier turns'),
    });
    for (const wrong of ['yesterday', '7', '2026-13-45', 'turns'])
      expect(errorOf(await call(wrong))).toMatchObject({ message: expect.stringContaining('no time') });
  });

  it('a list that goes on is partial, and says how', async () => {
    const { host } = setting();
    const result = told(await host.callTool('list_pages', { limit: 2 }, by('agent')));
    expect(result).toMatchObject({ completeness: 'partial', notes: [expect.stringMatching(/after: Plan$/)] });
  });

  it('the search gets what it was asked, and as many as the usual', async () => {
    const { host, search } = setting();
    await host.callTool('search_pages', { query: 'q', tag: 'launch', wide: true }, by('agent'));
    expect(search.queries).toMatchObject([{ query: 'q', tag: 'launch', wide: true, k: 400 }]);
  });

  it.each([
    ['read_page', { page: 'Nowhere' }, /no page "Nowhere"/],
    ['read_block', { block: 'bl-none' }, /no block bl-none/],
    ['get_backlinks', { page: 'Nowhere' }, /Nowhere/],
    ['search_pages', { query: '  ' }, /query/],
  ])('%s of what is not there', async (tool, args, words) => {
    const { host } = setting();
    const error = errorOf(await host.callTool(tool, args, by('agent')));
    expect(error).toMatchObject({ code: 'validation', message: expect.stringMatching(words) });
  });
});

describe('writing', () => {
  // world.md: MCP tools 3; Submit boundary 3, 4, 5, 7, 9; Scheduling 3.
  it.each<[Caller['kind'], origin: string, lifecycle: string]>([
    ['user', 'Authored', 'Canonical'],
    ['agent', 'AgentProduced', 'Candidate'],
    ['schedule', 'AgentProduced', 'Candidate'],
    ['external', 'AgentProduced', 'Candidate'],
  ])('of %s is %s and %s', async (kind, origin, lifecycle) => {
    const { host, world } = setting();
    const result = told(await host.callTool('create_page', { path: 'New', text: 'x\n' }, by(kind)));
    const page = world.page('New')!;
    expect(page).toMatchObject({ origin, lifecycle, origin_source_id: 'tool:create_page' });
    expect(result.write).toMatchObject({ applied: true, write_id: expect.stringMatching(/./) });
    expect(result.write?.content_ids[0]).toBe(page.id);
    expect(result.text).toContain(`Applied as ${lifecycle}`);
  });

  it('every writing tool builds a WorldWrite of its own name', async () => {
    const { host, world, block } = setting();
    const writing = host.list().filter(({ effect }) => effect === 'write');
    const args: Readonly<Record<string, object>> = {
      create_page: { path: 'New', text: 'x\n', properties: { a: 1 }, tags: ['t'] },
      update_block: { block: block('Budget'), text: 'Twelve thousand.\n', base_revision: 1 },
      update_page: { page: 'Budget', text: 'Twelve thousand, all told.\n' },
      add_block: { page: 'Budget', text: 'And more.\n', after: null },
      delete_block: { block: block('Plan', 2) },
      set_properties: { page: 'Plan', set: { owner: 'ada' } },
      add_derivation_link: { derived: 'Plan', source: 'Plan/Risks' },
      move_page: { page: 'Plan/Risks', to: 'Archive/Risks' },
      rename_page: { page: 'Budget', name: 'Money' },
      add_tag: { content: 'Plan', tag: 'kept' },
      delete_page: { page: 'Archive/Risks' },
    };
    for (const [name, given] of Object.entries(args)) told(await host.callTool(name, given, by('user')));
    expect(world.submitted.map(({ write }) => write.origin_source_id)).toEqual(
      Object.keys(args).map((name) => `tool:${name}`),
    );
    const rest = ['promote_to_canonical', 'resolve_deviation'];
    expect(writing.map(({ name }) => name).sort()).toEqual([...Object.keys(args), ...rest].sort());
    expect(world.page('Money')?.path).toBe('Money');
    expect(world.page('Archive/Risks')).toBeNull();
  });

  // world.md: Submit boundary 8; Deviations 1, 3; Errors 4.
  it('an agent’s edit of canonical content is held, and comes back as a deviation', async () => {
    const { host, world, block } = setting();
    const id = block('Budget');
    const result = told(await host.callTool('update_block', { block: id, text: 'Nothing.\n' }, by('agent')));
    expect(result.write).toMatchObject({ applied: false });
    expect(result.deviation_ids).toHaveLength(1);
    expect(world.block(id)?.text).toContain('Ten thousand');
    const listed = data(await host.callTool('list_deviations', {}, by('agent')));
    expect(listed['deviations']).toMatchObject([
      { id: result.deviation_ids[0], type: 'overwrite', status: 'open' },
    ]);

    // Deviations 8: an agent proposes, the author decides.
    const settle = { deviation: result.deviation_ids[0], decision: 'accept' };
    await host.callTool('resolve_deviation', settle, by('agent'));
    expect(world.deviations({ status: 'open' })).toHaveLength(1);
    expect(world.block(id)?.text).toContain('Ten thousand');
    expect(errorOf(await host.callTool('resolve_deviation', settle, by('user')))).toMatchObject({
      details: { refusal: 'stale' },
    });
    const [waiting] = data(await host.callTool('list_deviations', {}, by('user')))[
      'deviations'
    ] as unknown as object[];
    expect(waiting).toMatchObject({ revision: 1, after: 'Nothing.\n', conflicts: [] });
    told(await host.callTool('resolve_deviation', { ...settle, revision: 1 }, by('user')));
    expect(world.deviations({ status: 'open' })).toEqual([]);
    expect(world.block(id)?.text).toBe('Nothing.\n');
  });

  it('neither of the two, but a text', async () => {
    const { host, world, block } = setting();
    const id = block('Budget');
    const { deviation_ids } = told(
      await host.callTool('update_block', { block: id, text: 'Nothing.\n' }, by('agent')),
    );
    const args = { deviation: deviation_ids[0], decision: 'text', text: 'Five thousand.\n', note: 'half' };
    told(await host.callTool('resolve_deviation', args, by('user')));
    expect(world.block(id)?.text).toBe('Five thousand.\n');
  });

  it('a contradiction is declared by who writes', async () => {
    const { host } = setting();
    const args = { path: 'Note', text: 'We launch in June.\n', contradicts: ['Plan'] };
    const result = told(await host.callTool('create_page', args, by('agent')));
    expect(result).toMatchObject({ write: { applied: true }, deviation_ids: [expect.any(String)] });
  });

  it.each<Caller['kind']>(['agent', 'schedule', 'external', 'import'])(
    'promotion is refused to %s, and nothing is left of it',
    async (kind) => {
      const { host, world } = setting();
      await host.callTool('create_page', { path: 'New', text: 'x\n' }, by('agent'));
      const before = world.events(0).length;
      const error = errorOf(await host.callTool('promote_to_canonical', { content: 'New' }, by(kind)));
      expect(error).toMatchObject({ code: 'capability', details: { capability: 'author' } });
      expect(world.page('New')?.lifecycle).toBe('Candidate');
      expect(world.events(0)).toHaveLength(before);
    },
  );

  it('the author promotes', async () => {
    const { host, world } = setting();
    await host.callTool('create_page', { path: 'New', text: 'x\n' }, by('agent'));
    const blind = errorOf(await host.callTool('promote_to_canonical', { content: 'New' }, by('user')));
    expect(blind).toMatchObject({ details: { refusal: 'stale', shown: null, now: 1, diff: '+ x' } });
    told(await host.callTool('read_page', { page: 'New' }, by('user')));
    const older = { content: 'New', revision: 2 };
    expect(errorOf(await host.callTool('promote_to_canonical', older, by('user')))).toMatchObject({
      details: { refusal: 'stale', shown: 2, now: 1 },
    });
    told(await host.callTool('promote_to_canonical', { content: 'New', revision: 1 }, by('user')));
    expect(world.page('New')?.lifecycle).toBe('Canonical');
  });

  // world.md: Submit boundary 10, 12; Deviations 4, 5; Errors 3, 5.
  it.each<[name: string, tool: string, args: object, call: Partial<ToolCall>, code: string, details: object]>(
    [
      [
        'a path that is taken',
        'create_page',
        { path: 'Plan', text: 'x' },
        {},
        'validation',
        { refusal: 'path_taken' },
      ],
      [
        'a source that is an address',
        'create_page',
        { path: 'New', text: 'x', derived_from: ['https://example.org'] },
        {},
        'validation',
        { refusal: 'unknown_source' },
      ],
      ['a block that is not there', 'update_block', { block: 'bl-x', text: 'x' }, {}, 'validation', {}],
      [
        'a lifecycle of one’s own',
        'create_page',
        { path: 'N', text: 'x', lifecycle: 'Canonical' },
        {},
        'validation',
        {},
      ],
      [
        'an origin of one’s own',
        'create_page',
        { path: 'N', text: 'x', origin: 'Authored' },
        {},
        'validation',
        {},
      ],
      [
        'without the capability',
        'delete_page',
        { page: 'Plan' },
        { capabilities: capabilitySet('agent') },
        'capability',
        { capability: 'PagesDelete' },
      ],
    ],
  )('%s', async (_name, tool, args, call, code, details) => {
    const { host, world } = setting();
    const before = world.events(0).length;
    const error = errorOf(await host.callTool(tool, args, by('agent', call)));
    expect(error).toMatchObject({ code, details });
    expect(world.events(0)).toHaveLength(before);
    expect(world.deviations()).toEqual([]);
  });

  it('the same key applies once and gives the first result', async () => {
    const { host, world } = setting();
    const call = by('agent', { idempotencyKey: 'step 1' });
    const first = told(await host.callTool('create_page', { path: 'New', text: 'x\n' }, call));
    const again = told(await host.callTool('create_page', { path: 'New', text: 'x\n' }, call));
    expect(again.write).toEqual(first.write);
    expect(again.notes).toEqual([expect.stringMatching(/first result/)]);
    expect(world.pages({ view: 'all' })).toHaveLength(4);
    const other = errorOf(await host.callTool('create_page', { path: 'Other', text: 'x\n' }, call));
    expect(other).toMatchObject({ code: 'validation', details: { refusal: 'key_reused' } });
    expect(JSON.stringify(other)).not.toMatch(/key \\"|\["agent/);
  });
});

describe('what a write rests on', () => {
  // world.md: Investigation 11.
  it('is what was read, exactly, where there is a trail', async () => {
    const { host, world } = setting();
    const readTrail = [world.page('Plan')!.id, world.page('Budget')!.id];
    await host.callTool('create_page', { path: 'New', text: 'x\n' }, by('agent', { readTrail }));
    const sources = world.sourcesOf(world.page('New')!.id).map(({ source_id }) => source_id);
    expect([...sources].sort()).toEqual([...readTrail].sort());
    const named = { path: 'Other', text: 'x\n', derived_from: ['Plan/Risks'] };
    const error = errorOf(await host.callTool('create_page', named, by('agent', { readTrail })));
    expect(error).toMatchObject({ code: 'validation', message: expect.stringMatching(/was not read/) });
    expect(world.page('Other')).toBeNull();
  });

  const sourcesOf = ({ world }: Setting, path: string): readonly string[] =>
    world
      .sourcesOf(world.page(path)!.id)
      .map(({ source_id }) => source_id)
      .sort();
  const namesOf = (made: Setting, of: string): readonly string[] =>
    sourcesOf(made, of)
      .map((id) => made.world.page(id)?.path ?? 'a block')
      .sort();

  it.each<[string, readonly string[] | undefined, readonly string[]]>([
    ['what was declared, and no more of what was read', ['Plan'], ['Plan']],
    ['several that were declared', ['Plan', 'Budget'], ['Budget', 'Plan']],
    ['the same under two names once', ['Plan', 'Plan.md'], ['Plan']],
    ['all that was read, where nothing was declared', undefined, ['Budget', 'Plan', 'Plan/Risks']],
  ])('is, of an agent, %s', async (_name, derived_from, wanted) => {
    const made = setting();
    const readTrail = ['Plan', 'Budget', 'Plan/Risks'].map((path) => made.world.page(path)!.id);
    const args = { path: 'New', text: 'x\n', ...(derived_from && { derived_from }) };
    const { notes } = told(await made.host.callTool('create_page', args, by('agent', { readTrail })));
    expect([namesOf(made, 'New'), notes]).toEqual([wanted, []]);
  });

  it('is, of a program from outside, what it declares of what it was shown', async () => {
    const made = setting();
    const { host, world, block } = made;
    const declared = ['Plan', block('Budget'), 'Plan/Risks'];
    const readTrail = [world.page('Plan')!.id, world.page('Budget')!.id];
    const write = (path: string, derived_from: readonly string[] | undefined) =>
      host.callTool(
        'create_page',
        { path, text: 'x\n', ...(derived_from && { derived_from }) },
        by('external', { readTrail }),
      );
    const { notes } = told(await write('New', declared));
    expect(sourcesOf(made, 'New')).toEqual([world.page('Plan')!.id, block('Budget')].sort());
    expect(notes).toEqual([expect.stringContaining(`${world.page('Plan/Risks')!.id} is not recorded`)]);
    await write('Silent', undefined);
    expect(sourcesOf(made, 'Silent')).toEqual([]);
    const links = data(await host.callTool('get_backlinks', { page: 'Plan' }, by('agent')));
    expect(links['derived']).toHaveLength(1);
  });

  it('is not the page that is written on, so that no edit of it flags it', async () => {
    const made = setting();
    const { host, world, block } = made;
    const [plan, budget] = [world.page('Plan')!.id, world.page('Budget')!.id];
    const readTrail = [plan, block('Plan'), budget];
    for (const derived_from of [undefined, ['Plan', 'Budget']]) {
      const args = { page: 'Plan', text: 'See also [[Budget]].\n', ...(derived_from && { derived_from }) };
      const { write } = told(await host.callTool('add_block', args, by('agent', { readTrail })));
      const sources = world.sourcesOf(write!.content_ids[0]!).map(({ source_id }) => source_id);
      expect(sources).toEqual([budget]);
    }
  });

  it.each<[string, object]>([
    ['add_block', { page: 'Plan', text: 'More.\n' }],
    ['update_page', { page: 'Plan', text: 'Less.\n' }],
    ['update_block', { text: 'Other.\n' }],
  ])('says of %s that it is not the page that is written on', async (tool, args) => {
    const { host, block } = setting();
    const given = { ...(tool === 'update_block' && { block: block('Plan') }), ...args };
    const result = await host.callTool(
      tool,
      { ...given, derived_from: ['Plan', 'Budget', 'Plan'] },
      by('user'),
    );
    expect(told(result).notes).toEqual([
      expect.stringMatching(/^derived_from: Plan \(pg-\w+\) is not recorded, since it is the page that/),
    ]);
  });

  it('is a block of the page that is written on, and not the block that is written', async () => {
    const { host, world, block } = setting();
    const [first, second] = [block('Plan'), block('Plan', 1)];
    const args = { block: first, text: 'Other.\n', derived_from: [world.block(first)!.handle, second] };
    const result = told(await host.callTool('update_block', args, by('user')));
    expect(result.notes).toEqual([
      `derived_from: ${first} is not recorded, since it is the block that is written`,
    ]);
    expect(world.sourcesOf(first)).toMatchObject([{ source_id: second }]);
  });

  it.each<[string, Caller['kind'], boolean, boolean]>([
    ['an agent that has read it', 'agent', true, true],
    ['an agent that has not', 'agent', false, false],
    ['a program that was shown it', 'external', true, true],
    ['a program that was not', 'external', false, false],
    ['the author', 'user', false, true],
  ])('is said later by a link, too: %s', async (_name, kind, wasRead, taken) => {
    const made = setting();
    const { host, world } = made;
    await host.callTool('create_page', { path: 'New', text: 'x\n' }, by('agent'));
    const readTrail = wasRead ? [world.page('Plan')!.id] : [];
    const args = { derived: 'New', source: 'Plan' };
    const result = await host.callTool('add_derivation_link', args, by(kind, { readTrail }));
    expect(result.ok).toBe(taken);
    expect(namesOf(made, 'New')).toEqual(taken ? ['Plan'] : []);
  });

  it('is not what an agent names that has read nothing', async () => {
    const { host, world } = setting();
    const args = { path: 'New', text: 'x\n', derived_from: ['Plan'] };
    for (const kind of ['agent', 'schedule'] as const)
      expect(errorOf(await host.callTool('create_page', args, by(kind)))).toMatchObject({
        code: 'validation',
        message: expect.stringMatching(/was not read/),
      });
    expect(world.page('New')).toBeNull();
  });

  const run = 'run-abcdefghi012345';
  /** Of the conversation of the agent: what its run read, by page. */
  const handedOn = (...paths: readonly string[]): Setting => citing([], ...paths);
  /** Its answer cites some of it. */
  const citing = (cited: readonly string[], ...paths: readonly string[]): Setting => {
    const of =
      (all: readonly string[]) =>
      async (name: string, { thread }: Pick<Caller, 'thread'>) =>
        name === run && thread === 't1' ? all.map((path) => made.world.page(path)!.id) : null;
    const made: Setting = setting({ ...noRunTrails, findRead: of(paths), findCited: of(cited) });
    return made;
  };

  it.each<[string, readonly string[] | undefined, readonly string[], readonly string[]]>([
    ['its name among the sources', [run], [], ['Budget']],
    ['its name in the trail', undefined, [run], ['Budget']],
    ['and what else the caller names of what it read', [run, 'Plan'], [], ['Budget', 'Plan']],
  ])(
    'is what the answer of a run cites, not all that it read: %s',
    async (_, derived_from, readTrail, wanted) => {
      const { host, world } = citing(['Budget'], 'Plan', 'Budget', 'Plan/Risks');
      const args = { path: 'New', text: 'x\n', ...(derived_from && { derived_from }) };
      told(await host.callTool('create_page', args, by('agent', { readTrail })));
      const sources = world.sourcesOf(world.page('New')!.id).map(({ source_id }) => source_id);
      expect([...sources].sort()).toEqual(wanted.map((path) => world.page(path)!.id).sort());
    },
  );

  // world.md: Investigation 11, 12.
  it.each<[string, readonly string[] | undefined, readonly string[], readonly string[]]>([
    ['its name among the sources', [run], [], ['Budget', 'Plan']],
    ['its name in the trail', undefined, [run], ['Budget', 'Plan']],
    ['one of the pages that it read', ['Plan'], [run], ['Plan']],
    ['what the caller read beside it', undefined, [run, 'Plan/Risks'], ['Budget', 'Plan', 'Plan/Risks']],
    ['and not what the caller read beside it', [run], ['Plan/Risks'], ['Budget', 'Plan']],
    ['what both have read', [run], [run, 'Plan'], ['Budget', 'Plan']],
    ['a run of the trail that is not there', undefined, ['run-000000000000000', 'Plan'], ['Plan']],
  ])('is what a run of the conversation read: %s', async (_, derived_from, trail, wanted) => {
    const { host, world } = handedOn('Plan', 'Budget');
    const readTrail = trail.map((name) => world.page(name)?.id ?? name);
    const args = { path: 'New', text: 'x\n', ...(derived_from && { derived_from }) };
    await host.callTool('create_page', args, by('agent', { readTrail }));
    const sources = world.sourcesOf(world.page('New')!.id).map(({ source_id }) => source_id);
    expect([...sources].sort()).toEqual(wanted.map((path) => world.page(path)!.id).sort());
  });

  it.each<[string, Caller['kind'], readonly string[]]>([
    ['that does not exist', 'agent', ['run-000000000000000']],
    ['of another conversation', 'external', [run]],
    ['with a page that it did not read', 'agent', [run, 'Plan/Risks']],
  ])('is refused where it names a run %s', async (_, kind, derived_from) => {
    const { host, world } = handedOn('Plan', 'Budget');
    const args = { path: 'New', text: 'x\n', derived_from };
    const error = errorOf(await host.callTool('create_page', args, by(kind)));
    expect(error).toMatchObject({
      code: 'validation',
      message: expect.stringMatching(/nothing can rest on/),
    });
    expect(world.page('New')).toBeNull();
  });

  it('may be a page that has a name like a run', async () => {
    const { host, world } = handedOn('Plan');
    await host.callTool('create_page', { path: run, text: 'A race.\n' }, by('user'));
    await host.callTool('create_page', { path: 'New', text: 'x\n', derived_from: [run] }, by('user'));
    const sources = world.sourcesOf(world.page('New')!.id).map(({ source_id }) => source_id);
    expect(sources).toEqual([world.page(run)!.id]);
  });
});
