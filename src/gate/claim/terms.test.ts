import { expect, it } from 'vitest';
import { findNamesInCode } from './terms.ts';

it('finds the names of code outside its texts', () => {
  expect(findNamesInCode(`open("a \\" b", mode='c')`)).toEqual(['open', 'mode']);
  expect(findNamesInCode('path("C:\\", next)')).toEqual(['path', 'next']);
});

// A pattern that can match a backslash in two ways would never end here.
it('reads code with an open quotation mark and many backslashes', () => {
  expect(new Set(findNamesInCode(`call("${'\\x'.repeat(5_000)}`))).toEqual(new Set(['call', 'x']));
});
