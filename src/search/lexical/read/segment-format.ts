/**
 * A segment is one immutable file: header, buckets, directory with filter and chunk tables, file tables. Little endian.
 *
 * A bucket contains the terms whose hashes share their highest bits: the number of terms as a varint; for each term a
 * length byte, its bytes, and its document frequency and postings length as varints; then the postings of all terms in
 * the same order. The directory has the offset of each bucket, so finding a term takes one or two reads. The filter
 * makes these reads unnecessary for most absent terms.
 *
 * A segment depends only on the indexed content, and its name on its own content, so two clones of a commit give equal
 * segments. The change times of its files are in a file beside it (`file-times.ts`).
 */

export const magic = 0x44_4e_4f_53; // "SOND"
/** Raised with every change to the format, the tokens or the chunks, so that older segments are rebuilt. */
export const formatVersion = 2;
export const headerBytes = 128;
/** Average number of terms in a bucket. */
export const termsPerBucket = 24;

export interface SegmentHeader {
  readonly buckets: number;
  readonly chunks: number;
  readonly files: number;
  readonly terms: number;
  /** Size of the Bloom filter over the terms. */
  readonly filterBytes: number;
  readonly totalLength: number;
  /** Start of the directory and the chunk tables, which is the end of the buckets. */
  readonly chunkTables: number;
  readonly fileTables: number;
  readonly end: number;
  readonly bucketsCrc: number;
  readonly chunkTablesCrc: number;
  readonly fileTablesCrc: number;
}

const fields = [
  'buckets',
  'chunks',
  'files',
  'terms',
  'filterBytes',
  'totalLength',
  'chunkTables',
  'fileTables',
  'end',
  'bucketsCrc',
  'chunkTablesCrc',
  'fileTablesCrc',
] as const satisfies readonly (keyof SegmentHeader)[];

export function encodeHeader(header: SegmentHeader, crc32: (bytes: Uint8Array) => number): Uint8Array {
  const bytes = new Uint8Array(headerBytes);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, magic, true);
  view.setUint32(4, formatVersion, true);
  fields.forEach((field, k) => {
    view.setFloat64(8 + k * 8, header[field], true);
  });
  view.setUint32(headerBytes - 4, crc32(bytes.subarray(0, headerBytes - 4)), true);
  return bytes;
}

/** Null if the bytes are not a valid header of this version. */
export function decodeHeader(bytes: Uint8Array, crc32: (bytes: Uint8Array) => number): SegmentHeader | null {
  if (bytes.length < headerBytes) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, headerBytes);
  if (view.getUint32(0, true) !== magic || view.getUint32(4, true) !== formatVersion) return null;
  if (view.getUint32(headerBytes - 4, true) !== crc32(bytes.subarray(0, headerBytes - 4))) return null;
  const values = fields.map((field, k) => [field, view.getFloat64(8 + k * 8, true)] as const);
  return Object.fromEntries(values) as unknown as SegmentHeader;
}

/** The bucket of a term's hash, where there are `2 ** bits` buckets. */
export function bucketOf(hash: number, bits: number): number {
  return bits === 0 ? 0 : Math.imul(hash, 0x9e3779b1) >>> (32 - bits);
}

/** Bytes of the directory, the filter and the chunk tables: float64 offsets, the filter, uint32 and uint16 columns. */
export function chunkTableBytes(
  header: Pick<SegmentHeader, 'buckets' | 'filterBytes' | 'chunks' | 'files'>,
): number {
  const columns = (header.buckets + 1) * 8 + header.filterBytes + (header.files + 1) * 4 + header.chunks * 10;
  return columns + (columns & 7 ? 8 - (columns & 7) : 0);
}

/** Bytes of the file tables before the paths: sizes as float64, then checksum and path end as uint32. */
export function fileColumnBytes(files: number): number {
  return files * (8 + 2 * 4);
}
