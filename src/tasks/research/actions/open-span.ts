import { z } from 'zod';
import { evidenceLines } from '../collect.ts';
import { action } from './action.ts';
import { count, whole } from './bounds.ts';

export const openSpan = action({
  name: 'open_span',
  about: `Reads lines of a file (up to ${evidenceLines} at once) and keeps them as evidence. Use it to read around a hit, or to see evidence again that is listed without its text.`,
  input: z.object({
    file_path: z.string().describe('Path relative to the root, as evidence names it'),
    start_line: z.number().describe('First line, from 1'),
    end_line: z.number().describe('Last line, included'),
  }),
  available: () => true,
  async run({ file_path, start_line, end_line }, { held, collect }) {
    const path = file_path.trim().replace(/^(?:\.\/)+/, '');
    const start = whole(start_line, 1, Number.MAX_SAFE_INTEGER);
    const end = whole(end_line, 1, Number.MAX_SAFE_INTEGER);
    if (end < start)
      return { kind: 'failed', message: `Lines ${start}-${end} run backwards: the first line comes first.` };
    const commit = held.find((item) => item.file_path === path && path.startsWith('commit:'));
    const { evidence, notes } = await collect([
      {
        path,
        start,
        end,
        reason: 'opened',
        provenance: commit === undefined ? 'manual' : 'git',
        // Text of a commit that was found in scope may be read on; nobody else's.
        ...(commit !== undefined && { commit: commit.commit, touches: [] }),
      },
    ]);
    const [read] = evidence;
    if (read === undefined) return { kind: 'failed', message: notes[0] ?? `${path} gave no lines.` };
    return {
      kind: 'done',
      summary: `read ${count(read.end_line - read.start_line + 1, 'line')}`,
      text: '',
      evidence,
      completeness: notes.length > 0 || read.end_line < end ? 'partial' : 'complete',
      notes: notes.length > 0 || read.end_line >= end ? notes : [`the file ends at line ${read.end_line}`],
    };
  },
});
