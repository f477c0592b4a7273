import { expect, it } from 'vitest';
import { eventReader, isLater } from './event-text.ts';

it('events come whole, wherever the pieces end', () => {
  const text =
    ': there\n\nid: 1\nevent: a\ndata: {"x":1}\n\nevent: end\ndata: {}\n\nid: 2\ndata: one\ndata: two\n\n';
  for (let size = 1; size <= text.length; size += 1) {
    const read = eventReader();
    const found = [];
    for (let at = 0; at < text.length; at += size) found.push(...read(text.slice(at, at + size)));
    expect(found).toEqual([
      { id: '1', kind: 'a', data: '{"x":1}' },
      { id: '', kind: 'end', data: '{}' },
      { id: '2', kind: 'message', data: 'one\ntwo' },
    ]);
  }
});

it.each<[string, string, boolean]>([
  ['10', '9', true],
  ['9', '9', false],
  ['5-10', '5-9', true],
  ['6-9', '5-9', true],
  ['5-9', '5-9', false],
  ['5-8', '6-8', false],
])('the id %s is later than %s: %s', (id, than, later) => {
  expect(isLater(id, than)).toBe(later);
});
