import { z } from 'zod';
import { done, formatCount } from '../../catalogue/index.ts';
import type { WorldEvent } from '../../world/index.ts';
import { content, findContent, limit } from './fields.ts';
import { pageEntry, partialIf } from './page-entry.ts';

export const pageHistory = pageEntry({
  name: 'page_history',
  description: 'What happened to a page or a block, newest first.',
  parameters: z.object({ content, limit: limit(20, 200) }),
  capability: 'PagesRead',
  effect: 'read',
  cost: 'a few ms; returns each change before and after',
  run({ content, limit }, { ports: { world } }) {
    const events = world.history(findContent(world, content), limit + 1);
    const worldEvents = events.slice(0, limit);
    return done({
      summary: formatCount(worldEvents.length, 'change'),
      lines: worldEvents.map(formatEvent),
      nothing: 'Nothing happened to it.',
      data: { events: worldEvents },
      completeness: partialIf(events.length > limit),
    });
  },
});

export const formatEvent = ({
  seq,
  at,
  op,
  caller_kind,
  caller,
  write_id,
}: Omit<WorldEvent, 'before' | 'after'>): string =>
  `${seq} ${new Date(at).toISOString()} ${op} by ${caller_kind} ${caller} (${write_id})`;
