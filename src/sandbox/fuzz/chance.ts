import { RandomStream } from '../inside/random-stream.ts';
import { Special, type Value } from '../value.ts';

/** Numbers at which programs tend to break. */
const edges = [0, 1, 2, 3, 4, 63, 64, 65, 4095, 4096, 65_535, 65_536, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1];

/** Random choices, all determined by one seed, so that a failure can be repeated. */
export class Chance {
  readonly #stream: RandomStream;

  constructor(seed: number) {
    this.#stream = new RandomStream([seed | 0, 0x9e37_79b9 | 0, 0x243f_6a88, 1]);
    // Similar seeds give similar first words: skip them.
    this.bytes(64);
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    this.#stream.fill(bytes);
    return bytes;
  }

  fill(into: Uint8Array): void {
    this.#stream.fill(into);
  }

  /** A whole number from 0 to just below `limit`. */
  integerBelow(limit: number): number {
    return this.bytes(4).readUInt32LE(0) % limit;
  }

  flip(): boolean {
    return this.integerBelow(2) === 0;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.integerBelow(choices.length)]!;
  }

  /** A number that is small, at an edge, near `end`, or arbitrary; signed 32 bits, as WebAssembly passes numbers. */
  number(end: number): number {
    const kind = this.integerBelow(4);
    if (kind === 0) return this.integerBelow(6);
    if (kind === 1) return this.pick(edges) | 0;
    if (kind === 2) return end - this.integerBelow(100);
    return this.bytes(4).readInt32LE(0);
  }

  /** The same bytes with some of them changed, doubled, or missing. */
  corrupt(bytes: Buffer): Buffer {
    const copy = Buffer.from(bytes);
    for (let change = this.integerBelow(4); change >= 0 && copy.length > 0; change--) {
      copy[this.integerBelow(copy.length)] = this.flip()
        ? this.pick([...Buffer.from('"\\{}[]:,$0-')])
        : this.integerBelow(256);
    }
    const cut = this.integerBelow(copy.length + 1);
    const kind = this.integerBelow(5);
    if (kind === 0) return copy.subarray(0, cut);
    if (kind === 1) return Buffer.concat([copy.subarray(0, cut), copy.subarray(cut >> 1)]);
    return copy;
  }

  value(depth: number): Value {
    const leaf = [
      () => null,
      () => this.flip(),
      () => this.bytes(8).readDoubleLE(0),
      () => this.integerBelow(100) - 50,
      () => this.bytes(12).readBigInt64LE(0) * 2n ** 60n + 2n ** 53n,
      () => this.bytes(this.integerBelow(20)).toString('latin1'),
      () => new Uint8Array(this.bytes(this.integerBelow(20))),
      () => new Special(this.pick(['datetime', 'date', 'time', 'decimal']), '2026-01-01'),
      () =>
        new Special('timedelta', `${this.integerBelow(9)} ${this.integerBelow(9)} ${this.integerBelow(9)}`),
    ];
    const items = () => Array.from({ length: this.integerBelow(4) }, () => this.value(depth - 1));
    const nested = [
      items,
      () => new Set(items()),
      () => new Special(this.pick(['tuple', 'frozenset']), items()),
      () => new Map(items().map((item) => [item, this.value(depth - 1)])),
      () => Object.fromEntries(items().map((item) => [this.pick(['a', '$', '__proto__', 'v', '']), item])),
    ];
    return this.pick<() => Value>(depth > 0 ? [...leaf, ...nested] : leaf)();
  }
}
