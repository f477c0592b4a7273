import { afterAll, describe, expect, it } from 'vitest';
import { scriptedMemory } from '../../../memory/scripted.ts';
import { countTokens } from '../../../model/index.ts';
import { capabilitySet, capabilitySets, openToolHost, type ToolListing } from '../../../tools/index.ts';
import { memoryWorld } from '../../../world/scripted.ts';
import { hostTools } from '../../host/host.ts';
import { listOfferedTools } from './offered-tools.ts';

const world = memoryWorld({ Plan: 'We launch.\n' });
afterAll(() => world.close());
const nothing = () => Promise.reject(new Error('nothing is looked at here'));
const memory = scriptedMemory();
const parts = { world, pages: nothing, memory: async () => memory, sandbox: nothing, code: nothing };
const host = openToolHost({ tools: await hostTools(parts), workspace: world.workspace });
const caller = { kind: 'agent', name: 'planner', device: 'test', thread: 't1', channel: null } as const;

const shownToPrograms = ({ forPrograms, parameters }: ToolListing): readonly string[] =>
  forPrograms === true ? Object.keys((parameters['properties'] ?? {}) as object) : (forPrograms ?? []);
const properties = ({ parameters }: ToolListing) =>
  Object.entries(
    (parameters['properties'] ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  );

describe.each(Object.keys(capabilitySets))('the tools of a conversation that holds %s', (set) => {
  const capabilities = capabilitySet(set);
  const offered = listOfferedTools(host.list(), capabilities);

  it('are those that it would not be refused, and that are not for programs alone', async () => {
    const names = new Set(offered.map(({ name }) => name));
    for (const { name, forPrograms } of host.list()) {
      const call = { caller, capabilities, idempotencyKey: null, readTrail: [] };
      // Enough for the one that asks who it is after its arguments.
      const result = await host.callTool(
        name,
        name === 'promote_to_canonical' ? { content: 'Plan' } : {},
        call,
      );
      const refused = !result.ok && result.error.code === 'capability';
      expect([name, names.has(name)]).toEqual([name, !refused && forPrograms !== true]);
    }
  });

  it('take what they take of every client but for what programs set, in fewer words', () => {
    for (const tool of offered) {
      const listed = host.list().find(({ name }) => name === tool.name)!;
      const hidden = shownToPrograms(listed);
      const required = (listed.parameters['required'] ?? []) as readonly string[];
      expect(tool.parameters['required'] ?? []).toEqual(required);
      expect(required.filter((name) => hidden.includes(name))).toEqual([]);
      const plain = (of: ToolListing) =>
        properties(of)
          .filter(([name]) => !hidden.includes(name))
          .map(([name, { description: _, minimum: __, default: ___, ...rest }]) => [name, rest]);
      expect(plain(tool)).toEqual(plain(listed));
    }
    const said = offered.flatMap((tool) =>
      properties(tool).flatMap(([, { description }]) => (description === undefined ? [] : [description])),
    );
    expect(new Set(said).size).toBe(said.length);
    const all = host.list().flatMap((tool) => {
      if (!offered.some((one) => one.name === tool.name)) return [];
      const hidden = shownToPrograms(tool);
      return properties(tool).flatMap(([name, { description }]) =>
        description === undefined || hidden.includes(name) ? [] : [description],
      );
    });
    expect(new Set(said)).toEqual(new Set(all));
  });
});

it('what is for programs is taken from a planner as well', async () => {
  const call = { caller, capabilities: capabilitySet('agent'), idempotencyKey: null, readTrail: [] };
  for (const [name, args] of [
    ['list_deviations', {}],
    ['read_page', { page: 'Plan', view: 'canonical' }],
    ['search_memory', { query: 'tea', k: 3 }],
  ] as const)
    expect(await host.callTool(name, args, call)).toMatchObject({ ok: true });
});

it('of the agent over pages alone fit into 1,770 tokens', () => {
  const code = new Set([
    'hybrid_search',
    'open_span',
    'grep',
    'find_definition',
    'git_log',
    'git_blame',
    'git_pickaxe',
    'git_show',
    'find_references',
    'find_impact',
    'outline',
    'trace_path',
    'hover',
    'list_tree',
    'expand_symbol',
  ]);
  const listed = host.list().filter(({ name }) => !code.has(name));
  const shown = listOfferedTools(listed, capabilitySet('agent'));
  const told = shown.map(({ name, description, parameters }) => ({ name, description, parameters }));
  expect(countTokens(JSON.stringify(told))).toBeLessThanOrEqual(1_770);
});
