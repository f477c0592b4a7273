import { expect, it } from 'vitest';
import { identifiersIn, namesToLookUp, parts } from './terms.ts';

it.each([
  ['`http.request` placeholders are not resolved in `header`', ['header']],
  ['How does `Store.expire_all` work?', ['Store.expire_all']],
  ['Who calls AsyncPool._close_all, and when?', ['AsyncPool._close_all']],
  ['What of `AsyncPool` does `AsyncPool._close_all()` close?', ['AsyncPool', 'AsyncPool._close_all']],
  [
    'How do `SyncPool::close_all` and AsyncPool#close_all differ?',
    ['SyncPool.close_all', 'AsyncPool.close_all'],
  ],
  ['Why does `this.close_all` hang?', ['close_all']],
  ['How does Pool.close decide between the two?', ['Pool.close']],
  ['What does `pool::Pool::grow` do, and size_of?', ['size_of', 'Pool.grow']],
  ['```jsx\nconst Counter = memo(() => useState(0));\n```\nWhy does `render` hang?', ['render', 'useState']],
  ['Why does it hang?\n```\nconst setCount = a_b;\n', ['setCount', 'a_b']],
  ['How are listeners handed over?', []],
  ['`a_1` `b_1` `c_1` `d_1` `eeee_1`', ['a_1', 'b_1', 'c_1']],
])('%s: %j', (question, names) => {
  expect(namesToLookUp(question)).toEqual(names);
});

it.each(['a', 'A', 'a1', '1', '\\'])('ends for a question of 100,000 characters of %j', (part) => {
  const word = part.repeat(100_000 / part.length);
  expect(identifiersIn(`${word} runAll() 1ab()`).map(({ name }) => name)).toContain('runAll');
  expect(namesToLookUp(`${word} \`runAll\``)).toContain('runAll');
  parts(word);
});
