/** Pages that changed since a time or a turn: each page once, in the order of the last changes. */
import { z } from 'zod';
import { clipLine, done, formatCount } from '../../catalogue/index.ts';
import { SondeError, systemClock } from '../../core/index.ts';
import type { World, WorldEvent } from '../../world/index.ts';
import { limit } from './fields.ts';
import { pageEntry, partialIf } from './page-entry.ts';

/** Maximum events that are read in one step (`step`) and in one call, so that a call ends however long the log is. */
const step = 200;
const maxEvents = 20_000;
/** Maximum changes of a page that are counted. */
const maxCounted = 50;
/** Maximum characters of a listing, which takes a part of a planner's window. */
const maxCharacters = 8_000;

const units = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

interface ChangedPage {
  readonly page: string;
  readonly path: string;
  readonly deleted: boolean;
  /** At most 50 are counted. */
  readonly changes: number;
  readonly seq: number;
  readonly at: number;
  readonly op: string;
  readonly by: string;
}

export const changedSince = pageEntry({
  name: 'changed_since',
  description: 'Pages that changed since a time or a turn, last change first.',
  parameters: z.object({
    since: z
      .string()
      .min(1)
      .max(60)
      .describe('2026-11-22T18:00+01:00, 24h, 7d, or `turn 2`: the second turn before this'),
    before: z.int().min(1).optional(),
    limit: limit(40, 200),
  }),
  capability: 'PagesRead',
  effect: 'read',
  cost: 'some ms; 100 bytes a page',
  async run({ since, before, limit }, { ports: { world, trails }, call: { caller } }) {
    const from =
      parseTime(since, systemClock.now()) ?? (await findTurnTime(since, await trails.listTurns(caller)));
    const { pages, next } = collectChanges(world, { from, before: before ?? world.head() + 1, limit });
    return done({
      summary: formatCount(pages.length, 'page'),
      lines: pages.map(formatChanged),
      nothing: `No page changed since ${new Date(from).toISOString()}${before === undefined ? '' : ` before change ${before}`}.`,
      data: { since: from, pages, next },
      completeness: partialIf(next !== null),
      asides: next === null ? [] : [`there are more: before ${next} goes on`],
    });
  },
});

interface ChangesRange {
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly before: number;
  readonly limit: number;
}

function collectChanges(world: World, { from, before, limit }: ChangesRange) {
  const found = new Map<string, ChangedPage>();
  let characters = 0;
  let looked = 0;
  for (let end = before; end > 1; end = Math.max(1, end - step)) {
    const start = Math.max(0, end - 1 - step);
    const events = world.events(start, end - 1 - start).toReversed();
    for (const event of events) {
      if (event.at < from) return { pages: [...found.values()], next: null };
      const isFull = found.size >= limit || characters > maxCharacters || looked >= maxEvents;
      if (isFull) return { pages: [...found.values()], next: event.seq + 1 };
      looked += 1;
      for (const page of listPages(event, world)) {
        if (found.has(page)) continue;
        const history = world.history(page, maxCounted);
        // A page that changed after the beginning of this listing was in an earlier listing.
        if ((history[0]?.seq ?? 0) >= before) continue;
        const changes = Math.max(1, history.filter(({ at }) => at >= from).length);
        const changed = toChanged(page, changes, event, world);
        characters += formatChanged(changed).length;
        found.set(page, changed);
      }
    }
  }
  return { pages: [...found.values()], next: null };
}

const listPages = ({ content_ids }: WorldEvent, world: World): ReadonlySet<string> =>
  new Set(content_ids.map((id) => world.block(id)?.page ?? id).filter((id) => id.startsWith('pg-')));

function toChanged(
  page: string,
  changes: number,
  { seq, at, op, caller, caller_kind, before }: WorldEvent,
  world: World,
): ChangedPage {
  const current = world.page(page);
  return {
    page,
    path: current?.path ?? before?.[page]?.path ?? page,
    deleted: current === null || current.deleted,
    changes,
    seq,
    at,
    op,
    by: `${caller_kind} ${caller}`,
  };
}

const formatChanged = ({ path, deleted, changes, at, op, by }: ChangedPage): string =>
  clipLine(
    `${path}${deleted ? ' (deleted)' : ''}: ${changes < maxCounted ? formatCount(changes, 'change') : `${maxCounted} changes or more`}, last ${new Date(at).toISOString()} ${op} by ${by}`,
  );

/** Null: the text is not a time. A day without a zone begins at midnight in the zone of this machine. */
function parseTime(since: string, now: number): number | null {
  const [, amount, unit] = /^(\d{1,6})\s*([mhdw])$/.exec(since.trim()) ?? [];
  if (amount !== undefined) return now - Number(amount) * units[unit as keyof typeof units];
  if (!/^\d{4}-\d\d-\d\d/.test(since)) return null;
  const time = Date.parse(/^\d{4}-\d\d-\d\d$/.test(since) ? `${since}T00:00` : since.replace(' ', 'T'));
  return Number.isNaN(time) ? null : time;
}

/** `turns`: the times at which turns began, the latest first; the first is the current one. */
async function findTurnTime(since: string, turns: readonly number[]): Promise<number> {
  const [, back = '1'] = /^turn(?:\s+(\d{1,4}))?$/i.exec(since.trim()) ?? [null];
  const isTurn = /^turn\b/i.test(since.trim());
  const time = isTurn ? turns[Number(back)] : undefined;
  if (time !== undefined) return time;
  throw new SondeError('bad_argument', {
    message: isTurn
      ? `This conversation has ${formatCount(Math.max(0, turns.length - 1), 'earlier turn')}`
      : `since is ${JSON.stringify(since)}, which is no time`,
    remedy: 'Give a time such as 2026-11-22T18:00+01:00, 24h or 7d.',
  });
}
