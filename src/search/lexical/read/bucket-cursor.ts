/** Reads the terms of a bucket one by one. Damaged bytes give wrong numbers, but it never reads past the end. */
export class BucketCursor {
  at: number;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  readVarint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.#bytes[this.at++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }

  readTerm(): Uint8Array {
    const length = this.#bytes[this.at++] ?? 0;
    this.at += length;
    return this.#bytes.subarray(this.at - length, this.at);
  }

  readAndCompare(term: Uint8Array): boolean {
    const length = this.#bytes[this.at++] ?? 0;
    const from = this.at;
    this.at += length;
    if (length !== term.length) return false;
    for (let k = 0; k < length; k++) if (this.#bytes[from + k] !== term[k]) return false;
    return true;
  }
}
