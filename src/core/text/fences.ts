/** Fenced blocks of Markdown. */

const fence = /^\s*(`{3,}|~{3,})/;

/** The signs that open a block in this line; null for none. */
export const fenceOf = (line: string): string | null => fence.exec(line)?.[1] ?? null;

const closing = /^\s*(`{3,}|~{3,})[ \t]*(?:[[(【]\s*\^?`?ev-.*|\[unsupported\].*)?$/;

/**
 * The line is nothing but signs of the kind that opened the block, at least as many. Markers of evidence may follow:
 * models put them there, though Markdown would not end the block.
 */
export const closesFence = (open: string, line: string): boolean =>
  closing.exec(line)?.[1]?.startsWith(open) ?? false;

export interface FencedBlock {
  readonly start: number;
  /** The end of its closing signs, or of the text; exclusive. */
  readonly end: number;
  readonly sign: string;
  readonly isClosed: boolean;
}

export function fencedBlocks(text: string): readonly FencedBlock[] {
  if (!text.includes('```') && !text.includes('~~~')) return [];
  const blocks: FencedBlock[] = [];
  let open: { readonly start: number; readonly sign: string } | null = null;
  let at = 0;
  for (const line of text.split('\n')) {
    const end = at + line.length;
    const sign: string | null = open === null ? fenceOf(line) : null;
    if (sign !== null) open = { start: at, sign };
    else if (open !== null && closesFence(open.sign, line)) {
      blocks.push({ ...open, end: at + line.lastIndexOf(open.sign) + open.sign.length, isClosed: true });
      open = null;
    }
    at = end + 1;
  }
  return open === null ? blocks : [...blocks, { ...open, end: text.length, isClosed: false }];
}
