import { z } from 'zod';
import { done, formatCount } from '../../catalogue/index.ts';
import type { Page } from '../../world/index.ts';
import { limit, tag, under, view } from './fields.ts';
import { pageEntry, partialIf } from './page-entry.ts';

export const listPages = pageEntry({
  name: 'list_pages',
  description: 'Pages by path.',
  parameters: z.object({
    under,
    tag,
    view,
    limit: limit(100, 1000),
    after: z.string().max(1000).optional().describe('Last path that was listed'),
  }),
  capability: 'PagesRead',
  effect: 'read',
  cost: 'some ms; 50 bytes a page',
  run({ under, tag, view, limit, after }, { ports: { world } }) {
    const pages = world.pages({
      view,
      // Asks for one more than is shown, to see whether there are more.
      limit: limit + 1,
      ...(under !== undefined && { under }),
      ...(tag !== undefined && { tag }),
      ...(after !== undefined && { after }),
    });
    const shown = pages.slice(0, limit);
    const cut = pages.length > limit;
    return done({
      summary: formatCount(shown.length, 'page'),
      lines: formatPages(shown),
      nothing: 'No page.',
      data: { pages: shown, next: cut ? shown.at(-1)?.path : null },
      completeness: partialIf(cut),
      asides: cut ? [`there are more; go on with after: ${shown.at(-1)?.path}`] : [],
    });
  },
});

/** One line per page with its path. A state that most pages share is mentioned once. */
function formatPages(pages: readonly Page[]): readonly string[] {
  const counts = Map.groupBy(pages, ({ lifecycle }) => lifecycle);
  const usual = [...counts].toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0];
  if (usual === undefined) return [];
  const lines = pages.map(({ path, lifecycle }) => (lifecycle === usual ? path : `${path} (${lifecycle})`));
  return [counts.size === 1 ? `All ${usual}:` : `${usual}, where nothing else is said:`, ...lines];
}
