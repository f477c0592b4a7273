/** The protocol of Redis (RESP 2): encodes commands and decodes replies. */
export type RespValue = string | number | null | readonly RespValue[] | RespError;

export class RespError extends Error {
  override readonly name = 'RespError';
}

/** Maximum size of a reply in bytes; a longer one is an error. */
export const maxReplyBytes = 32 * 1024 * 1024;
/** Maximum depth of lists within lists. */
const maxDepth = 8;

export function encodeCommand(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
}

/** The value that begins at `from`, and where it ends; null if it is not complete yet. Throws for bytes that are not RESP. */
export function decodeReply(
  bytes: Buffer,
  from = 0,
  depth = 0,
): { readonly value: RespValue; readonly end: number } | null {
  const lineEnd = bytes.indexOf('\r\n', from);
  if (lineEnd < 0) {
    if (bytes.length - from > 65_536) throw new Error('Redis sent a line without an end.');
    return null;
  }
  const line = bytes.toString('utf8', from + 1, lineEnd);
  const contentStart = lineEnd + 2;
  switch (bytes[from]) {
    case 0x2b:
      return { value: line, end: contentStart };
    case 0x2d:
      return { value: new RespError(line), end: contentStart };
    case 0x3a:
      return { value: Number(line), end: contentStart };
    case 0x24: {
      const byteCount = lengthOf(line);
      if (byteCount < 0) return { value: null, end: contentStart };
      if (bytes.length < contentStart + byteCount + 2) return null;
      return {
        value: bytes.toString('utf8', contentStart, contentStart + byteCount),
        end: contentStart + byteCount + 2,
      };
    }
    case 0x2a: {
      const count = lengthOf(line);
      if (count < 0) return { value: null, end: contentStart };
      if (depth >= maxDepth) throw new Error('Redis sent lists within lists without end.');
      const list: RespValue[] = [];
      let position = contentStart;
      for (let k = 0; k < count; k++) {
        const item = decodeReply(bytes, position, depth + 1);
        if (item === null) return null;
        list.push(item.value);
        position = item.end;
      }
      return { value: list, end: position };
    }
    default:
      throw new Error('What answered does not speak as Redis does.');
  }
}

function lengthOf(line: string): number {
  const value = Number(line);
  if (!Number.isInteger(value) || value < -1 || value > maxReplyBytes)
    throw new Error('Redis sent a length that cannot be.');
  return value;
}
