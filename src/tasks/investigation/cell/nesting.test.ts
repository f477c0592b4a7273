/** Whoever nests holds what he has while he waits: nobody below him may wait for it. */
import { afterAll, expect, it } from 'vitest';
import { scriptedModel } from '../../../model/index.ts';
import { graceFuel } from '../../../sandbox/index.ts';
import { bench, code, isPlanner, pageOf, runTrial, turnOf } from '../investigation.contract.ts';
import { maxOpen } from './seats.ts';

const b = bench();
afterAll(() => b.close());

const levelOf = (page: string) => Number(/level (\d)/.exec(page)?.[1] ?? 0);

/** Each asks questions, nests two that do the same, and goes on afterwards. */
const nesting = (maxDepth: number) =>
  scriptedModel((request) => {
    if (!isPlanner(request)) return 'a note';
    if (turnOf(request) > 1) return code('FINAL(came)');
    const level = levelOf(pageOf(request));
    const ask = 'came = sum(isinstance(one, str) for one in llm_query_batched(["q"] * 3))';
    const nest = `came += sum(one.answer for one in investigate_batched(["level ${level + 1}"] * 2))`;
    return code(ask, ...(level < maxDepth ? [nest] : []), 'print(came)');
  });
const everyTrial = process.env['TRIALS'] === 'all';
const limits = { turns: 500, tokens: 10_000_000 };
/** Of a tree: three in each of its investigations. */
const questionsIn = (depth: number) => 3 * (2 ** (depth + 1) - 1);

it('one at a time, three deep, comes to its end', async () => {
  const model = nesting(3);
  const narrow = { ...limits, depth: 3, children: 1, ask_width: 1 };
  const { investigation } = await runTrial(b, { planner: model, analyst: model, limits: narrow });
  expect(investigation.result).toMatchObject({ stop_reason: 'finalized', answer: questionsIn(3) });
});

it.runIf(everyTrial)('more at once than have places, each of them two deep, come to their ends', async () => {
  const model = nesting(2);
  const one = { planner: model, analyst: model, limits: { ...limits, depth: 2 } };
  const all = Array.from({ length: maxOpen + 2 }, () => runTrial(b, one));
  for (const { investigation } of await Promise.all(all))
    expect(investigation.result).toMatchObject({ stop_reason: 'finalized', answer: questionsIn(2) });
});

it('fuel that is held above is not waited for', async () => {
  // The first cell holds half, and as much as it has for its end; what is left is too little for all that it nests.
  const left = 50_000;
  const kept = 0.9;
  const fuel = Math.ceil((2 * (graceFuel + 1_000 + left)) / kept);
  const model = scriptedModel((request) =>
    isPlanner(request) && levelOf(pageOf(request)) === 0 && turnOf(request) === 1
      ? code('ends = investigate_batched(["level 1"] * 4)', 'FINAL(len(ends))')
      : code('FINAL(sum(range(100_000)))'),
  );
  const narrow = { depth: 1, children: 4, fuel };
  const { investigation } = await runTrial(b, { planner: model, analyst: model, limits: narrow });
  expect(investigation.result.answer).toBe(4);
}, 60_000);
