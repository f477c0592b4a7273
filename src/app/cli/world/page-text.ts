/** Formats pages and links for people. */
import { plainLine } from '../../../core/index.ts';
import type { Link, PageText, World } from '../../../world/index.ts';

export function pageText({ front, blocks, lifecycle }: PageText): string {
  // Marks candidate blocks, unless the whole page is a candidate.
  const markCandidate = (block: PageText['blocks'][number]): string =>
    block.lifecycle === 'Candidate' && lifecycle !== 'Candidate'
      ? `<!-- candidate ${block.id} -->\n${block.text}`
      : block.text;
  return (front + blocks.map(markCandidate).join('')).replace(/\s+$/, '');
}

export function linksText(
  world: World,
  { links, backlinks }: { readonly links: readonly Link[]; readonly backlinks: readonly Link[] },
): string {
  const pathOrId = (id: string): string => plainLine(world.page(id)?.path ?? id);
  const linkTexts = links.map(({ target, to, kind }) =>
    to === null && kind === 'embed'
      ? `  ${plainLine(target)}`
      : to === null
        ? `  ${plainLine(target)} (no such page)`
        : `  ${plainLine(target)} -> ${pathOrId(to)}`,
  );
  const backlinkTexts = [...new Set(backlinks.map(({ from_page }) => `  ${pathOrId(from_page)}`))];
  return [
    `Links: ${links.length}`,
    ...new Set(linkTexts),
    `Pages that link here: ${backlinkTexts.length}`,
    ...backlinkTexts,
  ].join('\n');
}
