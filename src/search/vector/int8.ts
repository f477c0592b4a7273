/**
 * Unit vectors as signed bytes. Each is scaled so that its largest component is 127, and its scale is stored
 * separately. Cosines are accurate to about 1 %.
 */

/** The length of a row: the number of dimensions, rounded up to a multiple of 16. */
export function padDimensions(dimensions: number): number {
  return Math.ceil(dimensions / 16) * 16;
}

export interface Int8Vectors {
  readonly dimensions: number;
  readonly rows: number;
  /** Row after row, each `padDimensions` long. */
  readonly data: Int8Array<ArrayBuffer>;
  /** The value of one unit in each row; 0 for a vector of zeros. */
  readonly scales: Float32Array<ArrayBuffer>;
}

/** Converts vectors of any length, stored one after the other. */
export function toInt8(vectors: Float32Array, dimensions: number): Int8Vectors {
  const rows = vectors.length / dimensions;
  const width = padDimensions(dimensions);
  const data = new Int8Array(rows * width);
  const scales = new Float32Array(rows);
  for (let row = 0; row < rows; row++) {
    const vector = vectors.subarray(row * dimensions, (row + 1) * dimensions);
    scales[row] = quantize(vector, data, row * width);
  }
  return { dimensions, rows, data, scales };
}

/** Writes one vector into `target` at `offset`. Returns its scale. */
export function quantize(vector: Float32Array, target: Int8Array, offset: number): number {
  let squares = 0;
  let maxComponent = 0;
  for (const component of vector) {
    squares += component * component;
    maxComponent = Math.max(maxComponent, Math.abs(component));
  }
  if (!(maxComponent > 0) || !Number.isFinite(squares)) return 0;
  const factor = 127 / maxComponent;
  for (let d = 0; d < vector.length; d++) target[offset + d] = Math.round(vector[d]! * factor);
  return maxComponent / 127 / Math.sqrt(squares);
}
