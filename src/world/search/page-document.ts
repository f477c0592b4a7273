/** Converts pages to documents of the index, and lines of a document back to blocks of the page. */
import type { Block, PageText } from '../world.ts';

/** The extension of a document's path, by which the index recognises Markdown. */
const ending = '.md';

export function toDocumentPath(pagePath: string): string {
  return pagePath + ending;
}

export function toPagePath(path: string): string {
  return path.slice(0, -ending.length);
}

/** The text of a page in the index: a first line of title, aliases, tags and properties, and then the blocks. */
export function toDocumentText(page: PageText): string {
  return `${buildHeadLine(page)}\n${page.blocks.map(({ text }) => endWithNewline(text)).join('')}`;
}

function buildHeadLine({ title, aliases, tags, properties }: PageText): string {
  const values = Object.entries(properties)
    .filter(([name]) => !['aliases', 'alias', 'tags', 'tag'].includes(name))
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .filter((value) => typeof value === 'string');
  return [title, ...aliases, ...tags, ...values].join(' ').replace(/\s+/g, ' ').slice(0, 2_000);
}

function endWithNewline(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/**
 * The blocks that overlap a range of lines of the document (1-based, inclusive). Its first line belongs to no block.
 */
export function findBlocksAt<B extends Pick<Block, 'text'>>(
  blocks: readonly B[],
  start: number,
  end: number,
): readonly B[] {
  let line = 2;
  const touched: B[] = [];
  for (const block of blocks) {
    const lines = countLines(block.text);
    const last = line + lines - 1;
    if (lines > 0 && line <= end && last >= start) touched.push(block);
    line = last + 1;
  }
  return touched;
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return text === '' || text.endsWith('\n') ? count : count + 1;
}
