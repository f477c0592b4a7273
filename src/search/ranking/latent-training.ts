/**
 * Latent semantic analysis (Deerwester et al., 1990) of a matrix of chunks by words: computes an orthonormal basis of
 * its main directions by subspace iteration. It is not rotated to the principal axes, since cosines are the same in
 * every basis of the same subspace.
 */

/** A sparse matrix, compressed by row. */
export interface SparseRows {
  readonly columns: number;
  /** Start of each row in `indices` and `values`, and the end of the last. */
  readonly offsets: Uint32Array;
  readonly indices: Uint32Array;
  readonly values: Float32Array;
}

/**
 * The number of rounds of the iteration. More give no gain (recall on abstracts after 1, 2, 3 rounds: .222, .225,
 * .224).
 */
const rounds = 3;

/** The basis: `dimensions` numbers for each column, column after column. Deterministic. */
export function trainBasis(rows: SparseRows, dimensions: number): Float32Array {
  const basis = normalNumbers(rows.columns * dimensions);
  for (let round = 0; round < rounds; round++) {
    orthonormalize(basis, rows.columns, dimensions);
    const projected = project(rows, basis, dimensions);
    basis.fill(0);
    addTransposed(rows, projected, dimensions, basis);
  }
  orthonormalize(basis, rows.columns, dimensions);
  return basis;
}

/** Multiplies the rows with the basis: `dimensions` numbers for each row, row after row. */
export function project(rows: SparseRows, basis: Float32Array, dimensions: number): Float32Array {
  const { offsets, indices, values } = rows;
  const count = offsets.length - 1;
  const projected = new Float32Array(count * dimensions);
  for (let row = 0; row < count; row++) {
    const rowOffset = row * dimensions;
    for (let at = offsets[row]!; at < offsets[row + 1]!; at++) {
      const value = values[at]!;
      const columnOffset = indices[at]! * dimensions;
      for (let d = 0; d < dimensions; d++)
        projected[rowOffset + d] = projected[rowOffset + d]! + value * basis[columnOffset + d]!;
    }
  }
  return projected;
}

/** Adds the product of the transposed matrix and `projected` to `result`. */
function addTransposed(
  rows: SparseRows,
  projected: Float32Array,
  dimensions: number,
  result: Float32Array,
): void {
  const { offsets, indices, values } = rows;
  for (let row = 0; row < offsets.length - 1; row++) {
    const rowOffset = row * dimensions;
    for (let at = offsets[row]!; at < offsets[row + 1]!; at++) {
      const value = values[at]!;
      const columnOffset = indices[at]! * dimensions;
      for (let d = 0; d < dimensions; d++)
        result[columnOffset + d] = result[columnOffset + d]! + value * projected[rowOffset + d]!;
    }
  }
}

/** Makes the columns of an `n` by `r` matrix orthonormal, in place, by the Cholesky factor of its Gram matrix. */
function orthonormalize(matrix: Float32Array, n: number, r: number): void {
  const lower = choleskyFactor(gramMatrix(matrix, n, r), r);
  const row = new Float64Array(r);
  for (let i = 0; i < n; i++) {
    const at = i * r;
    for (let a = 0; a < r; a++) {
      let sum = matrix[at + a]!;
      for (let k = 0; k < a; k++) sum -= row[k]! * lower[a * r + k]!;
      row[a] = sum / lower[a * r + a]!;
    }
    matrix.set(row, at);
  }
}

function gramMatrix(matrix: Float32Array, n: number, r: number): Float64Array {
  const gram = new Float64Array(r * r);
  for (let i = 0; i < n; i++) {
    const at = i * r;
    for (let a = 0; a < r; a++) {
      const value = matrix[at + a]!;
      for (let c = 0; c <= a; c++) gram[a * r + c] = gram[a * r + c]! + value * matrix[at + c]!;
    }
  }
  return gram;
}

function choleskyFactor(gram: Float64Array, r: number): Float64Array {
  let trace = 0;
  for (let a = 0; a < r; a++) trace += gram[a * r + a]!;
  // Avoids a division by zero in directions that the matrix lacks.
  const ridge = Math.max(1e-12, (trace / r) * 1e-9);
  for (let a = 0; a < r; a++) {
    for (let c = 0; c <= a; c++) {
      let sum = gram[a * r + c]! + (a === c ? ridge : 0);
      for (let k = 0; k < c; k++) sum -= gram[a * r + k]! * gram[c * r + k]!;
      gram[a * r + c] = a === c ? Math.sqrt(Math.max(sum, ridge)) : sum / gram[c * r + c]!;
    }
  }
  return gram;
}

/** Normally distributed numbers from a fixed seed (xorshift, Box-Muller). */
function normalNumbers(count: number): Float32Array {
  const numbers = new Float32Array(count);
  let state = 0x9e3779b9;
  const nextRandom = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return ((state >>> 0) + 1) / 4294967297;
  };
  for (let i = 0; i < count; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(nextRandom()));
    const angle = 2 * Math.PI * nextRandom();
    numbers[i] = radius * Math.cos(angle);
    if (i + 1 < count) numbers[i + 1] = radius * Math.sin(angle);
  }
  return numbers;
}
