/** A page as a document of the index, and the way back from lines of the document to blocks of the page. */
import { linksOf } from '../markdown/index.ts';
import type { Block, Link, PageText, World } from '../world.ts';

/** What building a document asks of a world. */
export type PageGround = Pick<World, 'block' | 'backlinks'>;

/** The ending says that it is cut as Markdown. */
const ending = '.md';

export function documentPath(pagePath: string): string {
  return pagePath + ending;
}

export function pagePath(path: string): string {
  return path.slice(0, -ending.length);
}

/** A heading without a word: what follows is a part of its own, and no query finds it by its name. */
const divider = '# ↩';

/** Lines that other pages say about one: more are of little use, and a page may have thousands. */
const mostMentions = 200;
const longestMention = 500;
/** Back links looked at for them. */
const mostBacklinks = 1_000;

/**
 * One line of title, aliases, tags and properties; the blocks; and then, since a page is also what others say of it,
 * the lines in which other pages link here. That last part finds the target of a link that was taken out of its line
 * 1.06 to 1.2 times as often (bench/pages.ts).
 */
export function pageDocument(page: PageText, ground: PageGround): string {
  const body = page.blocks.map(({ text }) => withLineEnd(text)).join('');
  const mentions = mentionsOf(page, ground);
  return `${headLine(page)}\n${body}${mentions.length === 0 ? '' : `${divider}\n${mentions.join('\n')}\n`}`;
}

function headLine({ title, aliases, tags, properties }: PageText): string {
  const values = Object.entries(properties)
    .filter(([name]) => !['aliases', 'alias', 'tags', 'tag'].includes(name))
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .filter((value) => typeof value === 'string');
  return [title, ...aliases, ...tags, ...values].join(' ').replace(/\s+/g, ' ').slice(0, 2_000);
}

function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function mentionsOf(page: PageText, { backlinks, block }: PageGround): readonly string[] {
  const lines = new Set<string>();
  const seen = new Set<string>();
  for (const link of backlinks(page.id).slice(0, mostBacklinks)) {
    if (link.from_page === page.id || seen.has(`${link.from} ${link.target}`)) continue;
    seen.add(`${link.from} ${link.target}`);
    const from = block(link.from);
    if (from === null || from.deleted) continue;
    for (const line of linesWith(from.text, link)) lines.add(line);
    if (lines.size >= mostMentions) break;
  }
  return [...lines].sort().slice(0, mostMentions);
}

/** The lines of a text that hold the link, as they are read: without targets and marks. */
function linesWith(text: string, { target }: Pick<Link, 'target'>): string[] {
  const found: string[] = [];
  for (const link of linksOf(text)) {
    if (link.target !== target && link.target + link.fragment !== target) continue;
    const from = text.lastIndexOf('\n', link.start) + 1;
    const end = text.indexOf('\n', link.end);
    const line = text.slice(from, end < 0 ? text.length : end);
    found.push(spoken(line).slice(0, longestMention));
  }
  return found;
}

function spoken(line: string): string {
  return line
    .replace(/!?\[\[([^\]|]*\|)?([^\]]*)\]\]/g, '$2')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^[\s>#*+-]+/, '')
    .replace(/\s+/g, ' ')
    .trim();
}

export interface PlacedBlocks {
  /** In the order of the page; none where the lines are not of the page's own text. */
  readonly blocks: readonly Block[];
  readonly part: 'title' | 'text' | 'links';
}

/** The blocks that lines of the document touch. Lines are 1-based and inclusive. */
export function blocksAt(page: PageText, start: number, end: number): PlacedBlocks {
  let line = 2;
  const touched: Block[] = [];
  for (const block of page.blocks) {
    const lines = lineCount(block.text);
    const last = line + lines - 1;
    if (lines > 0 && line <= end && last >= start) touched.push(block);
    line = last + 1;
  }
  if (touched.length > 0) return { blocks: touched, part: 'text' };
  return { blocks: [], part: start >= line ? 'links' : 'title' };
}

function lineCount(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return text === '' || text.endsWith('\n') ? count : count + 1;
}
