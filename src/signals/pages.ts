/** Reads lists in pages: to the end, until there is enough, or up to a maximum number of pages. */
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
  /** False if there are more items than were read. */
  readonly isComplete: boolean;
  /** Why items are missing, unless the maximum number of pages was reached. */
  readonly notes: readonly string[];
}

/** The cursor of the first page is null. If a later page fails, the items before it are returned with a note. */
export async function readPages<Item, Cursor>(
  max: number,
  readPage: (cursor: Cursor | null) => Promise<Page<Item, Cursor> | SignalFailure>,
  isEnough: (items: readonly Item[]) => boolean = () => false,
): Promise<Pages<Item> | SignalFailure> {
  const items: Item[] = [];
  let cursor: Cursor | null = null;
  for (let count = 0; count < max; count++) {
    const page: Page<Item, Cursor> | SignalFailure = await readPage(cursor);
    if (page.kind === 'failure') {
      if (count === 0) return page;
      const read = items.length === 0 ? 'Not all' : `Only the first ${items.length}`;
      const notes = [`${read} could be read: ${page.message}`];
      return { kind: 'pages', items, isComplete: false, notes };
    }
    items.push(...page.items);
    cursor = page.next;
    if (cursor === null) return { kind: 'pages', items, isComplete: true, notes: [] };
    if (isEnough(items)) break;
  }
  return { kind: 'pages', items, isComplete: false, notes: [] };
}

/** The address of the next page in the header `link`, as GitHub and Sentry send it; null if there is none. */
export function nextLink(headers: Headers): URL | null {
  for (const part of (headers.get('link') ?? '').split(/,\s*(?=<)/)) {
    const [, address = '', parameters = ''] = /^<([^>]*)>(.*)$/.exec(part.trim()) ?? [];
    // Sentry always names a next page; `results` says whether it has items.
    if (/rel="next"/.test(parameters) && !/results="false"/.test(parameters)) return URL.parse(address);
  }
  return null;
}
