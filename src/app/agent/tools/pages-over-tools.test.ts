/** What research and investigations are told of the pages: nothing of the form in which the tools handed it over. */

import { afterEach, expect, it } from 'vitest';
import { scriptedMemory } from '../../../memory/scripted.ts';
import {
  capabilitySet,
  connectInMemory,
  memoryTools,
  openToolHost,
  pageTools,
} from '../../../tools/index.ts';
import { memoryWorld } from '../../../world/scripted.ts';
import { pagesOverTools } from './pages-over-tools.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Each page is found by each search, in order. */
async function pages(count: number, lines: number, notes: readonly string[] = []) {
  const world = memoryWorld(
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [`P${n}`, `${`Line of ${n}.\n\n`.repeat(lines)}`]),
    ),
  );
  closing.push(() => world.close());
  const asked: string[] = [];
  const search = {
    search: async ({ query, k = 10 }: { readonly query: string; readonly k?: number }) => {
      asked.push(query);
      const hits = Array.from({ length: Math.min(count, k) }, (_, n) => {
        const { id, path, title } = world.page(`P${n}`)!;
        const blocks = world.read(id, 'all')!.blocks.map((block) => block.id);
        const told = {
          lifecycle: 'Canonical',
          found_in: 'text',
          snippet: 'Line. '.repeat(40),
          score: 1,
        } as const;
        return { page: id, path, title, blocks, ...told, provenance: 'bm25' as const };
      });
      return { hits, completeness: 'complete' as const, notes };
    },
  };
  const memory = scriptedMemory();
  const host = openToolHost({
    tools: [...pageTools({ world, search }), ...memoryTools(() => memory)],
    workspace: world.workspace,
  });
  const caller = { kind: 'agent', name: 'planner', device: 'test', thread: 't1', channel: null } as const;
  const client = await connectInMemory(host, { caller, capabilities: capabilitySet('agent') });
  closing.push(() => client.close());
  return { material: await pagesOverTools(client), client, asked };
}

it('hits that the tool cut are whole, and no note names a tool', async () => {
  const { material, client } = await pages(120, 40, ['2 pages are not searched yet']);
  const told = await client.call({ name: 'search_pages', args: { query: 'line', wide: true, k: 120 } });
  // As the tool has it: of this result a part was cut, and evidence is there for a few.
  expect(told).toMatchObject({ ok: true, notes: expect.arrayContaining([expect.stringMatching(/^Cut: /)]) });
  const reply = await material.search.search({ query: 'line', wide: true, k: 121 });
  expect(reply.hits).toHaveLength(120);
  expect(reply).toMatchObject({ completeness: 'complete', notes: ['2 pages are not searched yet'] });
});

it('a question that is longer than the tool takes is searched for by its beginning', async () => {
  const { material, asked } = await pages(1, 1);
  const { hits } = await material.search.search({ query: `why ${'and then '.repeat(1_000)}` });
  expect(hits).toHaveLength(1);
  expect(asked.at(-1)).toMatch(/^why and then/);
});
