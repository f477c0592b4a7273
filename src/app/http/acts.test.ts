/** Who may do what, from the table itself: an act of the author is his alone, whoever asks and however. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { capabilitySets, openToolHost } from '../../tools/index.ts';
import { memoryWorld } from '../../world/scripted.ts';
import { hostTools } from '../host/host.ts';
import { roles, tokenRights } from './askers.ts';
import { apiRoutes } from './routes.ts';
import { type Desk, openDesk } from './testbed.contract.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const acts = apiRoutes.filter(({ effect }) => effect === 'author').map(({ id }) => id);
const addressOf = (path: string): string => path.replace('{workspace}', 'notes').replaceAll(/\{\w+\}/g, 'x');

describe('the table', () => {
  it('lists the acts of the author', () => {
    expect(acts.toSorted()).toEqual([
      'answerThread',
      'createPage',
      'decide',
      'decideMany',
      'decideMemory',
      'deletePage',
      'movePage',
      'restorePage',
      'savePage',
      'undo',
    ]);
    for (const { effect, allowedRoles: may } of apiRoutes)
      if (effect === 'author') expect(may).toEqual(['author']);
  });

  it.each([
    // The session that a code opened is ended by whose window it is.
    ['reader', ['closeSession']],
    [
      'operator',
      [
        ...['addSchedule', 'addToken', 'cancelRun', 'closeSession', 'prune', 'removeSchedule', 'removeToken'],
        ...['resumeRun', 'runSchedule', 'startRun', 'switchSchedule', 'tryScheduleOut'],
      ],
    ],
  ] as const)('lists what a %s changes, and no act of the author is among it', (role, expected) => {
    const changes = apiRoutes.filter(
      ({ allowedRoles: may, effect }) => may.includes(role) && effect !== 'read',
    );
    expect(changes.map(({ id }) => id).toSorted()).toEqual(expected);
    for (const { effect, path } of changes) {
      expect(effect).toBe('write');
      expect(path).not.toMatch(/pages|inbox|undo|memory|threads/);
    }
  });

  // The routes that the interface promised, with their methods and actions.
  it.each<[string, string]>([
    ['/threads', 'get post'],
    ['/threads/{thread}', 'get patch'],
    ['/threads/{thread}/messages', 'get post'],
    ...['answers', 'steer', 'cancel', 'continue', 'drop', 'edit', 'fork'].map((act): [string, string] => [
      `/threads/{thread}/${act}`,
      'post',
    ]),
    ...['events', 'checkpoints'].map((what): [string, string] => [`/threads/{thread}/${what}`, 'get']),
    ['/runs', 'get post'],
    ['/runs/{run}', 'get'],
    ...[
      'tree',
      'events',
      'evidence',
      'evidence/{evidence}',
      'claims',
      'calls/{call}',
      'artifacts/{artifact}',
    ].map((what): [string, string] => [`/runs/{run}/${what}`, 'get']),
    ...['cancel', 'resume'].map((act): [string, string] => [`/runs/{run}/${act}`, 'post']),
    ['/workspaces/{workspace}/pages', 'get post'],
    ['/workspaces/{workspace}/pages/{page}', 'delete get patch'],
    ...['move', 'restore'].map((act): [string, string] => [
      `/workspaces/{workspace}/pages/{page}/${act}`,
      'post',
    ]),
    ...['blocks', 'links', 'history', 'provenance'].map((what): [string, string] => [
      `/workspaces/{workspace}/pages/{page}/${what}`,
      'get',
    ]),
    ['/workspaces/{workspace}/inbox', 'get'],
    ['/workspaces/{workspace}/inbox/{id}', 'get'],
    ['/workspaces/{workspace}/inbox/{id}/decision', 'post'],
    ['/workspaces/{workspace}/inbox/decisions', 'get post'],
    ['/workspaces/{workspace}/undo', 'post'],
    ['/workspaces/{workspace}/memory', 'delete get post'],
    ['/workspaces/{workspace}/schedules', 'get post'],
    ['/workspaces/{workspace}/schedules/{schedule}', 'delete patch'],
    ['/workspaces/{workspace}/search', 'get'],
    ...['', '/{incident}', '/{incident}/series'].map((what): [string, string] => [
      `/incidents${what}`,
      'get',
    ]),
    ...['/events', '/spend', '/config'].map((path): [string, string] => [path, 'get']),
    ['/session', 'delete get post'],
    ['/tokens', 'get post'],
    ['/prune', 'get post'],
  ])('has %s: %s', (path, methods) => {
    const found = apiRoutes.filter((one) => one.path === path).map(({ method }) => method);
    expect(found.toSorted().join(' ')).toBe(methods);
  });

  it('names each route, and each address with its method, once', () => {
    const addresses = apiRoutes.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
    for (const names of [apiRoutes.map(({ id }) => id), addresses])
      expect(new Set(names).size).toBe(apiRoutes.length);
  });

  const askers = { reads: 'reader', operates: 'operator', program: null } as const;
  it.each(Object.entries(askers))('lets %s to what it says, and to nothing else', async (as, role) => {
    for (const { id, method, path, allowedRoles: may, effect } of apiRoutes) {
      if (may === 'anybody' || (role !== null && may.includes(role))) continue;
      const response = await desk.ask(addressOf(path), {
        as,
        method: method.toUpperCase(),
        body: method === 'get' ? null : '{}',
      });
      expect([id, effect, response.status]).toEqual([id, effect, 403]);
    }
    expect(desk.world.head()).toBe(0);
  });

  it('lets nobody in who shows nothing', async () => {
    for (const { id, method, path, allowedRoles: may, effect } of apiRoutes) {
      if (may === 'anybody') continue;
      const response = await desk.ask(addressOf(path), {
        as: null,
        method: method.toUpperCase(),
        body: method === 'get' ? null : '{}',
      });
      expect([id, response.status]).toEqual([id, effect === 'read' ? 401 : 403]);
    }
  });
});

it('no tool over memory is given to a role that the interface gives no memory', async () => {
  const world = memoryWorld();
  const nothing = () => Promise.reject(new Error('none is called'));
  const parts = { world, pages: nothing, memory: nothing, sandbox: nothing, code: nothing };
  const host = openToolHost({ tools: await hostTools(parts), workspace: world.workspace });
  const memoryTools = host.list().filter(({ name }) => name.includes('memory'));
  expect(memoryTools).toHaveLength(4);
  const may = apiRoutes.find(({ id }) => id === 'listMemory')!.allowedRoles;
  for (const role of roles)
    for (const { name, capability } of memoryTools)
      expect([role, name, new Set<string>(capabilitySets[tokenRights[role].allow]).has(capability!)]).toEqual(
        [...[role, name, may.includes(role)]],
      );
  world.close();
});

it('no tool of an agent or a client is an act of the author', async () => {
  const world = memoryWorld();
  const nothing = () => Promise.reject(new Error('none is called'));
  const parts = { world, pages: nothing, memory: nothing, sandbox: nothing, code: nothing };
  const listed = openToolHost({ tools: await hostTools(parts), workspace: world.workspace }).list();
  world.close();
  const below = new Set<string>(
    Object.entries(capabilitySets).flatMap(([name, held]) => (name === 'owner' ? [] : [...held])),
  );
  const theirs = listed.filter(({ capability }) => capability === null || below.has(capability));
  // A proposal to the author, as the suite of tools shows: what they name stays as it is until he decides.
  const proposals = ['promote_to_canonical', 'resolve_deviation'];
  // The other side: by set of capabilities, what it may change.
  const reads = new Set<string>(capabilitySets['read-only']);
  const changing = (set: keyof typeof capabilitySets): readonly string[] =>
    listed
      .filter(({ capability }) => capability !== null && !reads.has(capability))
      .filter(({ capability }) => new Set<string>(capabilitySets[set]).has(capability!))
      .map(({ name }) => name);
  expect(changing('read-only')).toEqual([]);
  expect(changing('operator')).toEqual([]);
  for (const name of changing('external')) expect(changing('agent')).toContain(name);
  for (const name of changing('agent')) expect(changing('owner')).toContain(name);
  for (const act of acts) expect(listed.map(({ name }) => name)).not.toContain(act);
  const words = /promote|reject|resolve|decide|accept|undo|restore/;
  expect(theirs.map(({ name }) => name).filter((name) => words.test(name))).toEqual(proposals);
});
