import { describe, expect, it } from 'vitest';
import { parseRoleTarget } from './conversations.ts';

describe('the level of a role', () => {
  const given = { thread: 'one', channel: 'ops' };

  it.each([
    ['account', {}, { level: 'account' }],
    ['workspace', { workspace: 'main' }, { level: 'workspace', workspace: 'main' }],
    ['account', given, { level: 'account' }],
    ['thread', given, { level: 'thread', within: 'one' }],
    ['channel', given, { level: 'channel', within: 'ops' }],
  ])('%s with %j', async (at, flags, target) => {
    expect(await parseRoleTarget(at, flags)).toEqual(target);
  });

  it.each([
    ['thread', { channel: 'ops' }, /Which thread/],
    ['channel', { thread: 'one' }, /Which channel/],
    ['planet', {}, /no level "planet"/],
  ])('%s with %j is refused', async (at, flags, message) => {
    await expect(parseRoleTarget(at, flags)).rejects.toThrow(message);
  });
});
