/** What a change does by its diff alone, and what looks like it. */
import { expect, it } from 'vitest';
import { natureOf } from './nature.ts';

const kindOf = (diff: string) => natureOf({ paths: ['shop/holds.ts'], title: 'x', diff }).kind;

it('a type that is called by another name everywhere does the same', () => {
  const renamed =
    '-export class HoldKeeper {\n-  new HoldKeeper(repo)\n+export class Holds {\n+  new Holds(repo)';
  expect(kindOf(renamed)).toBe('same');
  expect(kindOf(`${renamed}\n-  limit = 40\n+  limit = 4`)).toBe('other');
});
