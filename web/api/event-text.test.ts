import { expect, it } from 'vitest';
import { eventReader } from './event-text.ts';

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
