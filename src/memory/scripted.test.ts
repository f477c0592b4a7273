import { expect, it } from 'vitest';
import { checkMemory } from './memory.contract.ts';
import { scriptedMemory } from './scripted.ts';

checkMemory((limits) => scriptedMemory(limits === undefined ? {} : { limits }));

it('begins with its script and records what is written', () => {
  const memory = scriptedMemory({
    items: [{ tier: 'channel', within: 'c1', key: 'plan', text: 'first' }],
  });
  const view = memory.viewFrom({ thread: 't1', channel: 'c1' });
  expect(view.get('channel', 'plan')?.text).toBe('first');
  view.forget('channel', 'plan', { writer: 'user ada', idempotencyKey: null });
  expect(memory.calls).toEqual(['forget channel c1 plan']);
});
