import { describe, expect, it } from 'vitest';
import type { Gold } from './question-set.ts';
import { isSameValue, type ObservedResult, scoreAnswer } from './score.ts';

const nothing: ObservedResult = {
  run: null,
  status: null,
  stop_reason: null,
  answer: null,
  cited: [],
  evidence: [],
  verdicts: [],
  claims: {},
  steps: 0,
  tokens: 0,
  cached_tokens: 0,
  usd: 0,
  ms: 0,
};
const score = (gold: Gold, observed: Partial<ObservedResult>) =>
  scoreAnswer(gold, { ...nothing, ...observed }, () => 7);
const span = (path: string, start: number, end: number) => ({ path, start, end });

describe('files', () => {
  const gold = { files: ['a', 'b'] };

  it('are looked for among those cited, then those read, each once', () => {
    const found = score(gold, {
      cited: [span('x', 1, 2), span('x', 5, 6), span('a', 1, 1)],
      evidence: [span('a', 9, 9), span('y', 1, 1), span('b', 1, 1)],
    });
    expect(found).toMatchObject({ right: true, recall_1: 0, recall_5: 1, recall_all: 1 });
    expect(score({ files: ['b'] }, { cited: [span('x', 1, 2)], evidence: [span('b', 1, 1)] })).toMatchObject({
      right: false,
      recall_1: 0,
      recall_5: 1,
    });
  });

  it('that the program cites after its model failed make no answer of the model right', () => {
    const cited = [span('a', 1, 1)];
    expect(score(gold, { cited, stop_reason: 'finalized' }).right).toBe(true);
    expect(score(gold, { cited, stop_reason: 'model_failed' }).right).toBe(false);
  });

  it('of a question that failed are missed', () => {
    expect(score(gold, { error: 'x' })).toMatchObject({
      right: false,
      recall_1: 0,
      recall_10: 0,
      recall_all: 0,
    });
  });
});

it('half of the gold lines of one file make an answer right; shares are of lines', () => {
  const gold = { lines: [span('a', 10, 13), span('b', 1, 100)] };
  const found = score(gold, { cited: [span('a', 12, 15)], evidence: [span('b', 1, 52)] });
  expect(found).toMatchObject({ right: true, lines_cited: 2 / 104, lines_exact: 0.5, lines_read: 54 / 104 });
  expect(score(gold, { cited: [span('a', 13, 20)] })).toMatchObject({ right: false });
  expect(score(gold, {})).toMatchObject({ right: false, lines_cited: 0, lines_exact: 0 });
});

it('a verdict is that of the incident, its category, what it blames, or the status of an answer', () => {
  const verdicts = ['code_change', 'configuration_error', '0123456789abcdef0123456789abcdef01234567'];
  for (const verdict of ['code_change', 'configuration_error', '0123456789ab', verdicts[2]!])
    expect(score({ verdict }, { verdicts })).toMatchObject({ right: true });
  for (const verdict of ['state', '0123', '01234568'])
    expect(score({ verdict }, { verdicts })).toMatchObject({ right: false });
  expect(score({ verdict: 'not_found' }, { status: 'not_found' })).toMatchObject({ right: true });
});

describe('a value', () => {
  it.each([
    [47, '47'],
    [47, 47.0],
    [1500, 'It is 1,500 in all.'],
    ['Alpha', ' alpha '],
    ['alpha beta', 'The name is Alpha Beta.'],
    ['2024-03-01', 'It was 2024-03-01.'],
    [
      ['b', 'a'],
      ['a', 'b'],
    ],
    [['a', 'b'], 'a and b'],
    [{ count: 3 }, { count: '3', more: 1 }],
    [true, 'true'],
  ])('%j is given by %j', (wanted, given) => expect(isSameValue(wanted, given)).toBe(true));

  it.each([
    [47, 'It is 147.'],
    [47, 'It is 47.5'],
    [4, '14 of 40'],
    ['a', 'an apple'],
    [
      ['a', 'a'],
      ['a', 'b'],
    ],
    [['a'], ['a', 'b']],
    [{ count: 3 }, 3],
    [0, null],
    [0, ''],
  ])('%j is not given by %j', (wanted, given) => expect(isSameValue(wanted, given)).toBe(false));

  it('that is a long text is no value: its claims are held against each other', () => {
    const answer = 'The pool gives a connection back when its holder is done with it.';
    expect(score({ answer }, { answer: 'Never.' })).toMatchObject({ right: null, contradicted_by_gold: 7 });
    expect(score({ answer: 3 }, { answer: 'It is 3.' })).toMatchObject({
      right: true,
      contradicted_by_gold: null,
    });
  });
});
