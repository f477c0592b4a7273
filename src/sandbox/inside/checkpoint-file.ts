import { type MemoryImage, pageBytes } from './memory-image.ts';
import type { RandomState } from './random-stream.ts';

/**
 * A session as bytes, to be stored and to be continued elsewhere:
 * `SONDEPY1`, SHA-256 of the rest, then compressed: length of the header, header as JSON, page numbers, content.
 */
const magic = Buffer.from('SONDEPY1');
const hashBytes = 32;
const wasmPage = 65_536;
const damaged = 'the checkpoint is damaged';
/** Larger than any memory that a session may have; a file that claims more is refused. */
const maxBytes = 2 ** 30 + 2 ** 24;

/** These modules are loaded with the first checkpoint: they take 2 MB of each worker, and most sessions are never saved. */
const crypto = () => process.getBuiltinModule('node:crypto');
const zlib = () => process.getBuiltinModule('node:zlib');

interface Header {
  readonly snapshot: string;
  /** A text that the host stores with the checkpoint; not read here. */
  readonly note: string;
  readonly memoryBytes: number;
  readonly pages: number;
  readonly globals: readonly (readonly [string, string, 'i32' | 'i64'])[];
  readonly files: MemoryImage['files'];
  readonly random: RandomState;
}

export function encodeCheckpoint(image: MemoryImage, snapshot: string, note: string): Uint8Array {
  const header: Header = {
    snapshot,
    note,
    memoryBytes: image.memoryBytes,
    pages: image.pages.length,
    globals: Array.from(image.globals, ([name, value]) => [
      name,
      `${value}`,
      typeof value === 'bigint' ? 'i64' : 'i32',
    ]),
    files: image.files,
    random: image.random,
  };
  const head = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  const body = Buffer.concat([length, head, Buffer.from(image.pages.buffer), image.content]);
  // The fastest level: higher ones take three times as long and save 10 %.
  const packed = zlib().zstdCompressSync(body, { params: { [zlib().constants.ZSTD_c_compressionLevel]: 1 } });
  return Buffer.concat([magic, crypto().createHash('sha256').update(packed).digest(), packed]);
}

/** The image and the note; or, as a sentence, why a session can't be continued from these bytes. */
export function decodeCheckpoint(
  bytes: Uint8Array,
  snapshot: string,
): { readonly image: MemoryImage; readonly note: string } | string {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length < magic.length + hashBytes || !file.subarray(0, magic.length).equals(magic)) {
    return 'not a checkpoint of a sandbox session';
  }
  const packed = file.subarray(magic.length + hashBytes);
  const expected = file.subarray(magic.length, magic.length + hashBytes);
  if (!crypto().createHash('sha256').update(packed).digest().equals(expected)) return damaged;
  try {
    return readBody(zlib().zstdDecompressSync(packed, { maxOutputLength: maxBytes }), snapshot);
  } catch {
    // The hash detects accidental damage only. A forged file that can't be parsed ends here.
    return damaged;
  }
}

function readBody(body: Buffer, snapshot: string): ReturnType<typeof decodeCheckpoint> {
  const headerEnd = 4 + body.readUInt32LE(0);
  const header = JSON.parse(body.toString('utf8', 4, headerEnd)) as Header;
  if (header.snapshot !== snapshot) {
    return 'the checkpoint was made by another version of the sandbox, or with other helpers';
  }
  const contentStart = headerEnd + header.pages * 4;
  const content = body.subarray(contentStart);
  const pages = new Uint32Array(header.pages);
  for (let i = 0; i < pages.length; i++) pages[i] = body.readUInt32LE(headerEnd + i * 4);
  const fits =
    Number.isInteger(header.memoryBytes / wasmPage) &&
    header.memoryBytes <= maxBytes &&
    content.length === pages.length * pageBytes &&
    pages.every(
      (page, i) => (page + 1) * pageBytes <= header.memoryBytes && (i === 0 || page > pages[i - 1]!),
    ) &&
    header.random.length === 4 &&
    header.files.every(({ descriptor }) => descriptor > 2 && descriptor < 64);
  if (!fits) return damaged;
  const image: MemoryImage = {
    memoryBytes: header.memoryBytes,
    pages,
    content,
    globals: new Map(
      header.globals.map(([name, value, type]) => [name, type === 'i64' ? BigInt(value) : Number(value)]),
    ),
    files: header.files,
    random: header.random,
  };
  return { image, note: header.note };
}
