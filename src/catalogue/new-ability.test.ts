/** A newcomer's ability, as ARCHITECTURE.md says to add one: what follows from its one file. */

import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createOfferedList } from '../app/agent/tools/offered-tools.ts';
import type { Capability } from '../core/index.ts';
import type { HelperCall } from '../tasks/investigation/helpers/helper.ts';
import { helperOf } from '../tasks/investigation/helpers/helper-of.ts';
import { toAction } from '../tasks/research/actions/action-of.ts';
import { collect } from '../tasks/research/material/collect.ts';
import { scriptedMaterial } from '../tasks/research/scripted.ts';
import { capabilitySet } from '../tools/capability-sets.ts';
import { codeTool } from '../tools/code/code-tools.ts';
import { connectInMemory } from '../tools/mcp/connect.ts';
import { openToolHost } from '../tools/open-host.ts';
import { pageTool } from '../tools/pages/page-entries.ts';
import { pageEntry } from '../tools/pages/page-entry.ts';
import { scriptedPageSearch } from '../tools/scripted-page-search.ts';
import { createCall } from '../tools/testbed/plain-tools.ts';
import type { ScriptedWorld } from '../world/index.ts';
import { memoryWorld } from '../world/scripted.ts';
import { type CodeContext, type CodePorts, codeEntry, filePath, spanData } from './code/code-ports.ts';
import { entryContract, fileEntryContract } from './entry.contract.ts';
import { done, type EntryResult, failed } from './entry.ts';
import { createScope } from './scope.ts';
import { createScriptedEntry } from './scripted.ts';

/** All that is written. */
const fileHead = codeEntry({
  name: 'file_head',
  description: 'The first lines of a file, which mostly say what it is for.',
  parameters: z.object({
    file_path: filePath,
    lines: z.int().min(1).max(50).default(5).describe('How many'),
  }),
  capability: 'CodeRead',
  effect: 'read',
  cost: 'some ms; the lines',
  needs: ['text'],
  pieces: { tool: 1, action: 1 },
  async run({ file_path, lines }, { scope, path: pathOf, collect: read }) {
    const path = pathOf(file_path, scope);
    const { evidence, notes } = await read([
      { path, start: 1, end: lines, reason: 'head of the file', provenance: 'manual' },
    ]);
    const [head] = evidence;
    if (head === undefined) return failed(notes[0] ?? `${path} gave no lines.`);
    return done({ summary: `${head.end_line} lines`, data: spanData(head), evidence, notes });
  },
});

const files = { 'src/a.ts': '/** Says hello. */\nhello();\n', 'keys/b.ts': 'hidden\n' };
const material = () => scriptedMaterial({ files });

fileEntryContract<CodePorts>([{ entry: fileHead, args: { file_path: 'src/a.ts' } }], () => {
  const { text, search } = material();
  return {
    ports: { text, search },
    scope: 'src',
    secret: /hidden/,
    collect: (finds) => collect(text, createScope('src'), finds),
  };
});

describe('an ability in one file', () => {
  const host = openToolHost({ tools: [codeTool(fileHead, async () => material())] });
  const call = createCall({ capabilities: capabilitySet('external') });

  it('is a tool: listed, checked, cited, confined', async () => {
    expect(host.list()[0]).toMatchObject({
      name: 'file_head',
      capability: 'CodeRead',
      effect: 'read',
      parameters: { properties: { lines: { type: 'integer', default: 5 } }, required: ['file_path'] },
    });
    expect(await host.callTool('file_head', { file_path: 'src/a.ts', lines: 1 }, call)).toMatchObject({
      ok: true,
      text: 'src/a.ts:1-1\n/** Says hello. */',
      data: { path: 'src/a.ts', start: 1, end: 1 },
      evidence: [{ file_path: 'src/a.ts' }],
    });
    for (const args of [{ file_path: '../x' }, { file_path: 'none.ts' }, { file_path: 'src/a.ts', lines: 0 }])
      expect(await host.callTool('file_head', args, call)).toMatchObject({
        ok: false,
        error: { code: 'validation' },
      });
  });

  it('is an action of research, in plain types and within its scope', async () => {
    const action = toAction(fileHead);
    expect(z.toJSONSchema(action.input).properties).toEqual({
      file_path: { type: 'string', description: 'Relative to the root' },
      lines: { type: 'number', default: 5, description: 'How many' },
    });
    const { text, search } = material();
    const run = (input: object) => {
      const scope = createScope('src');
      return action.run(action.input.parse(input), {
        question: 'q',
        material: { text, search },
        scope,
        evidence: [],
        turns: [],
        signal: new AbortController().signal,
        citable: false,
        collect: (finds) => collect(text, scope, finds),
        summarize: async () => ({ memo: '' }),
        rerank: async () => ({ best: [] }),
      });
    };
    expect(await run({ file_path: 'src/a.ts', lines: 400 })).toMatchObject({
      kind: 'done',
      summary: '3 lines',
      evidence: [{ start_line: 1 }],
    });
    expect(await run({ file_path: 'keys/b.ts' })).toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(/outside the scope/),
    });
    expect(await run({ file_path: '' })).toMatchObject({
      kind: 'failed',
      message: 'The file_path is empty.',
    });
  });
});

describe('the same as a helper of code in the sandbox', () => {
  const helper = helperOf(fileHead, 'reading');
  const call = (of = material()) =>
    ({
      runContext: { material: { kind: 'tree', ...of } },
      place: { scope: createScope('src') },
      signal: new AbortController().signal,
    }) as unknown as HelperCall;
  const answer = async (args: object) => helper(args as never, call());

  it('gives its data, and what was read', async () => {
    expect(await answer({ file_path: 'src/a.ts', lines: 1 })).toMatchObject({
      value: { path: 'src/a.ts', start: 1, end: 1 },
      summary: '1 lines',
    });
    expect(await answer({ file_path: 'src/a.ts', lines: null })).toMatchObject({ value: { end: 3 } });
  });

  it.each([
    ['another type', { file_path: 7 }, /file_path is a number: give a text/],
    ['None', { file_path: null }, /file_path is None: give a text/],
    ['an empty text', { file_path: ' ' }, /file_path is empty/],
    [
      'a number out of its bounds',
      { file_path: 'src/a.ts', lines: 51 },
      /lines is a whole number from 1 to 50/,
    ],
    ['half a number', { file_path: 'src/a.ts', lines: 1.5 }, /lines is a whole number/],
    ['what is outside of the scope', { file_path: 'keys/b.ts' }, /outside the scope/],
  ])('refuses %s in words of Python', async (_name, args, message) => {
    await expect(answer(args)).rejects.toThrow(message);
  });

  it('is not there where its port is not', async () => {
    const listed = helperOf(scripted(done({ summary: 's' }), { needs: ['paths'] }), 'the listing', {
      absent: { message: 'nothing can be listed', remedy: '' },
    });
    await expect(Promise.resolve(listed({}, call()))).rejects.toThrow('nothing can be listed');
  });
});

/** All that is written of an ability over pages. */
const pageOutline = pageEntry({
  name: 'page_outline',
  description: 'The headings of a page, in order.',
  parameters: z.object({ page: z.string().min(1).max(1000) }),
  capability: 'PagesRead',
  effect: 'read',
  cost: 'under 1 ms',
  run({ page }, { ports: { world } }) {
    const found = world.page(page);
    if (found === null) return failed(`there is no page ${page}`);
    const { blocks } = world.read(found.id, 'all')!;
    const headings = blocks.filter(({ kind }) => kind === 'heading').map(({ text }) => text.trim());
    return done({
      summary: `${headings.length} headings`,
      lines: headings,
      nothing: 'No heading.',
      data: { headings },
      reads: [found.id],
    });
  },
});

describe('an ability over pages in one file', () => {
  const worlds: ScriptedWorld[] = [];
  afterEach(() => {
    for (const world of worlds.splice(0)) world.close();
  });
  const opened = () => {
    const world = memoryWorld({ Plan: '# Aim\n\nWe launch.\n\n## When\n\nIn May.\n' });
    worlds.push(world);
    return { world, search: scriptedPageSearch() };
  };

  entryContract([{ entry: pageOutline, args: { page: 'Plan' } }], () => {
    const { world, search } = opened();
    const call = createCall({ capabilities: capabilitySet('owner') });
    return {
      ports: {
        world,
        search,
        trails: { findRead: async () => null, findCited: async () => null, listTurns: async () => [] },
      },
      call,
    };
  });

  const hostOf = (...more: Parameters<typeof pageTool>[0][]) => {
    const given = opened();
    return openToolHost({ tools: [pageOutline, ...more].map((entry) => pageTool(entry, given)) });
  };

  it('is a tool, which asks for its capability', async () => {
    const host = hostOf();
    const call = createCall({ capabilities: capabilitySet('read-only') });
    expect(await host.callTool('page_outline', { page: 'Plan' }, call)).toMatchObject({
      ok: true,
      text: '# Aim\n## When',
      data: { headings: ['# Aim', '## When'] },
      reads: [expect.stringMatching(/^pg-/)],
    });
    expect(await host.callTool('page_outline', { page: 'None' }, call)).toMatchObject({
      ok: false,
      error: { code: 'validation', message: 'there is no page None' },
    });
    const nobody = createCall({ capabilities: new Set<Capability>() });
    expect(await host.callTool('page_outline', { page: 'Plan' }, nobody)).toMatchObject({
      ok: false,
      error: { code: 'capability' },
    });
  });

  it('is offered to a conversation, as is what its caller may call and nothing else', async () => {
    const plain = { description: 'Does something.', capability: 'PagesRead' } as const;
    const of = (name: string, more: object) =>
      createScriptedEntry<never>(done({ summary: 's' }), { name, ...plain, ...more }) as never;
    const host = hostOf(
      of('for_author', { effect: 'write', authorOnly: true }),
      of('deletes', { effect: 'write', capability: 'PagesDelete' }),
      of('writes', { effect: 'write', capability: 'PagesWrite' }),
    );
    const caller = { kind: 'agent', name: 'planner', device: 'test', thread: 't1', channel: null } as const;
    const client = await connectInMemory(host, { caller, capabilities: capabilitySet('agent') });
    const names = (await createOfferedList(client)()).map(({ name }) => name);
    expect(names).toEqual(['page_outline', 'writes', 'read_result']);
    // Every client is listed the same, and whoever calls it all the same is refused.
    expect((await client.list()).map(({ name }) => name)).toContain('for_author');
    expect(await client.call({ name: 'for_author', args: {} })).toMatchObject({
      ok: false,
      error: { code: 'capability', details: { capability: 'author' } },
    });
    await client.close();
  });
});

const scripted = (result: EntryResult, more: Parameters<typeof createScriptedEntry<CodeContext>>[1] = {}) =>
  createScriptedEntry<CodeContext>(result, more);

describe('what an adapter makes of a result', () => {
  const call = createCall({ capabilities: capabilitySet('external') });
  it.each([
    ['lines', done({ summary: 's', lines: ['a', 'b'], data: 1 }), { ok: true, text: 'a\nb', data: 1 }],
    ['nothing', done({ summary: 's', nothing: 'No such.' }), { ok: true, text: 'No such.' }],
    ['reads', done({ summary: 's', reads: ['pg-1'] }), { ok: true, reads: ['pg-1'], origins: ['pg-1'] }],
    [
      'a partial list',
      done({ summary: 's', completeness: 'partial', notes: ['more'] }),
      { ok: true, completeness: 'partial', notes: ['more'] },
    ],
    [
      'what the tool alone says of its size',
      done({ summary: 's', notes: ['more'], asides: ['read_page gives it'] }),
      { ok: true, notes: ['more', 'read_page gives it'] },
    ],
    [
      'a write',
      done({
        summary: 's',
        write: { write_id: 'wr-1', applied: false, content_ids: [] },
        deviations: ['dv-1'],
      }),
      { ok: true, write: { write_id: 'wr-1' }, deviation_ids: ['dv-1'] },
    ],
    [
      'a refusal',
      failed('Not so.', { code: 'capability', remedy: 'Ask.', details: { refusal: 'forbidden' } }),
      {
        ok: false,
        error: { code: 'capability', remedy: 'Ask.', details: { refusal: 'forbidden', tool: 'scripted' } },
      },
    ],
    [
      'names of any length in its facts',
      done({ summary: 's', notes: [`${'n'.repeat(9_000)} was read`] }),
      { ok: true, notes: [expect.stringMatching(/^n{450} … n{141} was read$/)] },
    ],
    [
      'and in its failures',
      failed(`${'n'.repeat(9_000)} is none`),
      { ok: false, error: { message: expect.stringMatching(/^n{450} … n+ is none$/) } },
    ],
    ['a failure', failed('Not so.'), { ok: false, error: { code: 'validation', message: 'Not so.' } }],
  ])('%s', async (_name, result, expected) => {
    const entry = scripted(result);
    const host = openToolHost({ tools: [codeTool(entry, async () => material())] });
    expect(await host.callTool('scripted', { text: 'x' }, call)).toMatchObject(expected);
    expect(entry.calls).toEqual([{ text: 'x' }]);
  });

  it('a write is no reading', async () => {
    const host = openToolHost({
      tools: [codeTool(scripted(done({ summary: 's' }), { effect: 'write' }), async () => material())],
    });
    expect(host.list()[0]).toMatchObject({ effect: 'write' });
  });

  it('without its port it is not offered', () => {
    const entry = scripted(done({ summary: 's' }), { needs: ['past'] });
    const { text, search } = material();
    expect(toAction(entry).available({ text, search })).toBe(false);
  });
});
