import { splitBlocks, splitUnits, type Unit } from './blocks.ts';
import { parseFrontMatter } from './front-matter.ts';
import { isBlank, splitLines } from './lines.ts';
import type { PageSource } from './markdown.ts';

export function readPage(text: string): PageSource {
  const frontMatter = parseFrontMatter(text);
  return Object.freeze({ frontMatter, blocks: splitBlocks(text.slice(frontMatter.raw.length)) });
}

export interface PageUnits {
  /** The length of the front matter. */
  readonly front: number;
  /** The units after it, with offsets in the whole text. */
  readonly units: readonly Unit[];
}

export function splitPageUnits(text: string): PageUnits {
  const front = parseFrontMatter(text).raw.length;
  const units = splitUnits(text.slice(front));
  return {
    front,
    units: units.map(({ kind, start, end }) => ({ kind, start: start + front, end: end + front })),
  };
}

/**
 * The units of a page as Obsidian parses it, and as programs parse it that don't know Obsidian's comments and
 * formulas.
 */
export function splitUnitsByReaders(text: string): readonly PageUnits[] {
  const inObsidian = splitPageUnits(text);
  const plain = text.replace(/^( {0,3})(?:%%|\$\$)/gm, '$1xx');
  return [inObsidian, plain === text ? inObsidian : splitPageUnits(plain)];
}

/** Splits a block's text into its content, and the line end and blank lines after it. */
export function splitTail(text: string): readonly [string, string] {
  const lines = splitLines(text);
  let last = lines.count - 1;
  while (last >= 0 && isBlank(lines.line(last))) last--;
  if (last < 0) return ['', text];
  const end = lines.start(last) + lines.line(last).length;
  return [text.slice(0, end), text.slice(end)];
}
