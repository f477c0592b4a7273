/** Reads a body up to its maximum length. */
import { SondeError } from '../../core/index.ts';
import { readBytes } from '../server/read-bytes.ts';

/** Maximum bytes of a body: more than the longest page takes as JSON. */
const maxBytes = 10_000_000;

/** Throws `too_large`, and `bad_argument` if the body is no text. */
export async function readBody(request: Request): Promise<string> {
  const bytes = await readBytes(request, maxBytes);
  if (bytes === null)
    throw new SondeError('too_large', {
      message: `The body has more than ${maxBytes} bytes`,
      remedy: 'Send less at once.',
    });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SondeError('bad_argument', { message: 'The body is no UTF-8', remedy: 'Send JSON as UTF-8.' });
  }
}
