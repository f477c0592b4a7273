import { z } from 'zod';
import { type Evidence, unescapePath } from '../../core/index.ts';
import { formatCount } from '../bounds.ts';
import { done, type EntryDone, type EntryOutput, failed } from '../entry.ts';
import { codeEntry, filePath, spanData } from './code-ports.ts';

export const openSpan = codeEntry({
  name: 'open_span',
  description:
    'Reads lines of a file. Use it to read around a hit, or to see evidence again that is listed without its text. A long span is cut, and says so.',
  parameters: z.object({
    file_path: filePath.describe('Relative to the root, as evidence names it'),
    start_line: z.int().min(1).default(1).describe('First line, from 1'),
    end_line: z.int().min(1).optional().describe('Last line, included'),
  }),
  capability: 'CodeRead',
  effect: 'read',
  cost: 'some ms; the lines',
  needs: ['text'],
  pieces: { tool: 1, action: 1 },
  asAction: {
    description: 'Reads lines of a file, at most 120 at once.',
    required: ['start_line', 'end_line'],
    undescribed: ['start_line', 'end_line'],
  },
  async run({ file_path, start_line: start, end_line }, { scope, path: pathOf, held, pieceLines, collect }) {
    const path = pathOf(file_path, scope);
    const end = end_line ?? start + pieceLines - 1;
    if (end < start) return failed(`Lines ${start}-${end} run backwards: the first line comes first.`);
    const read = (file: string) =>
      collect([
        {
          path: file,
          start,
          end,
          reason: 'opened',
          ...(file.startsWith('commit:')
            ? { provenance: 'git', commit: file.slice('commit:'.length) }
            : { provenance: 'manual' }),
        },
      ]);
    const found = await read(path);
    if (found.evidence.length > 0) return toSpanResult(found, end, end_line !== undefined);
    // The path may be escaped, as a page shows it, or be the end of the path of one file that a search found.
    const escaped = unescapePath(path);
    const meant =
      escaped === path
        ? [...new Set(held.map((item) => item.file_path).filter((one) => one.endsWith(`/${path}`)))]
        : [escaped];
    const [only, ...others] = meant;
    if (only !== undefined && others.length === 0) {
      const other = await read(only);
      const notes = [`${path} was read as ${only}`, ...other.notes];
      if (other.evidence.length > 0) return toSpanResult({ ...other, notes }, end, end_line !== undefined);
    }
    const hint = meant.length > 1 ? ` It may be ${meant.slice(0, 5).join(' or ')}.` : '';
    return failed(`${found.notes[0] ?? `${path} gave no lines.`}${hint}`);
  },
});

/** `named`: the caller gave the end. If the file ends before it, a note says so. */
function toSpanResult({ evidence, notes, cut }: EntryOutput, end: number, named: boolean): EntryDone {
  const lines = evidence.reduce((sum, item) => sum + item.end_line - item.start_line + 1, 0);
  const [first] = evidence;
  const last = (evidence.at(-1) as Evidence).end_line;
  return done({
    summary: `read ${formatCount(lines, 'line')}`,
    data: spanData(first as Evidence),
    evidence,
    // A file that ends before the given end was read whole.
    completeness: cut ? 'partial' : 'complete',
    notes: last < end && !cut && named ? [...notes, `the file ends at line ${last}`] : notes,
  });
}
