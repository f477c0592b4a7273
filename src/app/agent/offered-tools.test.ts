import { afterAll, describe, expect, it } from 'vitest';
import { scriptedMemory } from '../../memory/scripted.ts';
import { countTokens } from '../../model/index.ts';
import { capabilitySet, capabilitySets, openToolHost, type ToolListing } from '../../tools/index.ts';
import { memoryWorld } from '../../world/index.ts';
import { hostTools } from '../host.ts';
import { offeredTools } from './offered-tools.ts';

const world = memoryWorld({ Plan: 'We launch.\n' });
afterAll(() => world.close());
const nothing = () => Promise.reject(new Error('nothing is looked at here'));
const memory = scriptedMemory();
const parts = { world, pages: nothing, memory: async () => memory, sandbox: nothing, code: nothing };
const host = openToolHost({ tools: await hostTools(parts), workspace: world.workspace });
const caller = { kind: 'agent', name: 'planner', device: 'test', thread: 't1', channel: null } as const;

const aboutHost = ['list_tools', 'list_scopes', 'current_workspace'];
const properties = ({ parameters }: ToolListing) =>
  Object.entries(
    (parameters['properties'] ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  );

describe.each(Object.keys(capabilitySets))('the tools of a conversation that holds %s', (set) => {
  const capabilities = capabilitySet(set);
  const offered = offeredTools(host.list(), capabilities);

  it('are those that it would not be refused', async () => {
    const names = new Set(offered.map(({ name }) => name));
    for (const { name } of host.list()) {
      const call = { caller, capabilities, idempotencyKey: null, readTrail: [] };
      // Enough for the one that asks who it is after its arguments.
      const result = await host.callTool(
        name,
        name === 'promote_to_canonical' ? { content: 'Plan' } : {},
        call,
      );
      const refused = !result.ok && result.error.code === 'capability';
      expect([name, names.has(name)]).toEqual([name, !refused && !aboutHost.includes(name)]);
    }
  });

  it('take what they take of every client, in fewer words', () => {
    for (const tool of offered) {
      const listed = host.list().find(({ name }) => name === tool.name)!;
      expect(tool.parameters['required']).toEqual(listed.parameters['required']);
      const plain = (of: ToolListing) =>
        properties(of).map(([name, { description: _, minimum: __, ...rest }]) => [name, rest]);
      expect(plain(tool)).toEqual(plain(listed));
    }
    const said = offered.flatMap((tool) =>
      properties(tool).flatMap(([name, { description }]) =>
        description === undefined ? [] : [`${name}: ${String(description)}`],
      ),
    );
    expect(new Set(said).size).toBe(said.length);
    const all = host
      .list()
      .flatMap((tool) =>
        properties(tool).flatMap(([name, { description }]) =>
          description === undefined || !offered.some((one) => one.name === tool.name)
            ? []
            : [`${name}: ${String(description)}`],
        ),
      );
    expect(new Set(said)).toEqual(new Set(all));
  });
});

it('of the agent over pages alone fit into 2,200 tokens', () => {
  const code = new Set([
    'hybrid_search',
    'open_span',
    'grep',
    'find_definition',
    'git_log',
    'git_blame',
    'git_pickaxe',
  ]);
  const listed = host.list().filter(({ name }) => !code.has(name));
  const shown = offeredTools(listed, capabilitySet('agent'));
  const told = shown.map(({ name, description, parameters }) => ({ name, description, parameters }));
  expect(countTokens(JSON.stringify(told))).toBeLessThanOrEqual(2_200);
});
