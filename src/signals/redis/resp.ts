/** The protocol of Redis (RESP 2), as far as a reader needs it. */
export type RespValue = string | number | null | readonly RespValue[] | RespError;

export class RespError extends Error {
  override readonly name = 'RespError';
}

/** A longer reply is refused. Bytes. */
export const maxReply = 32 * 1024 * 1024;
const maxDepth = 8;

export function encodeCommand(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
}

/** The first value in the bytes and its end; null if it is not complete yet. Throws for bytes that are no RESP. */
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
  const next = lineEnd + 2;
  switch (bytes[from]) {
    case 0x2b:
      return { value: line, end: next };
    case 0x2d:
      return { value: new RespError(line), end: next };
    case 0x3a:
      return { value: Number(line), end: next };
    case 0x24: {
      const size = lengthOf(line);
      if (size < 0) return { value: null, end: next };
      if (bytes.length < next + size + 2) return null;
      return { value: bytes.toString('utf8', next, next + size), end: next + size + 2 };
    }
    case 0x2a: {
      const count = lengthOf(line);
      if (count < 0) return { value: null, end: next };
      if (depth >= maxDepth) throw new Error('Redis sent lists within lists without end.');
      const list: RespValue[] = [];
      let at = next;
      for (let k = 0; k < count; k++) {
        const item = decodeReply(bytes, at, depth + 1);
        if (item === null) return null;
        list.push(item.value);
        at = item.end;
      }
      return { value: list, end: at };
    }
    default:
      throw new Error('What answered does not speak as Redis does.');
  }
}

function lengthOf(line: string): number {
  const value = Number(line);
  if (!Number.isInteger(value) || value < -1 || value > maxReply)
    throw new Error('Redis sent a length that cannot be.');
  return value;
}
