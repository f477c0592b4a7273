import { describe, expect, it } from 'vitest';
import { actionsFor } from './actions/registry.ts';
import { scriptedMaterial } from './scripted.ts';
import { chooseAction } from './signatures.ts';

const { output } = chooseAction(actionsFor(scriptedMaterial({ files: {} })));
const wanted = { name: 'open_span', file_path: 'a.ts', start_line: 3, end_line: 9 };
const { name: _, ...input } = wanted;

const forms: readonly (readonly [form: string, written: unknown])[] = [
  ['as asked', { reasoning: 'r', action: wanted }],
  ['action as a text, fields beside it', { reasoning: 'r', action: 'open_span', ...input }],
  [
    'fields under the name of the action',
    { reasoning: 'r', action: 'open_span', open_span: input, finalize: null },
  ],
  ['fields under input', { reasoning: 'r', action: { name: 'open_span', input } }],
  ['a tool call', { thought: 'r', tool: 'open_span', arguments: input }],
  ['the action alone', { name: 'open_span', ...input, reasoning: 'r' }],
  ['type for name', { reasoning: 'r', action: { type: 'open_span', ...input } }],
  ['numbers as texts', { reasoning: 'r', action: { ...wanted, start_line: '3', end_line: '9' } }],
];

describe('forms of a choice that are understood', () => {
  it.each(forms)('%s', (_form, written) => {
    expect(output.parse(written)).toEqual({ reasoning: 'r', action: wanted });
  });
  it('without a reason', () => {
    expect(output.parse({ action: wanted })).toEqual({ reasoning: '', action: wanted });
  });
  const sure: readonly (readonly [unknown, number])[] = [
    [0.7, 0.7],
    ['0.7', 0.7],
    ['70%', 0.7],
    [70, 0.7],
    ['high', 0.8],
    ['as sure as one can be', 0.5],
    [null, 0.5],
    [undefined, 0.5],
  ];
  it.each(sure)('a confidence of %j', (confidence, expected) => {
    const said = { reasoning: '', action: { name: 'finalize', answer: 'a', confidence } };
    expect(output.parse(said).action['confidence']).toBe(expected);
  });
});

const unfit: readonly unknown[] = [
  null,
  'open_span',
  [],
  {},
  { reasoning: 'r' },
  { reasoning: 'r', action: null },
  { reasoning: 'r', action: 'rm_rf', path: '/' },
  { reasoning: 'r', action: { ...wanted, start_line: 'the first' } },
  { reasoning: 'r', action: { name: 'open_span', file_path: 'a.ts' } },
];

describe('what is no choice is refused', () => {
  it.each(unfit.map((value) => [JSON.stringify(value), value]))('%s', (_text, value) => {
    expect(output.safeParse(value).success).toBe(false);
  });
});
