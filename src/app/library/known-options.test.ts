import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { z } from 'zod';
import * as library from '../../index.ts';
import { incidentGraph, investigationGraph, researchGraph } from '../../langgraph.ts';

/** The functions as plain JavaScript sees them. */
type Loose = (...given: readonly unknown[]) => unknown;

const calls: readonly (readonly [name: string, call: Loose, before: readonly unknown[]])[] = [
  ['ask', library.ask as Loose, ['Why?']],
  ['investigate', library.investigate as Loose, ['Why?']],
  ['incident', library.incident as Loose, ['an alert']],
  ['resume', library.resume as Loose, ['run-0']],
  ['replay', library.replay as Loose, ['run-0']],
  ['search', library.search as Loose, ['words']],
  ['verify', library.verify as Loose, [[]]],
  ['verifyAnswer', library.verifyAnswer as Loose, [{ answer: '', citations: [] }]],
  ['chat', library.chat as Loose, []],
  ['workspace', library.workspace as Loose, [`${tmpdir()}/none.db`]],
  ['sandbox', library.sandbox as Loose, []],
  ['researchGraph', researchGraph as Loose, []],
  ['investigationGraph', investigationGraph as Loose, []],
  ['incidentGraph', incidentGraph as Loose, []],
];

test.each(calls)('%s refuses an option that it does not take', async (name, call, before) => {
  await expect((async () => call(...before, { path: '.' }))()).rejects.toMatchObject({
    code: 'bad_argument',
    message: expect.stringContaining(`${name} takes no option "path"`),
    remedy: expect.stringMatching(/^It takes: \w+/),
  });
});

test('options that are no object are refused, and undefined sets nothing', async () => {
  const verify = library.verify as Loose;
  await expect((async () => verify([], '/tmp'))()).rejects.toMatchObject({ code: 'bad_argument' });
  await expect((async () => verify([], null))()).rejects.toMatchObject({ code: 'bad_argument' });
  expect(await verify([], { root: tmpdir(), path: undefined })).toEqual([]);
});

const text = 'as a text, not';
test.each<[string, () => unknown, string]>([
  ['ask', () => (library.ask as Loose)(), `ask takes a question ${text} undefined`],
  [
    'ask, as an object',
    () => (library.ask as Loose)({ question: '?' }),
    `ask takes a question ${text} an object`,
  ],
  ['search', () => (library.search as Loose)(5), `search takes a query ${text} a number`],
  ['resume', () => (library.resume as Loose)(), `resume takes the id of a run ${text} undefined`],
  ['replay', () => (library.replay as Loose)(null), `replay takes the id of a run ${text} null`],
  ['workspace', () => (library.workspace as Loose)(), `workspace takes its name ${text} undefined`],
  ['verify', () => (library.verify as Loose)('run-1'), 'verify takes a list of citations'],
  [
    'verifyAnswer',
    () => (library.verifyAnswer as Loose)('Yes.'),
    'verifyAnswer cannot check this answer: It is not an object.',
  ],
  [
    'verifyAnswer, a citation without lines',
    () => (library.verifyAnswer as Loose)({ answer: 'Yes [1].', citations: [{ path: 'a.ts' }] }),
    'verifyAnswer cannot check this answer: Citation 1: "start" is not a line number.',
  ],
  ['run', () => (library.run as Loose)('ask', {}), 'run takes the shape of a run, not "ask"'],
  ['run', () => (library.run as Loose)('research', 'Why?'), 'run takes the request of a run as an object'],
  ['tools', () => (library.ask as Loose)('?', { tools: {} }), 'ask: tools must be a list, not an object'],
  [
    'signals',
    () => (library.incident as Loose)('?', { signals: {} }),
    'incident: signals must be a list, not an object',
  ],
  [
    'onNote',
    () => (library.ask as Loose)('?', { onNote: 1 }),
    'ask: onNote must be a function, not a number',
  ],
  [
    'a setting',
    () => (library.ask as Loose)('Why?', { settings: { stepz: 1 } }),
    'there is no setting "stepz"',
  ],
  [
    'a model by its name',
    () => (library.ask as Loose)('Why?', { model: 'extractive' }),
    'model must be an object: a model of your own, or one of the AI SDK',
  ],
  [
    'a tool that tool() did not make',
    () => (library.chat as Loose)({ tools: [{ name: 'x', description: 'y', run: () => 'z' }] }),
    'tools[0] is neither a tool nor an MCP server',
  ],
])('what is of another kind is refused by name: %s', async (_, call, message) => {
  await expect((async () => call())()).rejects.toMatchObject({ code: 'bad_argument', message });
});

test('an answer without citations is checked against the places that it names', async () => {
  const { claims } = await (library.verifyAnswer as typeof library.verifyAnswer)(
    { answer: 'It has an engine.' } as never,
    { root: tmpdir() },
  );
  expect(claims).toHaveLength(1);
});

test.each<[string, unknown]>([
  ['has no name that is a text', { description: 'y' }],
  ['x has no description that is a text', { name: 'x' }],
  [
    'x has no parameters that are an object of zod, such as z.object({})',
    { name: 'x', description: 'y', parameters: { type: 'object' } },
  ],
  ['x has no function run', { name: 'x', description: 'y', parameters: z.object({}) }],
])('a tool %s is refused', (wrong, definition) => {
  expect(() => library.tool(definition as never)).toThrow(
    expect.objectContaining({ code: 'bad_argument', message: `The tool ${wrong}` }),
  );
});

test('a folder that is no text, and a number of hits that is none, are refused', async () => {
  const search = library.search as Loose;
  await expect((async () => search('words', { root: 5 }))()).rejects.toMatchObject({
    code: 'bad_argument',
    message: 'search: root must be a text, not a number',
  });
  for (const k of [-1, 0, 1.5, '3', 10_001])
    await expect((async () => search('words', { k }))()).rejects.toMatchObject({
      code: 'bad_argument',
      message: `k is ${JSON.stringify(k)}`,
      remedy: 'Allowed: a whole number from 1 to 10000.',
    });
});
