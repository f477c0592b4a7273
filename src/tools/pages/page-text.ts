/** The text that shows content to a reader, with the ids and handles that edits use. */
import type { Block, PageText, Provenance } from '../../world/index.ts';

/** Canonical is the usual lifecycle; any other is shown. */
export const standingOf = ({ lifecycle, origin, revision }: Provenance): string =>
  `${lifecycle}, ${origin}, revision ${revision}`;

const markOf = ({ id, lifecycle }: Block): string =>
  lifecycle === 'Canonical' ? `[${id}]` : `[${id} ${lifecycle}]`;

export function blockText(block: Block): string {
  return `${markOf(block)}\n${block.text.replace(/\r?\n$/, '')}`;
}

/**
 * Each block begins with its handle, since a page can be long; the lifecycle of a block is shown if it differs from
 * that of the page.
 */
function blockOfPage({ handle, lifecycle, text }: Block, page: PageText): string {
  const mark = lifecycle === page.lifecycle ? handle : `${handle} (${lifecycle}):`;
  // If the block before has no line end, the separator is at the beginning of this block.
  return `${mark} ${text.replace(/^(?:\r?\n)+|\r?\n$/g, '')}`;
}

/** Whether the lines for path, tags and aliases already say what the property says. */
function isSaid(name: string, value: unknown, { path, tags, aliases }: PageText): boolean {
  const values = (Array.isArray(value) ? value : typeof value === 'string' ? value.split(/[\s,]+/) : [])
    .map((one) => String(one).replace(/^#/, ''))
    .filter((one) => one !== '');
  switch (name.toLowerCase()) {
    case 'tags':
    case 'aliases':
      return true;
    case 'tag':
      return values.every((one) => tags.includes(one));
    case 'alias':
      return aliases.includes(String(value)) || values.every((one) => aliases.includes(one));
    case 'title':
      return value === path.slice(path.lastIndexOf('/') + 1);
    default:
      return false;
  }
}

export function pageText(page: PageText): string {
  const others = Object.entries(page.properties).filter(([name, value]) => !isSaid(name, value, page));
  const properties = JSON.stringify(Object.fromEntries(others));
  return [
    `${page.path} [${page.id}] ${standingOf(page)}`,
    ...(page.tags.length > 0 ? [`tags: ${page.tags.join(', ')}`] : []),
    ...(page.aliases.length > 0 ? [`aliases: ${page.aliases.join(', ')}`] : []),
    ...(properties === '{}' ? [] : [`properties: ${properties}`]),
    ...(page.flags > 0 ? [`to be looked at again: ${page.flags}`] : []),
    ...(page.deviations > 0 ? [`open deviations: ${page.deviations}`] : []),
    ...page.blocks.filter(({ kind }) => kind !== 'blank').map((block) => blockOfPage(block, page)),
  ].join('\n');
}
