/** The rows in one page of a tree. A cell that is incomplete or invalid is counted, and the next one is read. */
import type { PageFile } from './file.ts';

export type CarvedValue = null | number | bigint | string | Uint8Array;

export interface CarvedCell {
  /** Null in a table without row ids. */
  readonly rowid: number | null;
  /** In the order of columns in the file. */
  readonly values: readonly CarvedValue[];
}

export interface CarvedPage {
  readonly kind: 'rows' | 'keys';
  readonly cells: readonly CarvedCell[];
  /** The numbers of its child pages. */
  readonly children: readonly number[];
  /** Cells that could not be read. */
  readonly damaged: number;
}

const treeKinds: Readonly<Record<number, { readonly kind: CarvedPage['kind']; readonly leaf: boolean }>> = {
  2: { kind: 'keys', leaf: false },
  5: { kind: 'rows', leaf: false },
  10: { kind: 'keys', leaf: true },
  13: { kind: 'rows', leaf: true },
};

/** Null if the page belongs to no tree. */
export function readTreePage(file: PageFile, number: number): CarvedPage | null {
  const page = file.page(number);
  if (page === null) return null;
  const headerOffset = number === 1 ? 100 : 0;
  const tree = treeKinds[page[headerOffset]!];
  const count = page.readUInt16BE(headerOffset + 3);
  const pointersOffset = headerOffset + (tree?.leaf === true ? 8 : 12);
  if (tree === undefined || pointersOffset + 2 * count > page.length) return null;
  const cells: CarvedCell[] = [];
  const children: number[] = [];
  let damaged = 0;
  for (let index = 0; index < count; index += 1) {
    const offset = page.readUInt16BE(pointersOffset + 2 * index);
    try {
      const start = tree.leaf ? offset : offset + 4;
      if (!tree.leaf) children.push(page.readUInt32BE(offset));
      // Inner pages of a table with row ids hold no rows.
      if (tree.leaf || tree.kind === 'keys') cells.push(readCell(file, page, start, tree.kind));
    } catch {
      damaged += 1;
    }
  }
  if (!tree.leaf) children.push(page.readUInt32BE(headerOffset + 8));
  return { kind: tree.kind, cells, children, damaged };
}

function readCell(file: PageFile, page: Buffer, at: number, kind: CarvedPage['kind']): CarvedCell {
  const [length, afterLength] = readVarint(page, at);
  const [rowid, start] = kind === 'rows' ? readVarint(page, afterLength) : [null, afterLength];
  const payload = readPayload(file, page, start, Number(length), kind);
  return { rowid: rowid === null ? null : Number(rowid), values: readRecord(payload) };
}

/** The content of a cell. If it is too large for the page, it continues in a chain of overflow pages. */
function readPayload(
  file: PageFile,
  page: Buffer,
  start: number,
  length: number,
  kind: CarvedPage['kind'],
): Buffer {
  const { usable } = file;
  const max = kind === 'rows' ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
  if (length > file.pages * usable) throw new RangeError('longer than the file');
  if (length <= max) return checkLength(page.subarray(start, start + length), length);
  const min = Math.floor(((usable - 12) * 32) / 255) - 23;
  const filling = min + ((length - min) % (usable - 4));
  const localLength = filling <= max ? filling : min;
  const parts = [page.subarray(start, start + localLength)];
  let nextPage = page.readUInt32BE(start + localLength);
  for (let remaining = length - localLength; remaining > 0; remaining -= usable - 4) {
    const overflowPage = file.page(nextPage);
    if (overflowPage === null) throw new RangeError('the chain of pages is broken');
    parts.push(overflowPage.subarray(4, 4 + Math.min(remaining, usable - 4)));
    nextPage = overflowPage.readUInt32BE(0);
  }
  return checkLength(Buffer.concat(parts), length);
}

function checkLength(bytes: Buffer, length: number): Buffer {
  if (bytes.length !== length) throw new RangeError('the page ends before the cell does');
  return bytes;
}

function readVarint(bytes: Buffer, at: number): readonly [bigint, number] {
  let value = 0n;
  for (let index = 0; index < 9; index += 1) {
    const byte = bytes[at + index];
    if (byte === undefined) throw new RangeError('the page ends within a number');
    if (index === 8) return [BigInt.asIntN(64, (value << 8n) | BigInt(byte)), at + 9];
    value = (value << 7n) | BigInt(byte & 0x7f);
    if (byte < 0x80) return [value, at + index + 1];
  }
  throw new RangeError('a number does not end');
}

const integerBytes = [0, 1, 2, 3, 4, 6, 8] as const;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function readRecord(payload: Buffer): readonly CarvedValue[] {
  const [headerLength, headerStart] = readVarint(payload, 0);
  const headerEnd = Number(headerLength);
  if (headerEnd > payload.length) throw new RangeError('the record ends within its header');
  const values: CarvedValue[] = [];
  let valueOffset = headerEnd;
  for (let at = headerStart; at < headerEnd; ) {
    const [type, next] = readVarint(payload, at);
    const [value, length] = readValue(payload, valueOffset, Number(type));
    values.push(value);
    valueOffset += length;
    at = next;
  }
  if (valueOffset !== payload.length) throw new RangeError('the record is not as long as it says');
  return values;
}

function readValue(payload: Buffer, at: number, type: number): readonly [CarvedValue, number] {
  if (type === 0) return [null, 0];
  if (type === 7) return [payload.readDoubleBE(at), 8];
  if (type === 8 || type === 9) return [type - 8, 0];
  const bytes = integerBytes[type];
  if (bytes !== undefined) return [readInteger(payload, at, bytes), bytes];
  if (type < 12) throw new RangeError('an unknown type of value');
  const length = (type - (type % 2 === 0 ? 12 : 13)) / 2;
  const content = checkLength(payload.subarray(at, at + length), length);
  return [type % 2 === 0 ? Uint8Array.from(content) : utf8.decode(content), length];
}

function readInteger(payload: Buffer, at: number, bytes: number): number | bigint {
  if (bytes <= 6) return payload.readIntBE(at, bytes);
  const value = payload.readBigInt64BE(at);
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
