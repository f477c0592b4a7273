import { z } from 'zod';
import { done, formatCount } from '../../catalogue/index.ts';
import type { World, WorldEvent } from '../../world/index.ts';
import { limit } from './fields.ts';
import { pageEntry, partialIf } from './page-entry.ts';
import { formatEvent } from './page-history.ts';

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
    const changes = events.map(({ before: _before, after: _after, ...event }) => ({
      ...event,
      pages: listPaths(event.content_ids, world),
    }));
    return done({
      summary: formatCount(events.length, 'change'),
      lines: groupImports(changes).map(formatGroup),
      nothing: 'Nothing changed.',
      data: { changes, head },
      completeness: partialIf(from > after),
      asides: from > after ? [`changes ${after + 1} to ${from} are not listed`] : [],
    });
  },
});

type Change = Omit<WorldEvent, 'before' | 'after'> & { readonly pages: readonly string[] };

/** Groups consecutive writes of one import, shown as one line: an import of a vault may have hundreds of pages. */
function groupImports(changes: readonly Change[]): readonly (readonly Change[])[] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const last = groups.at(-1);
    if (last !== undefined && isOneImport(last.at(-1)!, change)) last.push(change);
    else groups.push([change]);
  }
  return groups;
}

const isOneImport = (change: Change, other: Change): boolean =>
  change.caller_kind === 'import' &&
  change.caller_kind === other.caller_kind &&
  change.caller === other.caller &&
  change.op === other.op;

function formatGroup(group: readonly Change[]): string {
  const [newest, oldest] = [group[0]!, group.at(-1)!];
  if (newest === oldest) return `${formatEvent(newest)}: ${newest.pages.join(', ')}`;
  const { seq, at, op, caller_kind, caller } = newest;
  const since = new Date(oldest.at).toISOString();
  return `${oldest.seq} to ${seq} ${since} to ${new Date(at).toISOString()} ${op} by ${caller_kind} ${caller}: ${group.length} of them, as ${newest.pages.join(', ')}`;
}

/** Paths of the pages that still exist. */
const listPaths = (ids: WorldEvent['content_ids'], world: World): readonly string[] => [
  ...new Set(ids.map((id) => world.page(world.block(id)?.page ?? id)?.path ?? id)),
];
