import { expect, test } from 'vitest';
import { parseVariables, toCellResult, toCellValue } from './cell-result.ts';
import { defaultLimits } from './limits.ts';

/** The guest's driver may have been replaced: what it answers is read as if a stranger had sent it. */
test.each([[null], ['text'], [5], [undefined]])('a value that is %s is none', (sent) => {
  expect(toCellValue(sent as never)).toBeNull();
});
test('rows that are none are left out, and their parts are made what they should be', () => {
  const rows = [null, 5, 'x', { name: 7, type: [], size: '1', preview: {} }];
  expect(parseVariables({ status: 'ok', rows })).toEqual([{ name: '', type: '', size: null, preview: '' }]);
  expect(parseVariables({ status: 'ok', rows: {} })).toBeNull();
  expect(parseVariables(null)).toBeNull();
});

test.each([
  ['as much as is kept', 'stdout', 1000, []],
  ['more than is kept', 'stdout', 1001, [{ limit: 'output_bytes', allowed: 1000, used: 1001 }]],
  ['more than is kept', 'stderr', 1001, [{ limit: 'output_bytes', allowed: 1000, used: 1001 }]],
])('%s on %s', (_, stream, bytes, hits) => {
  const nothing = { head: '', tail: '', bytes: 0, leftOut: 0 };
  const run = {
    killed: null,
    excesses: [],
    ...{ stdout: nothing, stderr: nothing, [stream]: { ...nothing, bytes } },
    ...{ fuel: 1, wallMs: 1, hostMs: 0, calls: 0, memoryBytes: 1, clock: null },
  };
  const result = toCellResult(run, { status: 'ok' }, { ...defaultLimits, output_bytes: 1000 }, []);
  expect(result.hits).toMatchObject(hits);
  expect(result.hits).toHaveLength(hits.length);
});
