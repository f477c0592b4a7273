/** Runs of 0.1: a finished one has its cells run again, an unfinished one is refused by name. */
import { afterAll, expect, it } from 'vitest';
import { sha256 } from '../../../core/index.ts';
import { scriptedModel } from '../../../model/index.ts';
import {
  allCapabilities,
  bench,
  code,
  isPlanner,
  noWait,
  runTrial,
  testMaterial,
} from '../investigation.contract.ts';
import { investigationRun } from '../run.ts';

const b = bench();
afterAll(() => b.close());

const asks = code(
  'notes = llm_query_batched(["a", "b"])',
  'child = investigate("how?")',
  'print(notes, child)',
);
const asToday = (key: string, value: unknown): readonly (readonly [string, unknown])[] => [[key, value]];

/** What one of 0.1 recorded: cells and their helpers as today, a turn as a bare value, no words and no shares. */
async function asOfBefore(
  finished: boolean,
  { first = asks, records = asToday }: { readonly first?: string; readonly records?: typeof asToday } = {},
): Promise<string> {
  const model = scriptedModel((request, call) => {
    if (!isPlanner(request)) return 'a note';
    if (request.messages.some(({ text }) => text.includes('the investigation that asks this')))
      return code('FINAL("It says “def tick(now):” " + kb_read("src/server.py").cite(5, 6) + ".")');
    return call === 0 ? first : code('FINAL(str(child))');
  });
  const { run, result, investigation, events } = await runTrial(b, { planner: model, analyst: model });
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
  const { recall } = await b.store.openRecorded(run);
  const cells = events.flatMap(({ event }) => (event.kind === 'cell_started' ? [event.cell] : []));
  const helpers = events.flatMap(({ key }) =>
    key.endsWith('/called') ? [key.slice(0, -'/called'.length)] : [],
  );
  const journal = b.store.journal(lease);
  for (const cell of cells) {
    journal.record(cell.replace(/\.\d+$/, ''), { last: false, exhausted: null });
    journal.record(`${cell}/done`, recall(`${cell}/done`));
  }
  for (const key of helpers) for (const [at, value] of records(key, recall(key))) journal.record(at, value);
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
      material: testMaterial(),
      capabilities: allCapabilities,
      ...noWait,
    }),
  ).rejects.toMatchObject({
    code: 'run_state',
    message: expect.stringContaining('was begun by version 0.1'),
    remedy: 'Ask the question again.',
  });
  expect(model.calls).toEqual([]);
});

it('long lists of questions, which it sent in pieces of 16, are found again', async () => {
  const prompts = Array.from({ length: 40 }, (_, n) => `what is ${n}?`);
  const pieces = [prompts.slice(0, 16), prompts.slice(16, 32), prompts.slice(32)];
  const keyOf = (cell: string, number: number, asked: readonly string[]) => {
    const args = {
      prompts: asked,
      materials: asked.map(() => null),
      model: 'analyst',
      max_tokens: 1000,
      single: false,
    };
    return `${cell}/${number}-${sha256(JSON.stringify(['llm_query', args])).slice(0, 8)}`;
  };
  const records: typeof asToday = (key, value) => {
    const [, cell = '', number] = /^(.*)\/(\d+)-\w+$/.exec(key) ?? [];
    if (cell !== 'root/t1.1') return [[key, value]];
    if (number !== '1') return [[key.replace(/\/(\d+)-/, (_, n) => `/${Number(n) + 2}-`), value]];
    expect(key).toBe(keyOf(cell, 1, prompts));
    const { value: slots, ...rest } = value as { readonly value: readonly unknown[] };
    return pieces.map((piece, n) => [
      keyOf(cell, n + 1, piece),
      { ...rest, value: slots.slice(n * 16, n * 16 + piece.length) },
    ]);
  };
  const first = code(
    'notes = llm_query_batched([f"what is {n}?" for n in range(40)])',
    'child = kb_read("src/server.py").cite(5, 6)',
    'print(len(notes), notes[39], child)',
  );
  const again = await investigationRun.replay(await asOfBefore(true, { first, records }), b.store, b.sandbox);
  expect(again).toMatchObject({ cells: 2, differences: [] });
});
