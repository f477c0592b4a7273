/** Content as a reader is shown it. Ids stand on lines of their own, since edits name them. */
import type { Block, PageText, Provenance } from '../../world/index.ts';

/** Canonical is what is expected; anything else is said. */
export const standingOf = ({ lifecycle, origin, revision }: Provenance): string =>
  `${lifecycle}, ${origin}, revision ${revision}`;

const markOf = ({ id, lifecycle }: Block): string =>
  lifecycle === 'Canonical' ? `[${id}]` : `[${id} ${lifecycle}]`;

export function blockText(block: Block): string {
  return `${markOf(block)}\n${block.text.replace(/\r?\n$/, '')}`;
}

export function pageText(page: PageText): string {
  const properties = JSON.stringify(page.properties);
  return [
    `${page.path} [${page.id}] ${standingOf(page)}`,
    ...(page.tags.length > 0 ? [`tags: ${page.tags.join(', ')}`] : []),
    ...(page.aliases.length > 0 ? [`aliases: ${page.aliases.join(', ')}`] : []),
    ...(properties === '{}' ? [] : [`properties: ${properties}`]),
    ...(page.flags > 0 ? [`to be looked at again: ${page.flags}`] : []),
    ...(page.deviations > 0 ? [`open deviations: ${page.deviations}`] : []),
    ...page.blocks.filter(({ kind }) => kind !== 'blank').map(blockText),
  ].join('\n');
}
