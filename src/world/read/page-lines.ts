/**
 * A page as the lines of a text. Search, reading and citations use lines, whatever blocks the lines are in. They are
 * the lines of the whole page with its candidates, as an investigation reads it. For a page without candidates they are
 * the lines of the file that an export writes.
 */
import { type FileText, type LineSpan, textLines } from '../../core/index.ts';
import type { ContentId, PageText } from '../world.ts';

/** The page as the text of a file. */
export function wholeText({ front, blocks }: Pick<PageText, 'front' | 'blocks'>): string {
  return front + blocks.map(({ text }) => text).join('');
}

/** The lines of the page as a file, without a byte order mark. */
export function pageLines(page: Pick<PageText, 'front' | 'blocks'>): FileText {
  return textLines(wholeText(page).replace(/^\uFEFF/, ''));
}

/** The first and last line of some blocks; of the whole page if the blocks have no lines of their own. */
export function spanOfBlocks(page: PageText, wanted: readonly ContentId[]): LineSpan {
  const runs = runsOfBlocks(page, wanted);
  const [first, last] = [runs[0], runs.at(-1)];
  if (first === undefined || last === undefined)
    return { start: 1, end: Math.max(1, newlines(wholeText(page))) };
  return { start: first.start, end: last.end };
}

/** The ranges of lines that contain only these blocks, from the top. */
export function runsOfBlocks({ front, blocks }: PageText, wanted: readonly ContentId[]): readonly LineSpan[] {
  const ids = new Set(wanted);
  const runs: { start: number; end: number }[] = [];
  let open = false;
  let above = newlines(front);
  for (const { id, text } of blocks) {
    const start = above + 1;
    above += newlines(text);
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

function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
