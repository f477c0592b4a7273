/** A model that thinks between its cells keeps its reasoning: its cells are calls, and their outputs results. */
import { afterAll, expect, it } from 'vitest';
import { type DialogueRequest, type Model, scriptedModel } from '../../../model/index.ts';
import { bench, runTrial } from '../investigation.contract.ts';

const b = bench();
afterAll(() => b.close());

const call = (code: unknown) => ({ calls: [{ name: 'python', input: { code } }] });

function thinking(lines: readonly object[]) {
  const asked: DialogueRequest[] = [];
  const inner = scriptedModel(lines as never);
  const model: Model = {
    ...inner,
    thinking: 2_000,
    reply: (request) => {
      asked.push(request);
      return inner.reply!.call(model, request);
    },
  };
  return { model, asked };
}

it('outputs come back in the result of the call, with what is left', async () => {
  const { model, asked } = thinking([call('x = 41\nprint("forty", x)'), call('FINAL(x + 1)')]);
  const { investigation } = await runTrial(b, { planner: model });
  expect(investigation.result.answer).toBe(42);
  expect(asked[0]?.dialogue.tools.map(({ name }) => name)).toEqual(['python']);
  expect(asked[0]?.dialogue.system).toContain('one call of `python`');
  const { entries = [] } = asked[1]?.dialogue ?? {};
  expect(entries.map(({ kind }) => kind)).toEqual(['user', 'reply', 'results']);
  expect(entries[2]).toMatchObject({
    results: [{ name: 'python', ok: true, text: expect.stringMatching(/forty 41[\s\S]*Turn 2/) }],
  });
});

it('several calls are cells in order; one without code is told; fences still count', async () => {
  const two = { calls: [...call('a = 20').calls, ...call('a += 1').calls] };
  const { model, asked } = thinking([
    two,
    { calls: [{ name: 'shell', input: { command: 'ls' } }] },
    { text: '```python\nFINAL(a * 2)\n```' },
  ]);
  const { investigation } = await runTrial(b, { planner: model });
  expect(investigation).toMatchObject({ cells: 3, result: { answer: 42 } });
  expect(asked[1]?.dialogue.entries.at(-1)).toMatchObject({
    results: [{ text: 'See the last result.' }, { text: expect.stringContaining('Turn 2') }],
  });
  expect(asked[2]?.dialogue.entries.at(-1)).toMatchObject({
    results: [{ text: expect.stringContaining('1 of your calls held no code') }],
  });
});
