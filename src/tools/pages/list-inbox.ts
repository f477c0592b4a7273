import { z } from 'zod';
import { clipLine, done, formatCount } from '../../catalogue/index.ts';
import type { InboxItem, World } from '../../world/index.ts';
import { formatDeviation } from './deviation-line.ts';
import { limit } from './fields.ts';
import { pageEntry, partialIf } from './page-entry.ts';
import { recordIfAuthor } from './record-shown.ts';

export const listInbox = pageEntry({
  name: 'list_inbox',
  description:
    'What waits for the author: candidates, deviations (writes in conflict), flags (content to look at again); or settled deviations.',
  parameters: z.object({
    kind: z.enum(['candidate', 'deviation', 'flag', 'settled']).optional(),
    limit: limit(30, 200),
  }),
  capability: 'PagesRead',
  effect: 'read',
  cost: 'some ms; the size of what waits',
  run({ kind, limit }, { ports: { world }, call: { caller } }) {
    if (kind === 'settled') return listSettled(world, limit);
    const all = world
      .inbox(Number.MAX_SAFE_INTEGER)
      .filter((item) => kind === undefined || item.kind === kind);
    const items = all.slice(0, limit);
    const lines = items.map(formatItem);
    const data = { items, waiting: all.length };
    recordIfAuthor(world, caller, items, [lines, data]);
    return done({
      summary: `${all.length} waiting`,
      lines,
      nothing: 'Nothing waits.',
      data,
      completeness: partialIf(all.length > limit),
      asides:
        all.length > limit
          ? [`${formatCount(all.length - limit, 'item')} more: a larger limit lists them`]
          : [],
    });
  },
});

/** Newest first. */
function listSettled(world: World, limit: number) {
  const settled = (['resolved', 'dismissed'] as const).flatMap((status) => world.deviations({ status }));
  const all = settled.toSorted((a, b) => b.created_at - a.created_at);
  const deviations = all.slice(0, limit);
  return done({
    summary: formatCount(all.length, 'settled deviation'),
    lines: deviations.map(formatDeviation),
    nothing: 'None was settled.',
    data: { deviations },
    completeness: partialIf(all.length > limit),
  });
}

const formatItem = ({ kind, id, path, revision, at, note }: InboxItem): string =>
  clipLine(
    `${kind} ${id} revision ${revision} of ${path}, ${new Date(at).toISOString()}${note === '' ? '' : `: ${note.replace(/\s+/g, ' ')}`}`,
  );
