import type { PageSearchOptions } from './open-page-search.ts';
import type { PageSearch } from './page-search.ts';

/** Loads and opens the search over pages: most uses of a world don't need its code. */
export async function loadPageSearch(options: PageSearchOptions): Promise<PageSearch> {
  const { openPageSearch } = await import('./open-page-search.ts');
  return openPageSearch(options);
}
