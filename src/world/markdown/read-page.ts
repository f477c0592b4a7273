import { blocksOf, type Unit, unitsOf } from './blocks.ts';
import { frontMatterOf } from './front-matter.ts';
import { isBlank, linesOf } from './lines.ts';
import type { PageSource } from './markdown.ts';

export function readPage(text: string): PageSource {
  const frontMatter = frontMatterOf(text);
  return Object.freeze({ frontMatter, blocks: blocksOf(text.slice(frontMatter.raw.length)) });
}

export interface PageUnits {
  /** The length of the front matter. */
  readonly front: number;
  /** The units after it, by their position in the whole text. */
  readonly units: readonly Unit[];
}

export function pageUnits(text: string): PageUnits {
  const front = frontMatterOf(text).raw.length;
  const units = unitsOf(text.slice(front));
  return {
    front,
    units: units.map(({ kind, start, end }) => ({ kind, start: start + front, end: end + front })),
  };
}

/**
 * The units of a page as Obsidian reads it, and as programs do that do not know its comments and mathematics. They are
 * the same unless the text has one of these.
 */
export function pageUnitsOfReaders(text: string): readonly PageUnits[] {
  const inObsidian = pageUnits(text);
  const plain = text.replace(/^( {0,3})(?:%%|\$\$)/gm, '$1xx');
  return [inObsidian, plain === text ? inObsidian : pageUnits(plain)];
}

/** A block's text in two parts: its content, and the line end and blank lines after it. */
export function withoutTail(text: string): readonly [string, string] {
  const lines = linesOf(text);
  let last = lines.count - 1;
  while (last >= 0 && isBlank(lines.line(last))) last--;
  if (last < 0) return ['', text];
  const end = lines.start(last) + lines.line(last).length;
  return [text.slice(0, end), text.slice(end)];
}
