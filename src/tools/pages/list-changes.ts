import { z } from 'zod';
import { count, done } from '../../catalogue/index.ts';
import type { World, WorldEvent } from '../../world/index.ts';
import { limit } from './fields.ts';
import { pageEntry, partialIf } from './page-entry.ts';
import { eventLine } from './page-history.ts';

export const listChanges = pageEntry({
  name: 'list_changes',
  description: 'Writes to the workspace, newest first, each with the pages that it touched.',
  parameters: z.object({
    after: z.int().min(0).default(0).describe('Number of the last one that you know'),
    limit: limit(30, 200),
  }),
  capability: 'PagesRead',
  effect: 'read',
  cost: 'some ms; 100 bytes a change',
  run({ after, limit }, { ports: { world } }) {
    const head = world.head();
    const from = Math.max(after, head - limit);
    const events = [...world.events(from, limit)].reverse();
    const changes = events.map(({ before: _before, after: _after, ...told }) => ({
      ...told,
      pages: pagesOf(told.content_ids, world),
    }));
    return done({
      summary: count(events.length, 'change'),
      lines: events.map((event, index) => `${eventLine(event)}: ${changes[index]!.pages.join(', ')}`),
      nothing: 'Nothing changed.',
      data: { changes, head },
      completeness: partialIf(from > after),
      asides: from > after ? [`changes ${after + 1} to ${from} are not listed`] : [],
    });
  },
});

/** Paths, of those that are there still. */
const pagesOf = (ids: WorldEvent['content_ids'], world: World): readonly string[] => [
  ...new Set(ids.map((id) => world.page(world.block(id)?.page ?? id)?.path ?? id)),
];
