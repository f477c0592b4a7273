/** Runs of 0.1: a finished one has its cells run again, an unfinished one is refused by name. */
import { afterAll, expect, it } from 'vitest';
import { scriptedModel } from '../../model/index.ts';
import { bench, code, everything, isPlanner, material, quick, tried } from './investigation.contract.ts';
import { investigationRun } from './run.ts';

const b = bench();
afterAll(() => b.close());

/** What one of 0.1 recorded: cells and their helpers as today, a turn as a bare value, no words and no shares. */
async function asOfBefore(finished: boolean): Promise<string> {
  const model = scriptedModel((request, call) => {
    if (!isPlanner(request)) return 'a note';
    if (request.messages.some(({ text }) => text.includes('the investigation that asks this')))
      return code('FINAL("It ticks " + kb_read("src/server.py").cite(5, 6) + ".")');
    return call === 0
      ? code('notes = llm_query_batched(["a", "b"])', 'child = investigate("how?")', 'print(notes, child)')
      : code('FINAL(str(child))');
  });
  const { run, result, investigation, events } = await tried(b, { planner: model, analyst: model });
  const { limits, ...params } = (await b.store.runs.get(run)).params as { readonly limits: object };
  const { reply_tokens: _, ask_width: __, call_ms: ___, ...old } = limits as Record<string, number>;
  const id = `${run}b`;
  await b.store.runs.create({
    id,
    shape: 'investigation',
    question: 'q',
    root: '/',
    params: { ...params, limits: old },
  });
  const lease = await b.store.runs.acquire(id);
  const { recall } = await b.store.recorded(run);
  const cells = events.flatMap(({ event }) => (event.kind === 'cell_started' ? [event.cell] : []));
  const helpers = events.flatMap(({ key }) =>
    key.endsWith('/called') ? [key.slice(0, -'/called'.length)] : [],
  );
  const journal = b.store.journal(lease);
  for (const cell of cells) {
    journal.record(cell.replace(/\.\d+$/, ''), { last: false, exhausted: null });
    journal.record(`${cell}/done`, recall(`${cell}/done`));
  }
  for (const key of helpers) journal.record(key, recall(key));
  if (finished) {
    journal.record('final', recall('final'));
    b.store.log(lease).append('run-finished', {
      kind: 'run_finished',
      result: { ...result, run_id: id },
      spent: result.spent,
      investigation,
    });
    b.store.runs.finish(id, lease);
  }
  await b.store.commit(lease);
  await lease.release();
  return id;
}

it('a finished one is run again, with what it nested, and comes to what it ended with', async () => {
  const id = await asOfBefore(true);
  const again = await investigationRun.replay(id, b.store, b.sandbox);
  expect(again).toMatchObject({ cells: 3, differences: [], result: { run_id: id, status: 'verified' } });
});

it('one that did not come to its end is refused by name, with what to do', async () => {
  const id = await asOfBefore(false);
  const model = scriptedModel('never asked');
  await expect(
    investigationRun.resume(id, {
      store: b.store,
      sandbox: b.sandbox,
      models: { planner: model, analyst: model },
      material: material(),
      capabilities: everything,
      ...quick,
    }),
  ).rejects.toMatchObject({
    code: 'run_state',
    message: expect.stringContaining('was begun by version 0.1'),
    remedy: 'Ask the question again.',
  });
  expect(model.calls).toEqual([]);
});
