import { extensionOf } from './tokens-definitions.ts';

/** Why a file's content is not worth an index, told from the content itself. */
export type ContentReason = 'binary' | 'minified';

/** As git does: a NUL this early makes a file binary. In bytes. */
const binaryReach = 8_000;

/** Where machines write for machines, in lines that nobody reads. */
const minifiable = new Set('js mjs cjs css json html htm svg xml map ts'.split(' '));
/** Smaller files are short enough as they are. In bytes. */
const smallestMinified = 4_096;
/** Bytes of a line, on average, above which such a file was written by a machine. */
const longLine = 400;
const minifiedName = /[.-](min|bundle|chunk)\.(js|mjs|cjs|css)$|\.(js|css|ts)\.map$/i;

export function contentReason(path: string, bytes: Uint8Array, length: number): ContentReason | null {
  if (bytes.subarray(0, Math.min(length, binaryReach)).includes(0)) return 'binary';
  if (length < smallestMinified || !minifiable.has(extensionOf(path))) return null;
  if (minifiedName.test(path)) return 'minified';
  let lines = 1;
  const enough = length / longLine;
  for (let i = 0; i < length && lines <= enough; i++) if (bytes[i] === 10) lines++;
  return lines <= enough ? 'minified' : null;
}
