import type { OutputHeadTail } from './protocol.ts';

export const emptyOutput: OutputHeadTail = { head: '', tail: '', bytes: 0, leftOut: 0 };

/** Keeps the head and tail of an output up to a number of bytes, and counts all of it. */
export class CapturedOutput {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  #head: Uint8Array[] = [];
  #headBytes = 0;
  /** A ring: the newest bytes, ending before `#tailEnd`. */
  #tail: Uint8Array | null = null;
  #tailEnd = 0;
  #tailBytes = 0;
  #bytes = 0;

  /** `limit`: in bytes. A quarter of it is for the tail: the last lines of a long output usually matter most. */
  constructor(limit: number) {
    this.#tailLimit = Math.floor(limit / 4);
    this.#headLimit = limit - this.#tailLimit;
  }

  write(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    const room = Math.min(bytes.length, this.#headLimit - this.#headBytes);
    if (room > 0) {
      this.#head.push(bytes.slice(0, room));
      this.#headBytes += room;
    }
    if (room < bytes.length && this.#tailLimit > 0) this.#writeTail(bytes.subarray(room));
  }

  #writeTail(bytes: Uint8Array): void {
    this.#tail ??= new Uint8Array(this.#tailLimit);
    const newest = bytes.subarray(Math.max(0, bytes.length - this.#tailLimit));
    const first = newest.subarray(0, this.#tailLimit - this.#tailEnd);
    this.#tail.set(first, this.#tailEnd);
    this.#tail.set(newest.subarray(first.length), 0);
    this.#tailEnd = (this.#tailEnd + newest.length) % this.#tailLimit;
    this.#tailBytes = Math.min(this.#tailLimit, this.#tailBytes + newest.length);
  }

  report(): OutputHeadTail {
    if (this.#bytes === 0) return emptyOutput;
    const head = Buffer.concat(this.#head);
    const oldest = (this.#tailEnd - this.#tailBytes + this.#tailLimit) % (this.#tailLimit || 1);
    const ring = this.#tail ?? new Uint8Array(0);
    const tail = Buffer.concat([ring.subarray(oldest), ring.subarray(0, oldest)]).subarray(
      0,
      this.#tailBytes,
    );
    const bytes = this.#bytes;
    if (bytes === head.length + tail.length) {
      return { head: Buffer.concat([head, tail]).toString(), tail: '', bytes, leftOut: 0 };
    }
    const start = withoutBrokenEnd(head);
    const end = withoutBrokenStart(tail);
    return {
      head: start.toString(),
      tail: end.toString(),
      bytes,
      leftOut: bytes - start.length - end.length,
    };
  }
}

/** Removes an incomplete character at the cut, which would be decoded as a replacement character. */
function withoutBrokenEnd(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 4 && (bytes[end - 1]! & 0xc0) === 0x80) end--;
  const lead = bytes[end - 1] ?? 0;
  const needed = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes.subarray(0, bytes.length - end + 1 >= needed ? bytes.length : end - 1);
}

function withoutBrokenStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}
