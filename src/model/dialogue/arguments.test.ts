import { expect, it } from 'vitest';
import { readArguments } from './arguments.ts';

it.each([
  ['{"a": 1}', 'read', { a: 1 }],
  ['', 'read', {}],
  ['  \n', 'read', {}],
  ['"{\\"a\\": 1}"', 'read', { a: 1 }],
  ['[{"a": 1}]', 'read', { a: 1 }],
  ["{a: 'b', c: True,}", 'repaired', { a: 'b', c: true }],
  ['{"a": "b', 'repaired', { a: 'b' }],
  ['{"a": "line\nbreak"}', 'repaired', { a: 'line\nbreak' }],
] as const)('%j is %s', (text, fit, input) => {
  expect(readArguments(text)).toEqual({ fit, input });
});

it.each(['look for x', 'null', '7', '[1, 2]', '"text"', '[[[', `${'['.repeat(5_000)}`, '{"__proto__": 1'])(
  '%j gives an object all the same',
  (text) => {
    const { fit, input } = readArguments(text);
    expect(typeof input === 'object' && input !== null && !Array.isArray(input)).toBe(true);
    if (fit === 'unreadable') expect(input).toEqual({ unreadable_arguments: text });
  },
);

it('what is nested beyond all reason is not read', () => {
  const deep = `{"a":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`;
  expect(readArguments(deep).fit).toBe('unreadable');
});
