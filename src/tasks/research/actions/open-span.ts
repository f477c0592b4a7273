import { z } from 'zod';
import { type Collected, evidenceLines } from '../collect.ts';
import { type ActionOutcome, action } from './action.ts';
import { count, whole } from './bounds.ts';

export const openSpan = action({
  name: 'open_span',
  about: `Reads lines of a file (up to ${evidenceLines} at once) and keeps them as evidence. Use it to read around a hit, or to see evidence again that is listed without its text.`,
  input: z.object({
    file_path: z.string().describe('Path relative to the root, as evidence names it'),
    start_line: z.coerce.number().describe('First line, from 1'),
    end_line: z.coerce.number().describe('Last line, included'),
  }),
  available: () => true,
  async run({ file_path, start_line, end_line }, { held, collect }) {
    const path = file_path.trim().replace(/^(?:\.\/)+/, '');
    const start = whole(start_line, 1, Number.MAX_SAFE_INTEGER);
    const end = whole(end_line, 1, Number.MAX_SAFE_INTEGER);
    if (end < start)
      return { kind: 'failed', message: `Lines ${start}-${end} run backwards: the first line comes first.` };
    const read = async (file: string) =>
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
    const asked = await read(path);
    if (asked.evidence.length > 0) return done(asked, end);
    // A name without its folders means the file that was found, where there is only one such.
    const meant = [...new Set(held.map((item) => item.file_path).filter((one) => one.endsWith(`/${path}`)))];
    const [only, ...others] = meant;
    if (only !== undefined && others.length === 0) {
      const found = await read(only);
      const notes = [`${path} was read as ${only}`, ...found.notes];
      if (found.evidence.length > 0) return done({ ...found, notes }, end);
    }
    const hint = meant.length > 1 ? ` It may be ${meant.slice(0, 5).join(' or ')}.` : '';
    return { kind: 'failed', message: `${asked.notes[0] ?? `${path} gave no lines.`}${hint}` };
  },
});

function done({ evidence, notes }: Collected, end: number): ActionOutcome {
  const lines = evidence.reduce((sum, item) => sum + item.end_line - item.start_line + 1, 0);
  const last = evidence.at(-1)?.end_line ?? 0;
  const short = last < end && !notes.some((note) => note.includes(' was read') && note.includes(' of '));
  return {
    kind: 'done',
    summary: `read ${count(lines, 'line')}`,
    text: '',
    evidence,
    // A file that ends sooner was read whole.
    completeness: last < end && !short ? 'partial' : 'complete',
    notes: short ? [...notes, `the file ends at line ${last}`] : notes,
  };
}
