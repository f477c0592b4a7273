import { afterAll, expect, it } from 'vitest';
import { createRunId } from '../../core/index.ts';
import { extractive, scriptedModel } from '../../model/index.ts';
import { answer, bench, noWait, pool, runTrial, signalOf } from './incident.contract.ts';
import { incidentRun } from './run.ts';

const { store, close } = bench();
afterAll(close);

/** The records of a run of 0.1, as far as anything reads them. */
async function oldRun(how: 'finished' | 'with turns' | 'before its turns', model: string): Promise<string> {
  const { result, incident } = await runTrial(store, { script: answer as never });
  const made = await store.runs.get(result.run_id);
  const id = createRunId(Date.now());
  await store.runs.create({
    id,
    shape: 'incident',
    question: made.question,
    root: made.root,
    params: { ...made.params, model },
  });
  const lease = await store.runs.acquire(id);
  const journal = store.journal(lease);
  journal.record('resolve/systems', (await store.openRecorded(result.run_id)).recall('resolve/systems'));
  journal.record('extract/twin', { run: null });
  if (how !== 'before its turns') {
    journal.record('turn-1/plan', { pressure: null, exhausted: null });
    journal.record('turn-1/choice', { reasoning: 'r', calls: [], conclusion: 'It was the pool.' });
  }
  if (how === 'finished') {
    const old = { ...result, run_id: id };
    store
      .log(lease)
      .append('run-finished', { kind: 'run_finished', result: old, incident, spent: old.spent } as never);
    store.runs.finish(id, lease);
  }
  await lease.release();
  return id;
}

const setting = (planner = scriptedModel(answer as never)) => ({
  store,
  models: { planner },
  signals: [signalOf(pool)],
  ...noWait,
});

it('a finished run of 0.1 replays to what it ended with', async () => {
  const id = await oldRun('finished', 'scripted:memory');
  const ended = await incidentRun.resume(id, setting());
  expect(ended.incident.verdict).toBe('code_change');
  const replayed = await incidentRun.replay(id, store, [signalOf(pool)]);
  expect({ ...replayed.result, spent: null }).toEqual({ ...ended.result, spent: null });
  expect(replayed.incident).toEqual(ended.incident);
});

it('one whose model had a word and that did not come to its end is refused by name', async () => {
  const id = await oldRun('with turns', 'scripted:memory');
  await expect(incidentRun.resume(id, setting())).rejects.toMatchObject({
    code: 'run_state',
    message: expect.stringContaining(`${id} was begun by version 0.1`),
  });
});

it.each([
  ['a model that had no word yet', 'scripted:memory', setting()],
  ['no model', 'extractive', { ...setting(), models: { planner: extractive } }],
])('one with %s goes on', async (_, model, ports) => {
  const id = await oldRun('before its turns', model);
  const { incident } = await incidentRun.resume(id, ports);
  expect(incident.verdict).toBe('code_change');
});
