import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { createScope } from '../../../catalogue/index.ts';
import { createEvidence, type Evidence } from '../../../core/index.ts';
import { toolsOf } from '../dialogue/tools.ts';
import { collect } from '../material/collect.ts';
import { files } from '../research.contract.ts';
import { type MaterialScript, scriptedMaterial } from '../scripted.ts';
import type { ActionOutcome } from './action.ts';
import { actionsFor } from './registry.ts';

const sha = 'c'.repeat(40);
const long = Array.from({ length: 400 }, (_, n) => `line ${n + 1}`).join('\n');
const script: MaterialScript = {
  files: {
    ...files,
    'src/long.txt': long,
    'src/wide.txt': `short\n${'x'.repeat(20_000)}`,
    [`commit:${sha}`]: 'Expire sessions\n\nAuthor: A\nFiles:\nsrc/session.py\nsecret/keys.txt',
  },
  commits: [
    {
      commit: sha,
      date: '2026-01-01T00:00:00Z',
      author: 'A',
      subject: 'Expire sessions',
      paths: ['src/session.py', 'secret/keys.txt'],
    },
  ],
};

async function run(
  name: string,
  input: Readonly<Record<string, unknown>>,
  { scope, held = [], material = scriptedMaterial(script) }: Setting = {},
): Promise<ActionOutcome> {
  const action = actionsFor(material).find((one) => one.name === name);
  if (action === undefined) throw new Error(`no action ${name}`);
  const within = createScope(scope);
  return action.run(action.input.parse(input), {
    question: 'q',
    material,
    scope: within,
    evidence: held,
    turns: [],
    signal: new AbortController().signal,
    citable: false,
    collect: (finds) => collect(material.text, within, finds),
    summarize: async () => ({ memo: 'a memo' }),
    rerank: async (definitions) => ({ best: definitions.map((_, n) => n).reverse() }),
  });
}

interface Setting {
  readonly scope?: string;
  readonly held?: readonly Evidence[];
  readonly material?: ReturnType<typeof scriptedMaterial>;
}

const place = (item: Evidence) => `${item.file_path}:${item.start_line}-${item.end_line}`;
const shown = (outcome: ActionOutcome) =>
  outcome.kind === 'failed' ? outcome.message : outcome.evidence.map(place);

interface Case {
  readonly name: string;
  readonly action: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly setting?: Setting;
  readonly finds: readonly string[] | RegExp;
  readonly completeness?: string;
  readonly notes?: RegExp;
  readonly text?: RegExp;
}

const open = (file_path: string, start_line: number, end_line: number) => ({
  file_path,
  start_line,
  end_line,
});
const hits = (...found: readonly (readonly [path: string, start: number, end: number])[]) =>
  scriptedMaterial({
    ...script,
    search: () => ({
      hits: found.map(([path, start, end], n) => ({ path, start, end, score: 9 - n, provenance: 'hybrid' })),
      completeness: 'complete',
      notes: ['vectors are off'],
    }),
  });

const heldSpan = (file_path: string) =>
  createEvidence({
    file_path,
    start_line: 1,
    end_line: 1,
    content: 'class SessionStore:',
    reason: 'test',
    provenance: 'bm25',
  });

const cases: readonly Case[] = [
  {
    name: 'reads lines',
    action: 'open_span',
    input: open('./src/session.py', 8, 9),
    finds: ['src/session.py:8-9'],
    completeness: 'complete',
  },
  {
    name: 'a span that runs past the end is read to the end, and says so',
    action: 'open_span',
    input: open('src/server.py', 5, 900),
    finds: ['src/server.py:5-6'],
    completeness: 'complete',
    notes: /ends at line 6/,
  },
  {
    name: 'a span past the end',
    action: 'open_span',
    input: open('src/server.py', 50, 60),
    finds: /has 6 lines.*past its end/,
  },
  {
    name: 'a long span is cut, and says so',
    action: 'open_span',
    input: open('src/long.txt', 1, 400),
    finds: ['src/long.txt:1-120'],
    completeness: 'partial',
    notes: /1-120 of 1-400/,
  },
  {
    name: 'lines that run backwards',
    action: 'open_span',
    input: open('src/server.py', 5, 2),
    finds: /backwards/,
  },
  {
    name: 'a path that leads out',
    action: 'open_span',
    input: open('../x', 1, 2),
    finds: /outside of what this run may read/,
  },
  {
    name: 'an absolute path',
    action: 'open_span',
    input: open('/etc/passwd', 1, 2),
    finds: /outside of what this run may read/,
  },
  { name: 'a missing file', action: 'open_span', input: open('src/none.py', 1, 2), finds: /does not exist/ },
  {
    name: 'a path without its folders, of a file that evidence was found in',
    action: 'open_span',
    input: open('session.py', 8, 9),
    setting: { held: [heldSpan('src/session.py')] },
    finds: ['src/session.py:8-9'],
    notes: /session\.py was read as src\/session\.py/,
  },
  {
    name: 'a path without its folders that may mean two files',
    action: 'open_span',
    input: open('session.py', 8, 9),
    setting: { held: [heldSpan('src/session.py'), heldSpan('lib/session.py')] },
    finds: /does not exist.*It may be src\/session\.py or lib\/session\.py/,
  },
  {
    name: 'one endless line',
    action: 'open_span',
    input: open('src/wide.txt', 2, 2),
    finds: ['src/wide.txt:2-2'],
  },
  {
    name: 'a file outside of the scope',
    action: 'open_span',
    input: open('secret/keys.txt', 1, 1),
    setting: { scope: 'src' },
    finds: /outside the scope src/,
  },
  {
    name: 'a commit nobody found',
    action: 'open_span',
    input: open(`commit:${sha}`, 1, 1),
    setting: { scope: 'src' },
    finds: /cannot be opened within the scope/,
  },
  {
    name: 'finds spans, each with the real lines, best first',
    action: 'hybrid_search',
    input: { query: 'expire', k: 3 },
    setting: { material: hits(['src/session.py', 8, 9], ['src/server.py', 5, 60]) },
    finds: ['src/session.py:8-9', 'src/server.py:5-6'],
    completeness: 'partial',
    notes: /vectors are off/,
  },
  {
    name: 'drops stale, absurd and forbidden hits, and says so',
    action: 'hybrid_search',
    input: { query: 'expire' },
    setting: {
      scope: 'src/**',
      material: hits(
        ['src/session.py', 800, 810],
        ['src/gone.py', 1, 2],
        ['src/server.py', 3, 1],
        ['secret/keys.txt', 1, 1],
        ['../up.py', 1, 1],
        ['src/server.py', 1, 1],
      ),
    },
    finds: ['src/server.py:1-1'],
    notes: /2 hits outside the scope dropped/,
  },
  { name: 'an empty query', action: 'hybrid_search', input: { query: ' ' }, finds: /query is empty/ },
  {
    name: 'lists every match and keeps the lines around the first',
    action: 'grep',
    input: { pattern: 'expire_sessions' },
    finds: ['src/session.py:5-11', 'src/server.py:3-6'],
    completeness: 'complete',
    text: /src\/server\.py:6: store\.expire_sessions\(now\)/,
  },
  {
    name: 'no match in all there is',
    action: 'grep',
    input: { pattern: 'nowhere' },
    finds: [],
    completeness: 'complete',
  },
  {
    name: 'too many matches are a partial list',
    action: 'grep',
    input: { pattern: '^line' },
    finds: [1, 45, 92, 139, 186].map((start, n) => `src/long.txt:${start}-${[43, 90, 137, 184, 203][n]}`),
    completeness: 'partial',
    notes: /400 lines match[\s\S]*more matching lines are not listed/,
  },
  {
    name: 'a glob narrows the scope',
    action: 'grep',
    input: { pattern: 'session', ignore_case: true, path: 'docs' },
    setting: { scope: 'src,docs' },
    finds: ['docs/guide.md:1-3'],
  },
  {
    name: 'a glob never widens it',
    action: 'grep',
    input: { pattern: 'session', path: 'secret/**' },
    setting: { scope: 'src' },
    finds: [],
    notes: /1 match outside the scope dropped/,
  },
  { name: 'a pattern that is none', action: 'grep', input: { pattern: '' }, finds: /pattern is empty/ },
  {
    name: 'finds a definition, however it is written',
    action: 'find_definition',
    input: { symbol: 'SessionStore.expire_sessions(now)' },
    finds: ['src/session.py:8-8'],
    completeness: 'complete',
  },
  {
    name: 'never claims that there is no definition',
    action: 'find_definition',
    input: { symbol: 'nothing_here' },
    finds: [],
    completeness: 'unknown',
  },
  {
    name: 'commits are evidence at their commit',
    action: 'git_log',
    input: { path: 'src' },
    finds: [`commit:${sha}:1-6`],
    completeness: 'complete',
    text: /cccccccccccc 2026-01-01 A: Expire sessions \(src\/session\.py, secret\/keys\.txt\)/,
  },
  {
    name: 'within a scope a commit shows what it did there, and no other path',
    action: 'git_pickaxe',
    input: { text: 'ttl' },
    setting: { scope: 'src' },
    finds: [`commit:${sha}:1-4`],
    text: /Expire sessions \(src\/session\.py\)$/,
  },
  {
    name: 'a commit that touches nothing in scope is not there',
    action: 'git_log',
    input: {},
    setting: { scope: 'docs' },
    finds: [],
  },
  {
    name: 'blame gives the lines and their commits',
    action: 'git_blame',
    input: open('src/session.py', 1, 2),
    setting: { scope: 'src' },
    finds: ['src/session.py:1-2', `commit:${sha}:1-4`],
    text: /1 cccccccccccc 2026-01-01 A: class SessionStore:/,
  },
  {
    name: 'blame of a file outside of the scope',
    action: 'git_blame',
    input: open('secret/keys.txt', 1, 1),
    setting: { scope: 'src' },
    finds: /outside the scope/,
  },
  { name: 'nothing to sum up', action: 'summarize_evidence', input: { goal: 'g' }, finds: /no evidence/ },
  {
    name: 'an answer from memory',
    action: 'finalize',
    input: { answer: 'After an hour.' },
    finds: /cites none of the evidence/,
  },
  { name: 'an empty answer', action: 'finalize', input: { answer: ' ' }, finds: /answer is empty/ },
];

// research.md: Actions 1 to 4, 8, 9.
describe.each(cases)('$action: $name', ({ action, input, setting, finds, completeness, notes, text }) => {
  it('gives what it should', async () => {
    const outcome = await run(action, input, setting);
    if (finds instanceof RegExp) expect(shown(outcome)).toMatch(finds);
    else expect(shown(outcome)).toEqual(finds);
    if (outcome.kind === 'failed') return;
    if (completeness !== undefined) expect(outcome.completeness).toBe(completeness);
    if (notes !== undefined) expect(outcome.notes.join('\n')).toMatch(notes);
    if (text !== undefined) expect(outcome.text).toMatch(text);
    const forbidden = setting?.scope === undefined ? [] : ['secret/keys.txt'];
    for (const path of forbidden)
      expect(`${outcome.text}${outcome.evidence.map(({ content }) => content).join('')}`).not.toContain(path);
  });
});

it('the lines of evidence are those of the file', async () => {
  const outcome = await run('open_span', open('src/session.py', 8, 9));
  expect(outcome.kind === 'done' && outcome.evidence[0]?.content).toBe(
    files['src/session.py'].split('\n').slice(7, 9).join('\n'),
  );
});

it('an action without its port is not offered', () => {
  const { search, text } = scriptedMaterial(script);
  expect(actionsFor({ search, text }).map(({ name }) => name)).toEqual([
    'hybrid_search',
    'open_span',
    'summarize_evidence',
    'drop_evidence',
    'finalize',
  ]);
});

/** What Anthropic's and OpenAI's structured output refuse, or take only in part. */
const refused = [
  'oneOf',
  'allOf',
  'not',
  'if',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minItems',
  'maxItems',
  'patternProperties',
  'default',
  '$ref',
];

it('every action is a tool that all providers take', () => {
  for (const { name, parameters } of toolsOf(actionsFor(scriptedMaterial(script)))) {
    expect(name).toMatch(/^[a-z_]{1,64}$/);
    expect(parameters).toMatchObject({ type: 'object', additionalProperties: false });
    const keys = new Set<string>();
    const walk = (schema: unknown, isMap: boolean): void => {
      if (Array.isArray(schema)) for (const one of schema) walk(one, false);
      else if (typeof schema === 'object' && schema !== null)
        for (const [key, value] of Object.entries(schema)) {
          if (!isMap) keys.add(key);
          walk(value, !isMap && key === 'properties');
        }
    };
    walk(parameters, false);
    for (const key of refused) expect(keys).not.toContain(key);
  }
});

it('what is dropped is no longer held; what is not held can not be dropped', async () => {
  const [search, drop] = ['hybrid_search', 'drop_evidence'].map(
    (name) => actionsFor(scriptedMaterial(script)).find((one) => one.name === name)!,
  );
  expect(search?.name).toBe('hybrid_search');
  const held = [{ id: 'ev-0123456789' }] as never;
  const dropped = await drop?.run({ ids: ['[ev-0123456789]', 'ev-aaaaaaaaaa'] }, { evidence: held } as never);
  expect(dropped).toMatchObject({
    kind: 'done',
    dropped: ['ev-0123456789'],
    notes: ['no evidence that is held: ev-aaaaaaaaaa'],
  });
  expect(await drop?.run({ ids: ['ev-aaaaaaaaaa'] }, { evidence: held } as never)).toMatchObject({
    kind: 'failed',
  });
});

it('no input has a field called as the action itself', () => {
  for (const { input } of actionsFor(scriptedMaterial(script)))
    expect(Object.keys((input as z.ZodObject).shape)).not.toContain('name');
});
