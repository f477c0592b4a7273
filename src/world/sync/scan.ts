/**
 * Lists the files of a folder once it is quiet: the files that are new or changed since they were read, and the files
 * that are gone.
 */
import type { BigIntStats } from 'node:fs';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { type VaultListing, walkVault } from '../vault/walk-vault.ts';
import type { Folder } from './folder.ts';
import type { KnownFile } from './known.ts';
import { markName, refuseInnerVaults } from './mark.ts';

export interface Scan {
  readonly listing: VaultListing;
  /** The stamp of every page file that exists and is not being written. */
  readonly stamps: ReadonlyMap<string, string>;
  readonly gone: ReadonlySet<string>;
  /** Files that are being written right now. */
  readonly busy: ReadonlySet<string>;
}

/** Number of files between two pauses for other work. */
const filesPerSlice = 500;
/**
 * A file that has become shorter, with the same beginning, may be half written: it must be quiet for this many times
 * longer.
 */
const shrunkFactor = 7;
/** Maximum number of repeated scans of a folder in which names keep changing. */
const maxScans = 3;
/** Maximum of all waiting, as a multiple of the quiet time. */
const maxWaits = 30;

const million = 1_000_000n;

export async function scanFolder(
  folder: Folder,
  known: ReadonlyMap<string, KnownFile>,
  quietMs: number,
  textOf: (file: KnownFile) => string | null,
): Promise<Scan> {
  for (let left = maxScans; ; left--) {
    const scan = await scanOnce(folder, known, quietMs, textOf);
    if (scan.gone.size === 0) return scan;
    // A file that was renamed while the folders were listed is missed under both of its names.
    const again = listVault(folder).pages;
    const isSame =
      again.length === scan.listing.pages.length &&
      again.every((file, at) => file === scan.listing.pages[at]);
    const isRenamed = [...scan.busy].some((file) => !known.has(file));
    if (isSame && !isRenamed) return scan;
    // Files that may be gone or renamed are left to the next pass.
    if (left === 0) return { ...scan, gone: new Set(), busy: new Set([...scan.busy, ...scan.gone]) };
  }
}

async function scanOnce(
  folder: Folder,
  known: ReadonlyMap<string, KnownFile>,
  quietMs: number,
  textOf: (file: KnownFile) => string | null,
): Promise<Scan> {
  const listing = listVault(folder);
  const stamps = new Map<string, string>();
  const fresh: string[] = [];
  let readCount = 0;
  for (const file of listing.pages) {
    if (++readCount % filesPerSlice === 0) await setImmediate();
    const stats = folder.stats(file);
    if (stats === null) continue;
    const stamp = stampOf(stats);
    stamps.set(file, stamp);
    if (known.get(file)?.stamp !== stamp) fresh.push(file);
  }
  const busy = await untilQuiet(folder, fresh, stamps, quietMs, (file, stats) => {
    const before = known.get(file);
    return before !== undefined && isBeginning(folder, before, stats, textOf)
      ? shrunkFactor * quietMs
      : quietMs;
  });
  let gone = findGone(known, stamps, listing);
  // An editor may be replacing one of these files at this instant.
  if (gone.length > 0 && quietMs > 0) {
    await sleep(quietMs);
    gone = gone.filter((file) => folder.stats(file) === null);
  }
  return { listing, stamps, gone: new Set(gone), busy };
}

function listVault(folder: Folder): VaultListing {
  const listing = walkVault(folder.root, markName);
  refuseInnerVaults(folder.root, listing.marked);
  return listing;
}

/** Waits until files are quiet. Returns the files that are still being written. */
async function untilQuiet(
  folder: Folder,
  files: readonly string[],
  stamps: Map<string, string>,
  quietMs: number,
  quietFor: (file: string, stats: BigIntStats) => number,
): Promise<ReadonlySet<string>> {
  let waiting = quietMs > 0 ? [...files] : [];
  const observed = new Map<string, { readonly stamp: string; readonly at: number }>();
  for (let waited = 0; waiting.length > 0; ) {
    let longest = 0;
    const stillChanging: string[] = [];
    for (const file of waiting) {
      const stats = folder.stats(file);
      if (stats === null) {
        stamps.delete(file);
        continue;
      }
      const stamp = stampOf(stats);
      stamps.set(file, stamp);
      const seen = observed.get(file);
      if (seen?.stamp !== stamp) observed.set(file, { stamp, at: performance.now() });
      // The age of the file by its own time, or, since clocks may differ, by how long it has been observed unchanged.
      const age = Math.max(quietSince(stats), seen?.stamp === stamp ? performance.now() - seen.at : 0);
      const missing = quietFor(file, stats) - age;
      if (missing <= 0) continue;
      stillChanging.push(file);
      longest = Math.max(longest, missing);
    }
    waiting = stillChanging;
    if (waiting.length === 0 || waited > maxWaits * quietMs) break;
    const pause = Math.max(10, Math.min(longest, shrunkFactor * quietMs));
    await sleep(pause);
    waited += pause;
  }
  return new Set(waiting);
}

/** Milliseconds since the last change of a file; 0 if its time is in the future. */
function quietSince({ ctimeNs, mtimeNs }: BigIntStats): number {
  const age = Date.now() - Number((ctimeNs > mtimeNs ? ctimeNs : mtimeNs) / million);
  return age < 0 ? 0 : age;
}

function isBeginning(
  folder: Folder,
  knownFile: KnownFile,
  stats: BigIntStats,
  textOf: (file: KnownFile) => string | null,
): boolean {
  const text = textOf(knownFile);
  if (text === null || stats.size >= BigInt(Buffer.byteLength(text))) return false;
  return text.startsWith(folder.read(knownFile.file)?.toString('utf8') ?? '');
}

function findGone(
  known: ReadonlyMap<string, KnownFile>,
  stamps: ReadonlyMap<string, string>,
  { problems, attachments }: VaultListing,
): readonly string[] {
  // Excludes files that could not be read and those replaced by a link.
  const closed = problems.map(({ path }) => path);
  const others = new Set(attachments);
  const isHidden = (file: string): boolean =>
    others.has(file) || closed.some((path) => path === '' || file === path || file.startsWith(`${path}/`));
  return [...known.keys()].filter((file) => !stamps.has(file) && !isHidden(file));
}

export const stampOf = ({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string =>
  `${size}:${mtimeNs}:${ctimeNs}:${ino}`;

export const inodeOf = (stamp: string): string => stamp.slice(stamp.lastIndexOf(':') + 1);

/** Milliseconds of a file system's clock. Some clocks tell whole seconds only. */
const [fineClockMs, coarseClockMs] = [50, 2500];

/** The stamp of a file. It is stale if the file may change again while its times stay the same. */
export function keptStamp(stats: BigIntStats): string {
  const grain = stats.mtimeNs % (1000n * million) === 0n ? coarseClockMs : fineClockMs;
  const age = Date.now() - Number(stats.ctimeNs / million);
  return age > grain ? stampOf(stats) : staleStamp(stampOf(stats));
}

/**
 * A stamp that no file has, so that the file is read again; it contains the inode, so that the file is recognized under
 * another name.
 */
export const staleStamp = (stamp: string): string => (stamp === '' ? '' : `:${inodeOf(stamp)}`);
