/** A newcomer's ability, as ARCHITECTURE.md says to add one: what follows from its one file. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { actionOf } from '../tasks/research/actions/action-of.ts';
import { collect } from '../tasks/research/collect.ts';
import { scriptedMaterial } from '../tasks/research/scripted.ts';
import { capabilitySet } from '../tools/capability-sets.ts';
import { toolOf } from '../tools/code/tool-of.ts';
import { openToolHost } from '../tools/open-host.ts';
import { callOf } from '../tools/testbed/plain-tools.ts';
import { codeEntry, filePath, spanData } from './code/code-ports.ts';
import { entryContract } from './entry.contract.ts';
import { done, failed } from './entry.ts';
import { scopeOf } from './scope.ts';
import { scriptedEntry } from './scripted.ts';

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

entryContract([{ entry: fileHead, args: { file_path: 'src/a.ts' } }], () => {
  const { text, search } = material();
  return {
    ports: { text, search },
    scope: 'src',
    secret: /hidden/,
    collect: (finds) => collect(text, scopeOf('src'), finds),
  };
});

describe('an ability in one file', () => {
  const host = openToolHost({ tools: [toolOf(fileHead, async () => material())] });
  const call = callOf({ capabilities: capabilitySet('external') });

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
    const action = actionOf(fileHead);
    expect(z.toJSONSchema(action.input).properties).toEqual({
      file_path: { type: 'string', description: 'Relative to the root' },
      lines: { type: 'number', default: 5, description: 'How many' },
    });
    const { text, search } = material();
    const run = (input: object) => {
      const scope = scopeOf('src');
      return action.run(action.input.parse(input), {
        question: 'q',
        material: { text, search },
        scope,
        held: [],
        taken: [],
        signal: new AbortController().signal,
        collect: (finds) => collect(text, scope, finds),
        summarize: async () => ({ memo: '' }),
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

describe('what an adapter makes of a result', () => {
  const call = callOf({ capabilities: capabilitySet('external') });
  it.each([
    ['lines', done({ summary: 's', lines: ['a', 'b'], data: 1 }), { ok: true, text: 'a\nb', data: 1 }],
    ['nothing', done({ summary: 's', nothing: 'No such.' }), { ok: true, text: 'No such.' }],
    ['reads', done({ summary: 's', reads: ['pg-1'] }), { ok: true, reads: ['pg-1'], origins: ['pg-1'] }],
    [
      'a partial list',
      done({ summary: 's', completeness: 'partial', notes: ['more'] }),
      { ok: true, completeness: 'partial', notes: ['more'] },
    ],
    ['a failure', failed('Not so.'), { ok: false, error: { code: 'validation', message: 'Not so.' } }],
  ])('%s', async (_name, result, expected) => {
    const entry = scriptedEntry(result);
    const host = openToolHost({ tools: [toolOf(entry, async () => material())] });
    expect(await host.callTool('scripted', { text: 'x' }, call)).toMatchObject(expected);
    expect(entry.calls).toEqual([{ text: 'x' }]);
  });

  it('a write is no reading', async () => {
    const host = openToolHost({
      tools: [toolOf(scriptedEntry(done({ summary: 's' }), { effect: 'write' }), async () => material())],
    });
    expect(host.list()[0]).toMatchObject({ effect: 'write' });
  });

  it('without its port it is not offered', () => {
    const entry = scriptedEntry<{ readonly past?: object }>(done({ summary: 's' }), { needs: ['past'] });
    const { text, search } = material();
    expect(actionOf(entry as never).available({ text, search })).toBe(false);
  });
});
