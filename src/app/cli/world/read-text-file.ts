import { readFile } from 'node:fs/promises';
import { SondeError } from '../../../core/index.ts';
import { readStandardInput } from '../../standard-input.ts';

/** Reads UTF-8 text from a file, or from standard input for `-`. Throws `not_found` and `not_text`. */
export async function readTextFile(file: string): Promise<string> {
  try {
    const bytes = file === '-' ? await readStandardInput() : await readFile(file);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT')
      throw new SondeError('not_found', {
        message: `${file} does not exist`,
        remedy: 'Name a text file.',
      });
    if (code === 'EISDIR' || error instanceof TypeError)
      throw new SondeError('not_text', {
        message: `${file} is not text in UTF-8`,
        remedy: 'Name a Markdown file.',
      });
    throw error;
  }
}
