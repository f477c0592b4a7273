import { afterAll, expect, it } from 'vitest';
import { scriptedModel } from '../../model/index.ts';
import {
  answer,
  answerFromPage,
  files,
  openTestStore,
  runTrial,
  runTrialWithoutModel,
  search,
} from './research.contract.ts';
import { researchRun } from './run.ts';
import { scriptedMaterial } from './scripted.ts';

const { store, close } = openTestStore();
afterAll(close);

const note = 'src/session.py changed after it was read: what cites it fails for that';

it.each<readonly [string, (now: Record<string, string>) => void, readonly string[]]>([
  ['is not changed', () => {}, []],
  [
    'gets other lines',
    (now) => {
      now['src/session.py'] = 'nothing\n'.repeat(40);
    },
    [note],
  ],
  [
    'is emptied',
    (now) => {
      now['src/session.py'] = '';
    },
    [note],
  ],
  [
    'is removed',
    (now) => {
      delete now['src/session.py'];
    },
    [note],
  ],
])('a file that %s between reading and answering', async (name, change, notes) => {
  const now: Record<string, string> = { ...files };
  const { result } = await runTrial(store, {
    material: scriptedMaterial({ files: now }),
    script: (request, call) => {
      if (call === 0) return search('expire session');
      change(now);
      return answer(answerFromPage(JSON.stringify(request).replaceAll('\\"', '"')));
    },
  });
  expect(result.coverage.notes.filter((line) => line === note)).toEqual(notes);
  expect(result.citations.length > 0).toBe(name === 'is not changed');
  expect((await researchRun.replay(result.run_id, store)).result).toEqual(result);
});

it('the author of an answer is told which file to read again', async () => {
  const now: Record<string, string> = { ...files };
  const requests: string[] = [];
  await runTrial(store, {
    material: scriptedMaterial({ files: now }),
    script: (request, call) => {
      requests.push(JSON.stringify(request));
      if (call === 0) return search('expire session');
      now['src/session.py'] = 'nothing\n'.repeat(40);
      return answer(answerFromPage(requests.at(-1)!.replaceAll('\\"', '"')));
    },
  });
  const told = 'src/session.py changed after you read it: read it again';
  expect(requests.map((request) => request.includes(told))).toEqual([false, false, true]);
});

it('of a long question the model is shown both ends, and its run holds the whole', async () => {
  const question = `BEGINNING When does SessionStore expire a session? ${'filler '.repeat(20_000)} MIDDLE ${'filler '.repeat(20_000)} END?`;
  const pages: string[] = [];
  const planner = scriptedModel((request) => {
    pages.push(JSON.stringify(request));
    return pages.length === 1 ? search('expire session') : answer('It is unknown.');
  });
  const { result } = await runTrialWithoutModel(store, {
    question,
    setting: { models: { planner, analyst: planner } },
  });
  expect((await store.runs.get(result.run_id)).question).toBe(question);
  for (const page of pages)
    expect([page.includes('BEGINNING'), page.includes('END?'), page.includes('MIDDLE')]).toEqual([
      true,
      true,
      false,
    ]);
});
