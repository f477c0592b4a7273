import { expect, test } from 'vitest';
import { inflections, stemOf } from './inflections.ts';

test.each([
  ['stop', ['stops', 'stopped', 'stopping']],
  ['created', ['create', 'creates', 'creating', 'creation', 'creator']],
  ['query', ['queries']],
  ['queries', ['query']],
  ['files', ['file']],
  ['indexes', ['index', 'indexing']],
  ['serialize', ['serializer', 'serialized', 'serialization', 'serializing']],
  ['dependency', ['depend', 'dependent']],
])('%s', (word, expected) => {
  const forms = inflections(word);
  const stem = stemOf(word);
  expect(forms).toEqual(expect.arrayContaining(expected.filter((form) => stemOf(form) === stem)));
  expect(expected.filter((form) => stemOf(form) === stem).length).toBeGreaterThan(0);
  expect(forms).not.toContain(word);
  expect(forms.every((form) => stemOf(form) === stem)).toBe(true);
});

test.each(['max_retries', 'utf8', 'io', 'größe', ''])('%j has no forms', (word) => {
  expect(inflections(word)).toEqual([]);
});
