/** Each way of the table by its example, and by one that looks alike and is none. */
import { expect, it } from 'vitest';
import { getDiff } from './edits/diff.ts';
import { mechanismExamples } from './mechanisms/examples.contract.ts';
import { findMechanisms, mechanismKinds } from './mechanisms.ts';

const namesIn = (diff: string) => findMechanisms(getDiff(diff)).map(({ name }) => name);

it.each(mechanismExamples)('$name', ({ name, shows, unlike }) => {
  expect(namesIn(shows)).toContain(name);
  expect(namesIn(unlike)).not.toContain(name);
});

it('no way is without its example and its counter-example', () => {
  const missing = mechanismKinds.filter(
    ({ find }) => !mechanismExamples.some(({ name, shows }) => find(getDiff(shows))?.name === name),
  );
  expect(missing).toEqual([]);
  expect(new Set(mechanismExamples.map(({ name }) => name))).toHaveProperty('size', mechanismKinds.length);
});
