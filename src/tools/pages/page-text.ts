/** Formats content for a reader, with the ids and handles that edits use. */
import type { Block, PageText, Provenance } from '../../world/index.ts';

/** Canonical is the usual lifecycle; any other is shown. */
export const formatStatus = ({ lifecycle, origin, revision }: Provenance): string =>
  `${lifecycle}, ${origin}, revision ${revision}`;

const formatMark = ({ id, lifecycle }: Block): string =>
  lifecycle === 'Canonical' ? `[${id}]` : `[${id} ${lifecycle}]`;

export function formatBlock(block: Block): string {
  return `${formatMark(block)}\n${block.text.replace(/\r?\n$/, '')}`;
}

/**
 * Each block begins with its handle, since a page can be long; the lifecycle of a block is shown if it differs from
 * that of the page.
 */
function formatPageBlock({ handle, lifecycle, text }: Block, page: PageText): string {
  const mark = lifecycle === page.lifecycle ? handle : `${handle} (${lifecycle}):`;
  // If the block before has no line end, the separator is at the beginning of this block.
  return `${mark} ${text.replace(/^(?:\r?\n)+|\r?\n$/g, '')}`;
}

/** Whether the lines for path, tags and aliases already contain the property. */
function isRedundant(name: string, value: unknown, { path, tags, aliases }: PageText): boolean {
  const values = (Array.isArray(value) ? value : typeof value === 'string' ? value.split(/[\s,]+/) : [])
    .map((part) => String(part).replace(/^#/, ''))
    .filter((part) => part !== '');
  switch (name.toLowerCase()) {
    case 'tags':
    case 'aliases':
      return true;
    case 'tag':
      return values.every((part) => tags.includes(part));
    case 'alias':
      return aliases.includes(String(value)) || values.every((part) => aliases.includes(part));
    case 'title':
      return value === path.slice(path.lastIndexOf('/') + 1);
    default:
      return false;
  }
}

export function formatPage(page: PageText): string {
  const others = Object.entries(page.properties).filter(([name, value]) => !isRedundant(name, value, page));
  const properties = JSON.stringify(Object.fromEntries(others));
  return [
    `${page.path} [${page.id}] ${formatStatus(page)}`,
    ...(page.tags.length > 0 ? [`tags: ${page.tags.join(', ')}`] : []),
    ...(page.aliases.length > 0 ? [`aliases: ${page.aliases.join(', ')}`] : []),
    ...(properties === '{}' ? [] : [`properties: ${properties}`]),
    ...(page.flags > 0 ? [`to be looked at again: ${page.flags}`] : []),
    ...(page.deviations > 0 ? [`open deviations: ${page.deviations}`] : []),
    ...page.blocks.filter(({ kind }) => kind !== 'blank').map((block) => formatPageBlock(block, page)),
  ].join('\n');
}
