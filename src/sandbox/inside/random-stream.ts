/** Four 32-bit words: the whole state of a stream. */
export type RandomState = readonly [number, number, number, number];

/**
 * The session's random bytes, all made from its seed, so that a session can be replayed and a checkpoint
 * knows its position. Not for secrets: the guest has none. (sfc32 by Chris Doty-Humphrey.)
 */
export class RandomStream {
  #words: [number, number, number, number];

  constructor(state: RandomState) {
    this.#words = [...state];
  }

  get state(): RandomState {
    return [...this.#words];
  }

  fill(into: Uint8Array): void {
    for (let i = 0; i < into.length; i += 4) {
      const word = this.#next();
      for (let k = 0; k < 4 && i + k < into.length; k++) into[i + k] = (word >>> (8 * k)) & 0xff;
    }
  }

  #next(): number {
    const [a, b, c, counter] = this.#words;
    const result = (((a + b) | 0) + counter) | 0;
    this.#words = [b ^ (b >>> 9), (c + (c << 3)) | 0, ((c << 21) | (c >>> 11)) + result, (counter + 1) | 0];
    return result;
  }
}
