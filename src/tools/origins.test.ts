import { expect, it } from 'vitest';
import { type Capability, type Tool, toolFailure, toolReply } from '../core/index.ts';
import { addOrigins } from './origins.ts';

const tool = (effect: Tool['effect'], capability: Capability | null) => ({
  name: 'some_tool',
  effect,
  capability,
});

it.each<[string, Tool['effect'], Capability | null, readonly string[]]>([
  ['pages', 'read', 'PagesRead', ['tool:some_tool']],
  ['a search', 'read', 'SearchUse', ['tool:some_tool']],
  ['code', 'read', 'CodeRead', ['tool:some_tool']],
  ['a system', 'read', 'SignalsRead', ['tool:some_tool']],
  // Memory says it itself, item by item.
  ['memory', 'read', 'MemoryRead', []],
  ['the host', 'read', null, []],
  ['a write', 'write', 'PagesWrite', []],
])('a result of %s is from where', (_name, effect, capability, origins) => {
  expect(addOrigins(tool(effect, capability), toolReply('x', null))).toMatchObject({ origins });
});

it('says it by what was read, or as the tool itself does', () => {
  const read = toolReply('x', null, { reads: ['pg-1'] });
  expect(addOrigins(tool('read', 'PagesRead'), read)).toMatchObject({ origins: ['pg-1'] });
  const own = toolReply('x', null, { reads: ['pg-1'], origins: ['pg-2'] });
  expect(addOrigins(tool('read', 'PagesRead'), own)).toMatchObject({ origins: ['pg-2'] });
  const failed = toolFailure('tool', 'no');
  expect(addOrigins(tool('read', 'PagesRead'), failed)).toBe(failed);
});
