import type { PageSearchOptions } from './open-page-search.ts';
import type { PageSearch } from './page-search.ts';

/** Opens the search over pages. The room that indexes is loaded only then: most uses of a world need none. */
export async function loadPageSearch(options: PageSearchOptions): Promise<PageSearch> {
  const { openPageSearch } = await import('./open-page-search.ts');
  return openPageSearch(options);
}
