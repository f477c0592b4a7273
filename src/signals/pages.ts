/** Lists in pages: read until their end, until there is enough, or until the most pages were read. */
import type { SignalFailure } from '../core/index.ts';

export interface Page<Item, Cursor> {
  readonly kind: 'page';
  readonly items: readonly Item[];
  /** Where the next page begins; null after the last one. */
  readonly next: Cursor | null;
}

export interface Pages<Item> {
  readonly kind: 'pages';
  readonly items: readonly Item[];
  /** False if there is more than was read. */
  readonly whole: boolean;
  /** Why the rest is missing, unless the limit cut it. */
  readonly notes: readonly string[];
}

/** The first page has the cursor null. What was read before a page failed is kept, and the failure told. */
export async function readPages<Item, Cursor>(
  max: number,
  readPage: (cursor: Cursor | null) => Promise<Page<Item, Cursor> | SignalFailure>,
  enough: (items: readonly Item[]) => boolean = () => false,
): Promise<Pages<Item> | SignalFailure> {
  const items: Item[] = [];
  let cursor: Cursor | null = null;
  for (let count = 0; count < max; count++) {
    const page: Page<Item, Cursor> | SignalFailure = await readPage(cursor);
    if (page.kind === 'failure') {
      if (count === 0) return page;
      const read = items.length === 0 ? 'Not all' : `Only the first ${items.length}`;
      const notes = [`${read} could be read: ${page.message}`];
      return { kind: 'pages', items, whole: false, notes };
    }
    items.push(...page.items);
    cursor = page.next;
    if (cursor === null) return { kind: 'pages', items, whole: true, notes: [] };
    if (enough(items)) break;
  }
  return { kind: 'pages', items, whole: false, notes: [] };
}

/** The address of the next page in the header `link`, as GitHub and Sentry send it; null if there is none. */
export function nextLink(headers: Headers): URL | null {
  for (const part of (headers.get('link') ?? '').split(/,\s*(?=<)/)) {
    const [, address = '', marks = ''] = /^<([^>]*)>(.*)$/.exec(part.trim()) ?? [];
    // Sentry always names a next page, and says whether there is anything on it.
    if (/rel="next"/.test(marks) && !/results="false"/.test(marks)) return URL.parse(address);
  }
  return null;
}
