/** Lists in pages. A cursor names the last item of a page, so that new items neither repeat nor skip others. */
import { z } from 'zod';
import { SondeError } from '../../core/index.ts';

const maxItems = 200;

const limit = z.coerce.number().int().min(1).max(maxItems).default(50);
const cursor = z.string().min(1).max(2_000).optional();

/** The query of a list without conditions, and the base of others. */
export const listQuery = z.strictObject({ limit, cursor });

export const pageSchema = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ items: z.array(item), next: z.string().nullable() });

/** Encodes the position of an item. Clients must not interpret the result. */
const encodeCursor = (after: readonly unknown[]): string =>
  Buffer.from(JSON.stringify(after)).toString('base64url');

export function readCursor<Schema extends z.ZodType>(
  text: string | undefined,
  schema: Schema,
): z.output<Schema> | null {
  if (text === undefined) return null;
  try {
    return schema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    throw new SondeError('bad_argument', {
      message: 'The cursor is none that this list gave',
      remedy: 'Give `next` of the answer before as it is, or none to begin anew.',
    });
  }
}

/** Makes a page of at most `limit` items. The caller fetches one more, which shows whether there is a next page. */
export function listPage<Item>(
  items: readonly Item[],
  limit: number,
  toPosition: (last: Item) => readonly unknown[],
): { readonly items: Item[]; readonly next: string | null } {
  const pageItems = items.slice(0, limit);
  const lastItem = pageItems.at(-1);
  return {
    items: pageItems,
    next: items.length > limit && lastItem !== undefined ? encodeCursor(toPosition(lastItem)) : null,
  };
}

const offset = z.tuple([z.number().int().min(0)]);

/** Makes a page of a list that is in memory. Its cursor is the number of items before the next page. */
export function offsetPage<Item>(
  allItems: readonly Item[],
  { limit: count, cursor: text }: z.output<typeof listQuery>,
): { readonly items: Item[]; readonly next: string | null } {
  const [start] = readCursor(text, offset) ?? [0];
  return listPage(allItems.slice(start), count, () => [start + count]);
}

/** For sources that can only return their first items: reads until there are `wanted` items after the cursor. */
export async function readPastCursor<Item>(
  read: (count: number) => readonly Item[] | Promise<readonly Item[]>,
  isPastCursor: (item: Item) => boolean,
  minCount: number,
): Promise<readonly Item[]> {
  for (let count = 2 * maxItems; ; count *= 4) {
    const firstItems = await read(count);
    const itemsPastCursor = firstItems.filter(isPastCursor);
    if (itemsPastCursor.length >= minCount || firstItems.length < count) return itemsPastCursor;
  }
}
