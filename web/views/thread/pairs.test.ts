import { expect, it } from 'vitest';
import type { Message } from '../../api/types.ts';
import { pairsOf } from './pairs.ts';
import type { LiveCall } from './use-thread.ts';

const said = (...calls: readonly string[]): Message => ({
  ...{
    id: calls.join(),
    kind: 'assistant',
    text: '',
    call: null,
    name: null,
    ok: null,
    writes: [],
    reads: [],
  },
  calls: calls.map((id) => ({ id, name: id[0]!, args: {} })),
});
const heard = (call: string, name: string): LiveCall => ({
  ...{ call, name, about: '', ok: null, note: '', changes: [] },
});
const shown = (messages: readonly Message[], calls: readonly LiveCall[]) => {
  const { of, alone } = pairsOf(messages, calls);
  return [[...of].map(([id, { call }]) => `${id}=${call}`), alone.map(({ call }) => call)];
};

it('pairs by id, then by name in order, and says what is in no message yet', () => {
  expect(
    shown(
      [said('a1', 'b1'), said('a2')],
      [heard('x', 'a'), heard('b1', 'b'), heard('y', 'a'), heard('z', 'a')],
    ),
  ).toEqual([['b1=b1', 'a1=x', 'a2=y'], ['z']]);
});

it('pairs the last ones where the first were put together', () => {
  const compact: Message = { ...said(), kind: 'compact' };
  expect(shown([compact, said('a9')], [heard('x', 'a'), heard('y', 'a')])).toEqual([['a9=y'], []]);
});
