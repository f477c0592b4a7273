import { type Int8Vectors, padDimensions, quantize } from './int8.ts';
import type { FileRows, StoredVectors } from './vector-file.ts';

/** Collects the vectors of a new state of the index: kept ones of unchanged files, and new ones of other files. */
export class VectorTable {
  readonly dimensions: number;
  readonly files = new Map<string, FileRows>();
  rows = 0;
  #data: Int8Array<ArrayBuffer>;
  #scales: Float32Array<ArrayBuffer>;
  readonly #width: number;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.#width = padDimensions(dimensions);
    this.#data = new Int8Array(1024 * this.#width);
    this.#scales = new Float32Array(1024);
  }

  keep(key: string, { vectors }: StoredVectors, { first, count }: FileRows): void {
    this.#ensureCapacity(count);
    const rows = vectors.data.subarray(first * this.#width, (first + count) * this.#width);
    this.#data.set(rows, this.rows * this.#width);
    this.#scales.set(vectors.scales.subarray(first, first + count), this.rows);
    this.#endFile(key, count);
  }

  add(key: string, vectors: readonly Float32Array[]): void {
    this.#ensureCapacity(vectors.length);
    vectors.forEach((vector, index) => {
      const row = this.rows + index;
      this.#scales[row] = quantize(vector, this.#data, row * this.#width);
    });
    this.#endFile(key, vectors.length);
  }

  toStored(): StoredVectors {
    const vectors: Int8Vectors = {
      dimensions: this.dimensions,
      rows: this.rows,
      data: this.#data.slice(0, this.rows * this.#width),
      scales: this.#scales.slice(0, this.rows),
    };
    return { vectors, files: new Map(this.files) };
  }

  #endFile(key: string, count: number): void {
    this.files.set(key, { first: this.rows, count });
    this.rows += count;
  }

  #ensureCapacity(count: number): void {
    const needed = this.rows + count;
    if (needed <= this.#scales.length) return;
    const capacity = Math.max(needed, this.#scales.length * 2);
    const data = new Int8Array(capacity * this.#width);
    data.set(this.#data);
    this.#data = data;
    const scales = new Float32Array(capacity);
    scales.set(this.#scales);
    this.#scales = scales;
  }
}
