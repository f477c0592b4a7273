/**
 * A page as lines, which search, reading and citations use. They are the lines of the whole page with its candidates.
 * For a page without candidates they are the lines of the exported file.
 */
import { type FileText, type LineSpan, toFileText } from '../../core/index.ts';
import type { ContentId, PageText } from '../world.ts';

/** The page as the text of a file. */
export function joinPageText({ front, blocks }: Pick<PageText, 'front' | 'blocks'>): string {
  return front + blocks.map(({ text }) => text).join('');
}

/** The lines of the page as a file, without a byte order mark. */
export function splitPageLines(page: Pick<PageText, 'front' | 'blocks'>): FileText {
  return toFileText(joinPageText(page).replace(/^\uFEFF/, ''));
}

/** The first and last line of some blocks; those of the whole page if none of the blocks is on it. */
export function findBlockSpan(page: PageText, wanted: readonly ContentId[]): LineSpan {
  const runs = findBlockRuns(page, wanted);
  const [first, last] = [runs[0], runs.at(-1)];
  if (first === undefined || last === undefined)
    return { start: 1, end: Math.max(1, countNewlines(joinPageText(page))) };
  return { start: first.start, end: last.end };
}

/** The ranges of lines of these blocks, from the top; adjacent blocks share a range. */
export function findBlockRuns(
  { front, blocks }: PageText,
  wanted: readonly ContentId[],
): readonly LineSpan[] {
  const ids = new Set(wanted);
  const runs: { start: number; end: number }[] = [];
  let open = false;
  let above = countNewlines(front);
  for (const { id, text } of blocks) {
    const start = above + 1;
    above += countNewlines(text);
    const end = Math.max(start, text.endsWith('\n') ? above : above + 1);
    if (!ids.has(id)) {
      open = false;
      continue;
    }
    if (open) runs.at(-1)!.end = end;
    else runs.push({ start, end });
    open = true;
  }
  return runs;
}

function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
