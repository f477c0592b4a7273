/** Text that somebody sent or kept, in whatever characters it is written. */

/**
 * No bytes are refused for their characters: where they are not what their charset says, they are decoded as
 * what they can be. `named` is the charset that came with them. A byte order mark is no part of the text.
 */
export function decodeSentText(bytes: Uint8Array, named?: string): string {
  for (const charset of [readCharsetMark(bytes), named, 'utf-8'])
    try {
      if (charset != null) return new TextDecoder(charset, { fatal: true }).decode(bytes);
    } catch {
      // The next one.
    }
  return new TextDecoder('windows-1252').decode(bytes);
}

/** By its mark, or by the empty bytes that the brackets and quotes of JSON have in UTF-16. */
function readCharsetMark([first, second]: Uint8Array): string | null {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return 'utf-16be';
  return null;
}
