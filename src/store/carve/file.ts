/**
 * Reads the pages of a SQLite file, with the commits of its write-ahead log. Doesn't use SQLite, which refuses files
 * with a damaged header or tree. Format: https://sqlite.org/fileformat2.html
 */
import { existsSync, readFileSync } from 'node:fs';
import { messageOf, SondeError } from '../../core/index.ts';

export interface PageFile {
  /** The number of bytes of a page that can hold content. */
  readonly usable: number;
  readonly pages: number;
  /** Numbered from 1; null beyond the end of the file. */
  page(number: number): Buffer | null;
  /** Unused pages: they may hold outdated rows. */
  readonly free: ReadonlySet<number>;
}

const headerText = 'SQLite format 3\0';
/** The page size of files that this program creates, for a file without a readable header. */
const defaultPageSize = 4096;

/** Throws `not_found` and `store_unusable`. */
export function openPageFile(path: string): PageFile {
  const bytes = readContent(path);
  const hasHeader = bytes.toString('latin1', 0, headerText.length) === headerText;
  const statedSize = hasHeader ? bytes.readUInt16BE(16) : 0;
  const pageSize = statedSize === 1 ? 65_536 : isPageSize(statedSize) ? statedSize : defaultPageSize;
  const walPages = existsSync(`${path}-wal`)
    ? readCommittedPages(readFileSync(`${path}-wal`), pageSize)
    : new Map();
  const pages = Math.max(Math.floor(bytes.length / pageSize), ...walPages.keys(), 0);
  const file = {
    usable: pageSize - (hasHeader ? Math.min(bytes[20]!, pageSize / 8) : 0),
    pages,
    page(number: number): Buffer | null {
      if (number < 1 || number > pages) return null;
      const newest = walPages.get(number);
      if (newest !== undefined) return newest;
      const page = bytes.subarray((number - 1) * pageSize, number * pageSize);
      return page.length === pageSize ? page : null;
    },
  };
  return { ...file, free: hasHeader ? readFreePages(file) : new Set() };
}

function readContent(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new SondeError(isMissing ? 'not_found' : 'store_unusable', {
      message: isMissing ? `${path}: there is no such file` : `${path} cannot be read: ${messageOf(error)}`,
      remedy: 'Name the file of a workspace.',
    });
  }
}

const isPageSize = (size: number): boolean => size >= 512 && size <= 32_768 && (size & (size - 1)) === 0;

const walHeaderBytes = 32;
const frameHeaderBytes = 24;

/** The newest image of each page in the complete transactions of a write-ahead log. */
function readCommittedPages(wal: Buffer, size: number): ReadonlyMap<number, Buffer> {
  const committed = new Map<number, Buffer>();
  if (wal.length < walHeaderBytes || wal.readUInt32BE(8) !== size) return committed;
  const isLittleEndian = wal.readUInt32BE(0) === 0x377f0682;
  let sum = checksum(wal.subarray(0, 24), [0, 0], isLittleEndian);
  let uncommitted = new Map<number, Buffer>();
  for (let at = walHeaderBytes; at + frameHeaderBytes + size <= wal.length; at += frameHeaderBytes + size) {
    const hasSalt = wal.compare(wal, 16, 24, at + 8, at + 16) === 0;
    sum = checksum(wal.subarray(at, at + 8), sum, isLittleEndian);
    const content = wal.subarray(at + frameHeaderBytes, at + frameHeaderBytes + size);
    sum = checksum(content, sum, isLittleEndian);
    if (!hasSalt || sum[0] !== wal.readUInt32BE(at + 16) || sum[1] !== wal.readUInt32BE(at + 20)) break;
    uncommitted.set(wal.readUInt32BE(at), content);
    if (wal.readUInt32BE(at + 4) === 0) continue;
    for (const [number, page] of uncommitted) committed.set(number, page);
    uncommitted = new Map();
  }
  return committed;
}

type Sum = readonly [number, number];

function checksum(bytes: Buffer, [first, second]: Sum, isLittleEndian: boolean): Sum {
  let a = first;
  let b = second;
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    a = (a + (isLittleEndian ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at)) + b) >>> 0;
    b = (b + (isLittleEndian ? bytes.readUInt32LE(at + 4) : bytes.readUInt32BE(at + 4)) + a) >>> 0;
  }
  return [a, b];
}

function readFreePages(file: Pick<PageFile, 'page' | 'pages'>): ReadonlySet<number> {
  const freePages = new Set<number>();
  let trunk = file.page(1)?.readUInt32BE(32) ?? 0;
  while (trunk > 0 && trunk <= file.pages && !freePages.has(trunk)) {
    freePages.add(trunk);
    const page = file.page(trunk);
    if (page === null) break;
    const leafCount = Math.min(page.readUInt32BE(4), page.length / 4 - 2);
    for (let index = 0; index < leafCount; index += 1) freePages.add(page.readUInt32BE(8 + 4 * index));
    trunk = page.readUInt32BE(0);
  }
  return freePages;
}
