import { type Message, type MessageKind, messageKinds, noBytes } from './protocol.ts';

/** Messages on a pipe: length of what follows the kind as 32 bits, kind as a byte, length of the text, text, bytes. */
const kindBytes = 5;
const headBytes = 9;
/** For texts shorter than this, reserving three bytes per character is cheaper than counting the bytes. */
const fewCharacters = 4096;

const kindsByNumber: (MessageKind | undefined)[] = [];
for (const [kind, number] of Object.entries(messageKinds)) kindsByNumber[number] = kind as MessageKind;

/**
 * Writes a message into `buffer` if it fits, otherwise into a new one; returns exactly the part that holds the message.
 */
export function frame(kind: MessageKind, text: string, bytes: Uint8Array, buffer?: Buffer): Buffer {
  const maxTextBytes = text.length < fewCharacters ? 3 * text.length : Buffer.byteLength(text);
  const max = headBytes + maxTextBytes + bytes.length;
  const whole = buffer && max <= buffer.length ? buffer : Buffer.allocUnsafe(max);
  const textBytes = text === '' ? 0 : whole.write(text, headBytes);
  const end = headBytes + textBytes + bytes.length;
  whole.writeUInt32LE(end - kindBytes, 0);
  whole[4] = messageKinds[kind];
  whole.writeUInt32LE(textBytes, kindBytes);
  if (bytes.length > 0) whole.set(bytes, headBytes + textBytes);
  return whole.subarray(0, end);
}

/** Cuts a stream of bytes into messages. Throws a RangeError for bytes that no correct sender writes. */
export class FrameReader {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(bytes: Buffer): void {
    this.#pieces.push(bytes);
    this.#length += bytes.length;
  }

  /** The bytes of the message are a view of the pushed data. */
  next(): Message | null {
    if (this.#length < headBytes) return null;
    const head = this.#join(headBytes);
    const length = head.readUInt32LE(0);
    if (length > this.#maxBytes) throw new RangeError(`a message of ${length} bytes`);
    const kind = kindsByNumber[head[4]!];
    if (!kind) throw new RangeError(`an unknown kind of message: ${head[4]}`);
    const textEnd = headBytes + head.readUInt32LE(kindBytes);
    const end = kindBytes + length;
    if (textEnd > end) throw new RangeError('a text longer than its message');
    if (this.#length < end) return null;
    const whole = this.#join(end);
    if (whole.length === end) this.#pieces.shift();
    else this.#pieces[0] = whole.subarray(end);
    this.#length -= end;
    return {
      kind,
      text: textEnd === headBytes ? '' : whole.toString('utf8', headBytes, textEnd),
      bytes: textEnd === end ? noBytes : whole.subarray(textEnd, end),
    };
  }

  /** The first piece, extended to hold at least `length` bytes. */
  #join(length: number): Buffer {
    if (this.#pieces[0]!.length < length) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0]!;
  }
}
