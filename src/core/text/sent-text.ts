/** Decodes text from outside, whatever its encoding. */

/**
 * Decodes text, and never fails: bytes that don't fit their charset are decoded in another that fits. `declared`: the
 * charset that the sender declared. A byte order mark is dropped.
 */
export function decodeSentText(bytes: Uint8Array, declared?: string): string {
  for (const charset of [readCharsetMark(bytes), declared, 'utf-8'])
    try {
      if (charset != null) return new TextDecoder(charset, { fatal: true }).decode(bytes);
    } catch {
      // Not this charset: try the next one.
    }
  return new TextDecoder('windows-1252').decode(bytes);
}

/** The charset by its byte order mark, or by the zero bytes that the brackets and quotes of JSON have in UTF-16. */
function readCharsetMark([first, second]: Uint8Array): string | null {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return 'utf-16be';
  return null;
}
