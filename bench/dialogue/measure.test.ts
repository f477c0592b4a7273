import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cutsOf, fixedPart, groupsOf, localisationsOf, measure, median, repeatedTokens } from './measure.ts';
import { type Run, readRuns } from './recorded.ts';
import type { Sent } from './request.ts';
import { tokensOf } from './tokens.ts';

const sent = (lines: readonly string[], model = 'planner'): Sent => ({
  model,
  blocks: lines.map((text) => ({ level: 'messages' as const, text: `${text}\n`, key: text })),
});

const said = (...words: readonly string[]): string => words.map((word) => `${word}\n`).join('');

it('a line counts as sent before as often as one earlier call held it', () => {
  const calls = [sent(['one', 'two', 'two']), sent(['zero', 'two', 'one', 'two', 'two']), sent(['two'])];
  // Of the second call: one, and two of three times two; of the third: its only line.
  expect(repeatedTokens(calls)).toBe(tokensOf(said('one', 'two', 'two', 'two')));
});

it('what was sent to another model was not sent before', () => {
  expect(repeatedTokens([sent(['one'], 'planner'), sent(['one'], 'analyst')])).toBe(0);
});

const run = (over: Partial<Run> & { readonly sent: readonly Sent[] }): Run => ({
  id: 'a-run',
  shape: 'research',
  wire: 'openai',
  ...over,
});

it('sub-models are calls, and no round trips', () => {
  const asked = [sent(['one']), sent(['part'], 'analyst'), sent(['part'], 'analyst'), sent(['two'])];
  expect(measure(run({ sent: asked }))).toMatchObject({ calls: 4, roundTrips: 2 });
});

it('only over the wire of Anthropic its cache is asked', () => {
  const calls = [sent(['one'])];
  expect(measure(run({ sent: calls })).anthropic).toBeUndefined();
  expect(measure(run({ sent: calls, wire: 'anthropic' })).anthropic?.billed).toBe(tokensOf(said('one')));
});

it('each model and each run has a cache of its own', () => {
  const page = sent([' the'.repeat(2000)]);
  expect(measure(run({ sent: [page] })).openai.read).toBe(0);
  expect(measure(run({ sent: [page, { ...page, model: 'analyst' }] })).openai.read).toBe(0);
  expect(measure(run({ sent: [page, page] })).openai.read).toBe(1920);
});

it('the fixed part is what stands before the messages, and of these what all planner calls of a kind hold', () => {
  const kind = (rules: string, ...lines: readonly string[]): Sent => ({
    model: 'planner',
    blocks: [{ level: 'system', text: `${rules}\n`, key: rules }, ...sent(lines).blocks],
  });
  const runs = [
    run({
      sent: [kind('Rules.', 'tools', 'first question'), kind('Rules.', 'tools', 'first question', 'found')],
    }),
    run({ sent: [kind('Rules.', 'tools', 'second question'), kind('Other rules.', 'evidence')] }),
  ];
  expect(fixedPart(runs)).toBe(tokensOf(said('Rules.', 'tools')));
  expect(fixedPart(runs.slice(0, 1))).toBe(tokensOf(said('Rules.')));
});

it('groups are the shapes, longer researches and all long runs', () => {
  const times = (count: number): readonly Sent[] => Array.from({ length: count }, () => sent(['one']));
  const all = [
    run({ id: 'short', sent: times(4) }),
    run({ id: 'longer', sent: times(5) }),
    run({ id: 'talk', shape: 'conversation', sent: times(10) }),
  ].map((one) => measure(one));
  expect(groupsOf(all).map(({ name, runs, calls, roundTrips }) => [name, runs, calls, roundTrips])).toEqual([
    ['conversation', 1, 10, 10],
    ['research', 2, 9, 4.5],
    ['research, 5 round trips and more', 1, 5, 5],
    ['all, 10 round trips and more', 1, 10, 10],
  ]);
});

it('what is compared is cut as it was before', () => {
  const times = (count: number): readonly Sent[] => Array.from({ length: count }, () => sent(['one']));
  const before = [run({ id: 'long', sent: times(6) }), run({ id: 'short', sent: times(2) })];
  const after = [run({ id: 'long', sent: times(2) }), run({ id: 'short', sent: times(5) })];
  const [, several] = groupsOf(
    after.map((one) => measure(one)),
    cutsOf(before.map((one) => measure(one))),
  );
  expect(several).toMatchObject({ name: 'research, 5 round trips and more', runs: 1, calls: 2 });
});

it('the share that is read is of what was sent before, by the runs that the rule is for', () => {
  const page = sent([' the'.repeat(2000)]);
  const [group] = groupsOf([measure(run({ sent: [page, page] }))]);
  const line = tokensOf(`${' the'.repeat(2000)}\n`);
  expect(group?.openai).toEqual({ runs: 1, hit: 1920 / line, billed: 2 * line - 1920 * 0.9 });
  expect(group?.anthropic.runs).toBe(0);
});

it('localisations: files that were right, and medians by the rules of the own wire', () => {
  const one = run({ id: 'one', sent: [sent(['one'])], localisation: { gold: 2, right: 1 } });
  const two = run({ id: 'two', sent: [sent(['one']), sent(['two'])], localisation: { gold: 1, right: 1 } });
  const question = run({ id: 'question', sent: [sent(['one'])] });
  expect(localisationsOf([one, two, question].map((each) => measure(each)))).toEqual({
    runs: 2,
    gold: 3,
    right: 2,
    billed: (tokensOf(said('one')) + tokensOf(said('one', 'two'))) / 2,
    roundTrips: 1.5,
  });
  expect(localisationsOf([measure(question)])).toBeUndefined();
});

it('the median of an even number lies between the two in the middle', () => {
  expect([median([3, 1, 2]), median([4, 1, 3, 2])]).toEqual([2, 2.5]);
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-recorded-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function record(
  path: string,
  task: Readonly<Record<string, unknown>>,
  requests: number,
  answers: number,
): void {
  mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, path, 'task.json'), JSON.stringify(task));
  for (let n = 1; n <= requests; n += 1) {
    const body = { model: 'm', messages: [{ role: 'user', content: `call ${n}` }] };
    writeFileSync(join(folder, path, `000${n}.request.json`), JSON.stringify(body));
    if (n <= answers) writeFileSync(join(folder, path, `000${n}.answer.md`), 'yes');
  }
}

it('runs are read with their requests in order; one that waits for an answer is named', () => {
  const task = { id: 'o-second', shape: 'research', wire: 'openai' };
  record('research/o-second', { ...task, gold_files: ['a.ts', 'b.ts'], result: { right: 1 } }, 2, 2);
  record('research/o-first', { ...task, id: 'o-first' }, 1, 1);
  record('incident/o-waiting', { ...task, id: 'o-waiting', shape: 'incident' }, 2, 1);
  const { runs, unfinished } = readRuns(folder);
  expect(unfinished).toEqual(['o-waiting']);
  expect(runs.map(({ id, localisation }) => [id, localisation])).toEqual([
    ['o-first', undefined],
    ['o-second', { gold: 2, right: 1 }],
  ]);
  expect(runs[1]?.sent.map(({ blocks }) => blocks[0]?.text)).toEqual(['user\ncall 1\n', 'user\ncall 2\n']);
});
