/** Converts pages to documents of the index, and lines of a document back to blocks of the page. */
import type { Block, PageText } from '../world.ts';

/** The ending of a document's path. By it the index splits the document as Markdown. */
const ending = '.md';

export function documentPath(pagePath: string): string {
  return pagePath + ending;
}

export function pagePath(path: string): string {
  return path.slice(0, -ending.length);
}

/** One line of title, aliases, tags and properties, and then the blocks. */
export function pageDocument(page: PageText): string {
  return `${headLine(page)}\n${page.blocks.map(({ text }) => withLineEnd(text)).join('')}`;
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

/** The blocks that lines of the document touch, none for its first line. Lines are 1-based and inclusive. */
export function blocksAt<B extends Pick<Block, 'text'>>(
  blocks: readonly B[],
  start: number,
  end: number,
): readonly B[] {
  let line = 2;
  const touched: B[] = [];
  for (const block of blocks) {
    const lines = lineCount(block.text);
    const last = line + lines - 1;
    if (lines > 0 && line <= end && last >= start) touched.push(block);
    line = last + 1;
  }
  return touched;
}

function lineCount(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return text === '' || text.endsWith('\n') ? count : count + 1;
}
