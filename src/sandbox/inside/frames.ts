import { type Message, type MessageKind, messageKinds } from './protocol.ts';

/** Messages on a pipe: length of the content as 32 bits, kind as a byte, content. */
const headBytes = 5;

const kindsByNumber = new Map(
  Object.entries(messageKinds).map(([kind, number]) => [number as number, kind as MessageKind]),
);

export function frame(kind: MessageKind, bytes: Uint8Array): Buffer {
  const whole = Buffer.allocUnsafe(headBytes + bytes.length);
  whole.writeUInt32LE(bytes.length, 0);
  whole[4] = messageKinds[kind];
  whole.set(bytes, headBytes);
  return whole;
}

/** Cuts a stream of bytes into messages. Throws a RangeError for what no honest sender would have written. */
export class FrameReader {
  readonly #mostBytes: number;
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  push(bytes: Buffer): void {
    this.#pieces.push(bytes);
    this.#length += bytes.length;
  }

  next(): Message | null {
    if (this.#length < headBytes) return null;
    const head = this.#joined(headBytes);
    const length = head.readUInt32LE(0);
    if (length > this.#mostBytes) throw new RangeError(`a message of ${length} bytes`);
    const kind = kindsByNumber.get(head[4]!);
    if (!kind) throw new RangeError(`an unknown kind of message: ${head[4]}`);
    if (this.#length < headBytes + length) return null;
    const whole = this.#joined(headBytes + length);
    const rest = whole.subarray(headBytes + length);
    this.#pieces = rest.length > 0 ? [rest] : [];
    this.#length = rest.length;
    return { kind, bytes: whole.subarray(headBytes, headBytes + length) };
  }

  /** The first piece, made to hold at least so many bytes. */
  #joined(length: number): Buffer {
    if (this.#pieces[0]!.length < length) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0]!;
  }
}
