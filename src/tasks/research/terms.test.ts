import { expect, it } from 'vitest';
import { namesToLookUp } from './terms.ts';

it.each([
  ['`http.request` placeholders are not resolved in `header`', ['header']],
  ['How does `Store.expire_all` work?', ['expire_all']],
  ['```jsx\nconst Counter = memo(() => useState(0));\n```\nWhy does `render` hang?', ['render', 'useState']],
  ['Why does it hang?\n```\nconst setCount = a_b;\n', ['setCount', 'a_b']],
  ['How are listeners handed over?', []],
  ['`a_1` `b_1` `c_1` `d_1` `eeee_1`', ['a_1', 'b_1', 'c_1']],
])('%s: %j', (question, names) => {
  expect(namesToLookUp(question)).toEqual(names);
});
