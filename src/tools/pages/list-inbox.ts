import { z } from 'zod';
import { clipped, count, done } from '../../catalogue/index.ts';
import type { InboxItem } from '../../world/index.ts';
import { limit } from './fields.ts';
import { pageEntry, partialIf } from './page-entry.ts';
import { keepIfAuthors } from './shown-to-author.ts';

export const listInbox = pageEntry({
  name: 'list_inbox',
  description:
    'What waits for the author: candidates, writes in conflict (deviations), and content to be looked at again.',
  parameters: z.object({
    kind: z.enum(['candidate', 'deviation', 'flag']).optional(),
    limit: limit(30, 200),
  }),
  capability: 'PagesRead',
  effect: 'read',
  cost: 'some ms; the size of what waits',
  run({ kind, limit }, { ports: { world }, call: { caller } }) {
    const all = world
      .inbox(Number.MAX_SAFE_INTEGER)
      .filter((item) => kind === undefined || item.kind === kind);
    const items = all.slice(0, limit);
    const lines = items.map(itemLine);
    const data = { items, waiting: all.length };
    keepIfAuthors(world, caller, items, [lines, data]);
    return done({
      summary: `${all.length} waiting`,
      lines,
      nothing: 'Nothing waits.',
      data,
      completeness: partialIf(all.length > limit),
      asides:
        all.length > limit ? [`${count(all.length - limit, 'item')} more: a larger limit lists them`] : [],
    });
  },
});

const itemLine = ({ kind, id, path, revision, at, note }: InboxItem): string =>
  clipped(
    `${kind} ${id} revision ${revision} of ${path}, ${new Date(at).toISOString()}${note === '' ? '' : `: ${note.replace(/\s+/g, ' ')}`}`,
  );
