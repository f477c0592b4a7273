import { z } from 'zod';
import { done, formatCount } from '../../catalogue/index.ts';
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
      summary: formatCount(events.length, 'change'),
      lines: stretchesIn(changes).map(stretchLine),
      nothing: 'Nothing changed.',
      data: { changes, head },
      completeness: partialIf(from > after),
      asides: from > after ? [`changes ${after + 1} to ${from} are not listed`] : [],
    });
  },
});

type Change = Omit<WorldEvent, 'before' | 'after'> & { readonly pages: readonly string[] };

/** Groups consecutive writes of one import, which a reader sees as one line: a vault has hundreds of pages. */
function stretchesIn(changes: readonly Change[]): readonly (readonly Change[])[] {
  const stretches: Change[][] = [];
  for (const change of changes) {
    const last = stretches.at(-1);
    if (last !== undefined && isOneImport(last.at(-1)!, change)) last.push(change);
    else stretches.push([change]);
  }
  return stretches;
}

const isOneImport = (change: Change, other: Change): boolean =>
  change.caller_kind === 'import' &&
  change.caller_kind === other.caller_kind &&
  change.caller === other.caller &&
  change.op === other.op;

function stretchLine(stretch: readonly Change[]): string {
  const [newest, oldest] = [stretch[0]!, stretch.at(-1)!];
  if (newest === oldest) return `${eventLine(newest)}: ${newest.pages.join(', ')}`;
  const { seq, at, op, caller_kind, caller } = newest;
  const since = new Date(oldest.at).toISOString();
  return `${oldest.seq} to ${seq} ${since} to ${new Date(at).toISOString()} ${op} by ${caller_kind} ${caller}: ${stretch.length} of them, as ${newest.pages.join(', ')}`;
}

/** Paths of the pages that still exist. */
const pagesOf = (ids: WorldEvent['content_ids'], world: World): readonly string[] => [
  ...new Set(ids.map((id) => world.page(world.block(id)?.page ?? id)?.path ?? id)),
];
