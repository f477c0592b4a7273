import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { extractive, type Script } from '../../model/index.ts';
import { openStore, type Store } from '../../store/index.ts';
import { openCorpora, poolOf, requestOf, scriptedClients } from '../task.contract.ts';
import { createShapeRegistry } from '../task.ts';
import { answer, answerFromPage, files, question, search } from './research.contract.ts';
import { researchRun } from './run.ts';
import { scriptedMaterial } from './scripted.ts';

let folder: string;
let store: Store;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-shape-'));
  store = openStore(join(folder, 'sonde.db'));
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

async function asked(script: Script, tokens: number) {
  const clients = { ...scriptedClients({ planner: script }), analyst: extractive };
  const { planner } = clients;
  const registry = createShapeRegistry();
  registry.register(await researchRun.task({ corpora: openCorpora(scriptedMaterial({ files })) }, { store }));
  const pool = poolOf(tokens);
  const request = requestOf(clients, { pool });
  return { planner, pool, ask: () => registry.close().task('research', { question }, request) };
}

const script: Script = (request, call) =>
  call === 0
    ? search('expire session ttl')
    : answer(answerFromPage(request.messages.map(({ text }) => text).join('\n')));

it('answers in a run of its own, within the caller’s budget, and gives the same again without asking twice', async () => {
  const { planner, pool, ask } = await asked(script, 100_000);
  const first = await ask();
  expect(first).toMatchObject({ kind: 'done', output: { stop_reason: 'finalized', status: 'verified' } });
  const [run] = await store.runs.list();
  expect(run).toMatchObject({
    shape: 'research',
    status: 'finished',
    params: { extra: { thread: 'thread' } },
  });
  expect(pool.spent().tokens).toBeGreaterThan(0);
  const calls = planner.calls.length;
  const again = await asked(script, 100_000);
  expect(await again.ask()).toEqual(first);
  expect([planner.calls.length, again.planner.calls.length]).toEqual([calls, 0]);
});

it('spends no more than its caller has, and leaves him something to answer with', async () => {
  const { pool, ask } = await asked(script, 3_000);
  const outcome = await ask();
  expect(outcome).toMatchObject({ kind: 'done' });
  expect(pool.spent().tokens).toBeLessThanOrEqual(2_250);
  expect((await store.runs.list())[0]!.params['limits']).toMatchObject({ tokens: 2_250 });
});
