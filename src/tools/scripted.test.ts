import { expect, it } from 'vitest';
import { toolReply } from '../core/index.ts';
import type { ToolRequest } from './client.ts';
import { scriptedTools } from './scripted.ts';

it('says what the script has, one call after another, and that it has run out', async () => {
  const tools = scriptedTools({
    look: [toolReply('first', null), toolReply('second', null)],
    echo: ({ args }) => toolReply(String(args['x']), null),
  });
  const call = async (name: string, args = {}) => {
    const result = await tools.call({ name, args } as ToolRequest);
    return result.ok ? result.text : result.error.code;
  };
  expect([await call('look'), await call('look'), await call('echo', { x: 1 })]).toEqual([
    'first',
    'second',
    '1',
  ]);
  expect(await call('look')).toBe('(the script has no call 3 of look)');
  expect(await call('nobody')).toBe('(the script has no call 1 of nobody)');
  expect(tools.calls.map(({ name }) => name)).toEqual(['look', 'look', 'echo', 'look', 'nobody']);
});
