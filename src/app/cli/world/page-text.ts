/** Pages and links, for people. */
import { plainLine } from '../../../core/index.ts';
import type { Link, PageText, World } from '../../../world/index.ts';

export function pageLines({ front, blocks, lifecycle }: PageText): string {
  // Marks candidate blocks, unless the whole page is a candidate.
  const mark = (block: PageText['blocks'][number]): string =>
    block.lifecycle === 'Candidate' && lifecycle !== 'Candidate'
      ? `<!-- candidate ${block.id} -->\n${block.text}`
      : block.text;
  return (front + blocks.map(mark).join('')).replace(/\s+$/, '');
}

export function linkLines(
  world: World,
  { links, backlinks }: { readonly links: readonly Link[]; readonly backlinks: readonly Link[] },
): string {
  const path = (id: string): string => plainLine(world.page(id)?.path ?? id);
  const there = links.map(({ target, to, kind }) =>
    to === null && kind === 'embed'
      ? `  ${plainLine(target)}`
      : to === null
        ? `  ${plainLine(target)} (no such page)`
        : `  ${plainLine(target)} -> ${path(to)}`,
  );
  const here = [...new Set(backlinks.map(({ from_page }) => `  ${path(from_page)}`))];
  return [`Links: ${links.length}`, ...new Set(there), `Pages that link here: ${here.length}`, ...here].join(
    '\n',
  );
}
