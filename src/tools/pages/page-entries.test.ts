/** What every ability over pages and memory holds to, as those over files do. */

import { describe, expect, it } from 'vitest';
import { entryContract } from '../../catalogue/entry.contract.ts';
import { scriptedMemory } from '../../memory/scripted.ts';
import { memoryWorld } from '../../world/scripted.ts';
import { capabilitySet } from '../capability-sets.ts';
import { memoryEntries } from '../memory/memory-tools.ts';
import { noRunTrails } from '../run-trails.ts';
import { scriptedPageSearch } from '../scripted-page-search.ts';
import { createCall } from '../testbed/plain-tools.ts';
import { pageEntries } from './page-entries.ts';
import type { PageContext } from './page-entry.ts';

const plan = 'Plan';
const call = createCall({
  caller: { kind: 'user', name: 'ann', device: 'test', thread: 't1', channel: null },
  capabilities: capabilitySet('owner'),
});

/** `#` stands for the handle of the block. */
const argsOf: Readonly<Record<string, object>> = {
  search_pages: { query: 'launch' },
  read_page: { page: plan },
  read_block: { block: '#' },
  list_pages: {},
  list_tags: {},
  get_backlinks: { page: plan },
  page_history: { content: plan },
  create_page: { path: 'New', text: 'New.' },
  update_block: { block: '#', text: 'In June.' },
  update_page: { page: plan, text: 'In June.' },
  add_block: { page: plan, text: 'More.', after: null },
  delete_block: { block: '#' },
  set_properties: { page: plan, set: { a: 1 } },
  add_derivation_link: { derived: plan, source: 'Budget' },
  move_page: { page: plan, to: 'Old/Plan' },
  rename_page: { page: plan, name: 'Aim' },
  delete_page: { page: plan },
  add_tag: { content: plan, tag: 'x' },
  promote_to_canonical: { content: 'Idea' },
  list_deviations: {},
  resolve_deviation: { deviation: 'dv', decision: 'keep' },
  list_inbox: {},
  list_changes: {},
  changed_since: { since: '2020-01-01' },
};

function pages(): PageContext {
  const world = memoryWorld({ Plan: 'In May.\n\nSee [[Budget]].\n', Budget: 'Ten.\n' });
  const search = scriptedPageSearch([{ page: world.page(plan)!.id, path: plan, snippet: 'In May.' }]);
  return { ports: { world, search, trails: noRunTrails }, call };
}

// Of these two something else has to be there first: see pages.test.ts.
const later = new Set(['promote_to_canonical', 'resolve_deviation']);

describe('abilities over pages', () => {
  let block = '';
  const cases = pageEntries
    .filter(({ name }) => !later.has(name))
    .map((entry) => ({
      entry: {
        ...entry,
        run: (args: Readonly<Record<string, unknown>>, context: PageContext) => {
          const { world } = context.ports;
          block = world.read(world.page(plan)?.id ?? '', 'all')?.blocks[0]?.handle ?? block;
          const named = Object.entries(args).map(([name, value]) => [name, value === '#' ? block : value]);
          return entry.run(Object.fromEntries(named), context);
        },
      },
      args: { ...argsOf[entry.name] },
    }));
  entryContract(cases, pages);

  it('are each under a name of its own, and each is tried', () => {
    expect(new Set(pageEntries.map(({ name }) => name)).size).toBe(pageEntries.length);
    expect(Object.keys(argsOf).sort()).toEqual(pageEntries.map(({ name }) => name).sort());
  });

  it('that write say what their sources are, or that they have none', () => {
    for (const { effect, derivation } of pageEntries)
      if (effect === 'read') expect(derivation).toBe(undefined);
  });
});

describe('abilities over memory', () => {
  const argsOfMemory: Readonly<Record<string, object>> = {
    get_memory: {},
    put_memory: { tier: 'workspace', key: 'k', text: 'x' },
    search_memory: { query: 'x' },
    forget_memory: { tier: 'workspace', key: 'k' },
  };
  entryContract(
    memoryEntries.map((entry) => ({ entry, args: { ...argsOfMemory[entry.name] } })),
    () => {
      const memory = scriptedMemory();
      return { ports: { open: () => memory }, call };
    },
  );
});
