/** What a provider reports beyond what was reserved for it is charged, and told wherever the run is opened. */

import { afterAll, expect, test } from 'vitest';
import { buildTrace, formatReport } from '../core/runs.ts';
import { answer, answerFromPage, openTestStore, runTrial, search } from './research/research.contract.ts';
import { researchRun } from './research/run.ts';

const { store, close } = openTestStore();
afterAll(close);

const usage = { input: 900_000, output: 100, cacheRead: 0, cacheWrite: 0 };

test('a report beyond the reservation stands in the notes, in the report, in the trace, and in a replay', async () => {
  const { result } = await runTrial(store, {
    script: (request, call) =>
      call === 0
        ? { json: search('expire session'), usage }
        : answer(answerFromPage(request.messages.map(({ text }) => text).join('\n'))),
    limits: { tokens: 2_000_000 },
  });
  expect(result.spent.tokens).toBeGreaterThan(900_100);
  expect(result.coverage.notes[0]).toMatch(
    /^scripted:\S+ reported \d{6} tokens more than was reserved for its calls: charged in full\.$/,
  );
  const log = await store.events(result.run_id);
  expect(formatReport(log)).toMatch(/\(\d{6} tokens more than was reserved\)/);
  expect(buildTrace(log).steps[0]!.calls[0]!.over?.tokens).toBeGreaterThan(800_000);
  expect((await researchRun.replay(result.run_id, store)).result).toEqual(result);
});

test('so it is where the call failed', async () => {
  const { result } = await runTrial(store, {
    script: (request, call) =>
      call === 0
        ? { failure: { code: 'bad_request', message: 'no', usage } }
        : answer(answerFromPage(request.messages.map(({ text }) => text).join('\n'))),
    limits: { tokens: 2_000_000 },
  });
  expect(result.spent.tokens).toBeGreaterThan(900_000);
  expect(result.coverage.notes.join()).toMatch(/reported \d{6} tokens more than was reserved for its calls/);
  const log = await store.events(result.run_id);
  expect(formatReport(log)).toMatch(/failed: .*\(\d{6} tokens more than was reserved\)/);
  expect(buildTrace(log).steps[0]!.calls[0]!.over?.tokens).toBeGreaterThan(800_000);
  expect((await researchRun.replay(result.run_id, store)).result).toEqual(result);
});

test('a provider that keeps to what was reserved is not mentioned', async () => {
  const { result } = await runTrial(store, {
    script: (request, call) =>
      call === 0
        ? search('expire session')
        : answer(answerFromPage(request.messages.map(({ text }) => text).join('\n'))),
  });
  expect(result.coverage.notes.join()).not.toContain('reserved');
});
