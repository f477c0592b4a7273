import { expect, it } from 'vitest';
import { addEntries, addNote, beginDialogue, callsOf, type Entry, textOf } from './dialogue.ts';

const dialogue = beginDialogue({ system: 's', tools: [] }, 'Why?');
const reply = (...ids: readonly string[]): Entry => ({
  kind: 'reply',
  by: 'm',
  parts: [
    { kind: 'text', text: 'I look.' },
    ...ids.map((id) => ({ kind: 'call' as const, id, name: 'grep', input: {}, fit: 'read' as const })),
  ],
});
const results = (...ids: readonly string[]): Entry => ({
  kind: 'results',
  results: ids.map((call) => ({ call, name: 'grep', ok: true, text: 't' })),
});

it('entries are added, and nothing that was there changes', () => {
  const one = addEntries(dialogue, reply('a', 'b'), results('a', 'b'));
  const two = addEntries(one, reply());
  expect(two.entries.slice(0, 3)).toEqual(one.entries);
  expect(dialogue.entries).toHaveLength(1);
  expect(callsOf(one.entries[1]).map(({ id }) => id)).toEqual(['a', 'b']);
  expect(textOf(one.entries[1])).toBe('I look.');
});

it.each([
  ['a call without a result', [reply('a'), { kind: 'user', text: 'x' } as Entry]],
  ['a result without a call', [reply(), results('a')]],
  ['results in another order', [reply('a', 'b'), results('b', 'a')]],
  ['one result too few', [reply('a', 'b'), results('a')]],
  ['no results', [reply(), results()]],
])('%s is refused', (_what, entries) => {
  expect(() => addEntries(dialogue, ...entries)).toThrow(/calls/);
});

it('a note stands with the last results, or as words where there are none', () => {
  const one = addNote(addNote(addEntries(dialogue, reply('a'), results('a')), 'first'), 'second');
  expect(one.entries.at(-1)).toMatchObject({ kind: 'results', note: 'first\nsecond' });
  expect(addNote(dialogue, 'now').entries.at(-1)).toEqual({ kind: 'user', text: 'now' });
});
