import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Database,
  openDatabase,
  openSessionsIn,
  type RoleLevel,
  type Sessions,
} from '../store/index.ts';
import { type RoleMode, resolveRole } from './roles.ts';

let dbs: Database[];
let workspace: Sessions;
let account: Sessions;
beforeEach(() => {
  dbs = [1, 2].map(() => openDatabase({ path: ':memory:', schemas: [], busyMs: 100 }));
  [workspace, account] = dbs.map((db) => openSessionsIn(db)) as [Sessions, Sessions];
});
afterEach(() => {
  for (const db of dbs) db.close();
});

const role = (content: string, appliesTo: readonly string[] | null = null) => ({ content, appliesTo });
const within: Record<RoleLevel, string> = { thread: 't', channel: 'c', workspace: '', account: '' };

async function set(levels: readonly RoleLevel[], appliesTo: readonly string[] | null = null): Promise<void> {
  for (const level of levels) {
    const { roles } = level === 'account' ? account : workspace;
    await roles.set({ level, within: within[level] }, role(level, appliesTo));
  }
}

// world.md: Roles 1, 2, 6.
describe('a role', () => {
  // world.md: Roles 1 and 6.
  const all: readonly RoleLevel[] = ['thread', 'channel', 'workspace', 'account'];
  it.each<[readonly RoleLevel[], string | null, RoleMode, string | null]>([
    [all, 'call', 'blocks', 'call'],
    [all, null, 'blocks', 'thread'],
    [all.slice(1), null, 'blocks', 'channel'],
    [all.slice(2), null, 'blocks', 'workspace'],
    [all.slice(3), null, 'blocks', 'account'],
    [[], null, 'blocks', null],
    [[], 'call', 'blocks', 'call'],
    [all, 'call', 'stacks', 'account\n\nworkspace\n\nchannel\n\nthread\n\ncall'],
    [['account', 'thread'], null, 'stacks', 'account\n\nthread'],
    [[], null, 'stacks', null],
  ])('of %j, and %s of the call, %s: %s', async (levels, call, mode, expected) => {
    await set(levels);
    const question = { work: 'planner', call: call === null ? null : role(call), thread: 't', channel: 'c' };
    const sources = { workspace: workspace.roles, account: account.roles };
    expect(await resolveRole(question, sources, mode)).toBe(expected);
  });

  it('counts for its own work, thread and channel only', async () => {
    await set(['thread'], ['research']);
    await set(['channel']);
    const sources = { workspace: workspace.roles, account: account.roles };
    const ask = (work: string, thread: string, channel: string | null) =>
      resolveRole({ work, thread, channel }, sources);
    const asked = [
      ask('research', 't', 'c'),
      ask('planner', 't', 'c'),
      ask('planner', 't', 'other'),
      ask('research', 'other', null),
    ];
    expect(await Promise.all(asked)).toEqual(['thread', 'channel', null, null]);
  });

  it('is kept, listed, replaced, taken away, and refused where it has no sense', async () => {
    await set(['workspace', 'thread']);
    expect((await workspace.roles.list()).map(({ level }) => level)).toEqual(['thread', 'workspace']);
    await workspace.roles.set({ level: 'thread', within: 't' }, role('new'));
    await workspace.roles.set({ level: 'workspace', within: '' }, null);
    expect(await workspace.roles.list()).toEqual([{ level: 'thread', within: 't', role: role('new') }]);
    for (const [place, content] of [
      [{ level: 'thread', within: '' }, 'x'],
      [{ level: 'workspace', within: 'w' }, 'x'],
      [{ level: 'account', within: '' }, '  '],
      [{ level: 'account', within: '' }, 'x'.repeat(8001)],
    ] as const)
      await expect(workspace.roles.set(place, role(content))).rejects.toMatchObject({ code: 'bad_argument' });
  });
});
