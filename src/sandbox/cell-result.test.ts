import { expect, test } from 'vitest';
import { cellValue, variableRows } from './cell-result.ts';

/** The guest's driver may have been replaced: what it answers is read as if a stranger had sent it. */
test.each([[null], ['text'], [5], [undefined]])('a value that is %s is none', (sent) => {
  expect(cellValue(sent as never)).toBeNull();
});
test('rows that are none are left out, and their parts are made what they should be', () => {
  const rows = [null, 5, 'x', { name: 7, type: [], size: '1', preview: {} }];
  expect(variableRows({ status: 'ok', rows })).toEqual([{ name: '', type: '', size: null, preview: '' }]);
  expect(variableRows({ status: 'ok', rows: {} })).toBeNull();
  expect(variableRows(null)).toBeNull();
});
