/** Reading and writing WebAssembly's binary encoding: bytes, LEB128 numbers, names. */

export class ByteReader {
  readonly bytes: Uint8Array;
  offset: number;

  constructor(bytes: Uint8Array, offset = 0) {
    this.bytes = bytes;
    this.offset = offset;
  }

  get done(): boolean {
    return this.offset >= this.bytes.length;
  }

  u8(): number {
    const byte = this.bytes[this.offset++];
    if (byte === undefined) throw new RangeError('WebAssembly module ends too early');
    return byte;
  }

  /** An unsigned LEB128 number of up to 32 bits. */
  u32(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if ((byte & 0x80) === 0) return value;
    }
  }

  /** A signed LEB128 number of up to 64 bits. */
  s64(): bigint {
    let value = 0n;
    for (let shift = 0n; ; ) {
      const byte = this.u8();
      value |= BigInt(byte & 0x7f) << shift;
      shift += 7n;
      if ((byte & 0x80) === 0) return (byte & 0x40) === 0 ? value : value - (1n << shift);
    }
  }

  skipNumber(): void {
    while ((this.u8() & 0x80) !== 0);
  }

  take(length: number): Uint8Array {
    const start = this.offset;
    this.offset += length;
    if (this.offset > this.bytes.length) throw new RangeError('WebAssembly module ends too early');
    return this.bytes.subarray(start, this.offset);
  }

  name(): string {
    return new TextDecoder().decode(this.take(this.u32()));
  }
}

export class ByteWriter {
  #buffer: Uint8Array;
  #length = 0;

  constructor(capacity = 1024) {
    this.#buffer = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** The bytes written so far: a view, valid until the next write. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  u8(...values: readonly number[]): this {
    this.#reserve(values.length);
    for (const value of values) this.#buffer[this.#length++] = value;
    return this;
  }

  u32(value: number): this {
    let rest = value;
    while (rest >= 128) {
      this.u8((rest % 128) | 0x80);
      rest = Math.floor(rest / 128);
    }
    return this.u8(rest);
  }

  s64(value: bigint | number): this {
    for (let rest = BigInt(value); ; ) {
      const low = Number(rest & 0x7fn);
      rest >>= 7n;
      if ((rest === 0n && (low & 0x40) === 0) || (rest === -1n && (low & 0x40) !== 0)) return this.u8(low);
      this.u8(low | 0x80);
    }
  }

  raw(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  name(text: string): this {
    const bytes = new TextEncoder().encode(text);
    return this.u32(bytes.length).raw(bytes);
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#buffer.length) return;
    const larger = new Uint8Array(Math.max(this.#buffer.length * 2, this.#length + count));
    larger.set(this.bytes);
    this.#buffer = larger;
  }
}
