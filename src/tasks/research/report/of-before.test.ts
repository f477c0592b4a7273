import { afterAll, expect, it } from 'vitest';
import { createRunId } from '../../../core/index.ts';
import { scriptedModel } from '../../../model/index.ts';
import {
  answer,
  answerFromPage,
  files,
  openTestStore,
  question,
  runTrial,
  search,
  withoutWaiting,
} from '../research.contract.ts';
import { researchRun } from '../run.ts';
import { scriptedMaterial } from '../scripted.ts';

const { store, close } = openTestStore();
afterAll(close);

/** The records of a run of 0.1, as far as anything reads them. */
async function oldRun(finished: boolean): Promise<string> {
  const { result } = await runTrial(store, {
    script: (request, call) =>
      (call === 0
        ? search('expire')
        : answer(answerFromPage(request.messages.map(({ text }) => text).join('\n')))) as never,
  });
  const made = await store.runs.get(result.run_id);
  const id = createRunId(Date.now());
  await store.runs.create({ id, shape: 'research', question, root: '/material', params: made.params });
  const lease = await store.runs.acquire(id);
  const journal = store.journal(lease);
  const recall = (await store.openRecorded(result.run_id)).recall;
  journal.record('start', recall('start'));
  journal.record('step-1/plan', { pressure: null, exhausted: null });
  journal.record('step-1/choice', {
    action: 'hybrid_search',
    input: { query: 'expire', k: 5 },
    reasoning: 'r',
  });
  if (finished) {
    journal.record('final', recall('final'));
    const old = { ...result, run_id: id };
    store.log(lease).append('run-finished', { kind: 'run_finished', result: old, spent: old.spent });
    store.runs.finish(id, lease);
  }
  await lease.release();
  return id;
}

it('a finished run of 0.1 replays to what it ended with', async () => {
  const id = await oldRun(true);
  const ended = await researchRun.resume(id, setting());
  expect((await researchRun.replay(id, store)).result).toEqual(ended.result);
  expect(ended.result.citations.length).toBeGreaterThan(0);
});

it('one that did not come to its end is refused by name', async () => {
  const id = await oldRun(false);
  await expect(researchRun.resume(id, setting())).rejects.toMatchObject({
    code: 'run_state',
    message: expect.stringContaining(`${id} was begun by version 0.1`),
  });
});

function setting() {
  const model = scriptedModel([]);
  return {
    store,
    models: { planner: model, analyst: model },
    material: scriptedMaterial({ files }),
    ...withoutWaiting,
  };
}
