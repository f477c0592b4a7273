import { expect, test } from 'vitest';
import { listInflections, stemWord } from './inflections.ts';

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
  const forms = listInflections(word);
  const stem = stemWord(word);
  expect(forms).toEqual(expect.arrayContaining(expected.filter((form) => stemWord(form) === stem)));
  expect(expected.filter((form) => stemWord(form) === stem).length).toBeGreaterThan(0);
  expect(forms).not.toContain(word);
  expect(forms.every((form) => stemWord(form) === stem)).toBe(true);
});

test.each(['max_retries', 'utf8', 'io', 'größe', ''])('%j has no forms', (word) => {
  expect(listInflections(word)).toEqual([]);
});
