import { z } from 'zod';
import { type FileText, SondeError } from '../../core/index.ts';
import { formatCount } from '../bounds.ts';
import { done, failed } from '../entry.ts';
import { type CodeContext, codeEntry, filePath } from './code-ports.ts';

/** Maximum number of characters that one call returns. */
const maxText = 4_000_000;

export const readText = codeEntry({
  name: 'read_text',
  description: 'The text of a file, or of some of its lines, for code that goes through it.',
  parameters: z.object({
    path: filePath,
    start: z.int().min(1).default(1).describe('First line, from 1'),
    end: z.int().min(1).optional().describe('Last line, included'),
  }),
  capability: 'CodeRead',
  effect: 'read',
  cost: 'some ms; the text',
  needs: ['text'],
  pieces: { tool: 0, action: 0 },
  async run({ path: given, start, end: wanted }, context) {
    const path = context.path(given, context.scope);
    const { lines, content } = await readInScope(path, context);
    const total = lines.length;
    if (start > Math.max(total, 1) || (wanted !== undefined && wanted < start))
      throw new SondeError('span_out_of_range', {
        message: `${path} has ${formatCount(total, 'line')}; ${start} to ${wanted ?? total} are not among them`,
      });
    const end = Math.min(wanted ?? total, total);
    const shown = lines.slice(start - 1, end);
    const text = shown.join('\n');
    if (text.length > maxText)
      return failed(
        `${path}, lines ${start} to ${end}, has ${text.length} characters, where ${maxText} are allowed at once`,
        { remedy: 'Read a part of it: give the lines from start to end.' },
      );
    return done({
      summary: `read ${formatCount(shown.length, 'line')}`,
      lines: shown,
      nothing: 'The file is empty.',
      data: { path, text, start, end, total },
      spans: end >= start ? [{ path, commit: null, start, end, ...(content && { content }) }] : [],
    });
  },
});

/** Throws an error that gives the reason if the text can't be read. */
export async function readInScope(
  path: string,
  { ports, scope }: Pick<CodeContext, 'ports' | 'scope'>,
): Promise<FileText> {
  if (!scope.admits(path))
    throw new SondeError('outside_root', {
      message:
        scope.text === undefined
          ? `${path} is outside of what this run may read`
          : `${path} is outside the scope ${scope.text}`,
    });
  const file = await ports.text.readText(path, null);
  if (file.kind === 'text') return file;
  throw new SondeError(file.reason === 'missing' ? 'not_found' : 'not_text', {
    message: file.message,
    ...(file.reason === 'missing' && { remedy: 'Give a path as a search or a listing gives it.' }),
  });
}
