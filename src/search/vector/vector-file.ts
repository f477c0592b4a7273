import { join } from 'node:path';
import { sha256 } from '../../core/index.ts';
import { readChecksummed, writeChecksummed } from '../checksummed-file.ts';
import { type Int8Vectors, padDimensions } from './int8.ts';

/**
 * Stores the vectors of an embedder beside the index. Each embedder has its own file, named by a hash of its id and the
 * chunk settings, so that vectors of two models are never compared. Content: the length of a JSON header, the header,
 * the scales as 32-bit floats, the rows as bytes.
 */

export interface StoredVectors {
  readonly vectors: Int8Vectors;
  /** The rows of each file, by its path and content. */
  readonly files: ReadonlyMap<string, FileRows>;
}

export interface FileRows {
  readonly first: number;
  readonly count: number;
}

/** Properties that must be equal for vectors to be comparable. */
export interface VectorSpace {
  readonly embedder: string;
  /** How files are cut into chunks, e.g. `{"lines":40}`. */
  readonly chunks: string;
}

interface Header extends VectorSpace {
  readonly dimensions: number;
  readonly files: readonly (readonly [key: string, count: number])[];
}

const formatVersion = 'sonde-vectors 1';

function vectorPath(directory: string, space: VectorSpace): string {
  return join(directory, `vectors-${sha256(`${space.embedder}\0${space.chunks}`).slice(0, 16)}.bin`);
}

export function writeVectors(directory: string, space: VectorSpace, storedVectors: StoredVectors): void {
  const { vectors, files } = storedVectors;
  const header: Header = {
    ...space,
    dimensions: vectors.dimensions,
    files: [...files].sort((one, two) => one[1].first - two[1].first).map(([key, { count }]) => [key, count]),
  };
  const headerBytes = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(headerBytes.length);
  const scales = Buffer.from(vectors.scales.buffer, vectors.scales.byteOffset, vectors.scales.byteLength);
  const data = Buffer.from(vectors.data.buffer, vectors.data.byteOffset, vectors.data.byteLength);
  writeChecksummed(
    vectorPath(directory, space),
    formatVersion,
    Buffer.concat([length, headerBytes, scales, data]),
  );
}

/** The stored vectors. Null if there are none of this embedder, or if they are damaged. */
export function readVectors(directory: string, space: VectorSpace): StoredVectors | null {
  const body = readChecksummed(vectorPath(directory, space), formatVersion);
  if (body === null) return null;
  const scalesOffset = 4 + body.readUInt32LE(0);
  const header = JSON.parse(body.toString('utf8', 4, scalesOffset)) as Header;
  if (header.embedder !== space.embedder || header.chunks !== space.chunks) return null;
  const files = new Map<string, FileRows>();
  let rows = 0;
  for (const [key, count] of header.files) {
    files.set(key, { first: rows, count });
    rows += count;
  }
  const dataOffset = scalesOffset + rows * 4;
  if (body.length !== dataOffset + rows * padDimensions(header.dimensions)) return null;
  // Copied to align the floats.
  const scales = new Float32Array(Uint8Array.from(body.subarray(scalesOffset, dataOffset)).buffer);
  const data = new Int8Array(Uint8Array.from(body.subarray(dataOffset)).buffer);
  return { vectors: { dimensions: header.dimensions, rows, data, scales }, files };
}
