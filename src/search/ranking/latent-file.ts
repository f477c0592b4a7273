import { join } from 'node:path';
import { readChecksummed, writeChecksummed } from '../checksummed-file.ts';
import type { LatentBasis } from './latent.ts';

/** Stores the trained basis beside the index: the length of a JSON header, the header, then 32-bit floats. */

const formatVersion = 'sonde-latent 1';

function latentPath(directory: string): string {
  return join(directory, 'latent.bin');
}

export function writeLatent(directory: string, { stems, chunks, basis }: LatentBasis): void {
  const header = Buffer.from(JSON.stringify({ stems, chunks }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(header.length);
  const floats = Buffer.from(basis.buffer, basis.byteOffset, basis.byteLength);
  writeChecksummed(latentPath(directory), formatVersion, Buffer.concat([length, header, floats]));
}

/** Null if the file is missing or damaged. */
export function readLatent(directory: string): LatentBasis | null {
  const body = readChecksummed(latentPath(directory), formatVersion);
  if (body === null) return null;
  const headerEnd = 4 + body.readUInt32LE(0);
  const header = JSON.parse(body.toString('utf8', 4, headerEnd)) as { stems: string[]; chunks: number };
  // Copied to align the floats.
  const basis = new Float32Array(Uint8Array.from(body.subarray(headerEnd)).buffer);
  return { ...header, basis };
}
