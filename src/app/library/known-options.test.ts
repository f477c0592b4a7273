import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
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
