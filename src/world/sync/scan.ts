/**
 * Waits until no file is being written, and lists which files exist, which are gone, and which are still being written.
 */
import type { BigIntStats } from 'node:fs';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { type VaultListing, walkVault } from '../vault/walk-vault.ts';
import type { Folder } from './folder.ts';
import type { KnownFile } from './known.ts';
import { markName, refuseInnerVaults } from './mark.ts';

export interface Scan {
  readonly listing: VaultListing;
  /** The stamp of each existing page file. */
  readonly stamps: ReadonlyMap<string, string>;
  readonly gone: ReadonlySet<string>;
  /** Files that are being written right now. */
  readonly busy: ReadonlySet<string>;
}

/** After this many files, other tasks of the process get a turn. */
const filesPerSlice = 500;
/**
 * A file that has only the beginning of its last text may be half written: it must be unchanged this many times longer.
 */
const shrunkFactor = 7;
/** Maximum number of repeated scans if names keep changing. */
const maxScans = 3;
/** Maximum total wait, as a multiple of the quiet time. */
const maxWaits = 30;

const million = 1_000_000n;

export async function scanFolder(
  folder: Folder,
  known: ReadonlyMap<string, KnownFile>,
  quietMs: number,
  textOf: (file: KnownFile) => string | null,
): Promise<Scan> {
  for (let scansLeft = maxScans; ; scansLeft--) {
    const scan = await scanOnce(folder, known, quietMs, textOf);
    if (scan.gone.size === 0) return scan;
    // A file that was renamed during the listing may be missed under both names.
    const pagesAfter = listVault(folder).pages;
    const isSame =
      pagesAfter.length === scan.listing.pages.length &&
      pagesAfter.every((file, at) => file === scan.listing.pages[at]);
    const isRenamed = [...scan.busy].some((file) => !known.has(file));
    if (isSame && !isRenamed) return scan;
    // The next pass handles files that may be gone or renamed.
    if (scansLeft === 0) return { ...scan, gone: new Set(), busy: new Set([...scan.busy, ...scan.gone]) };
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
  const changedFiles: string[] = [];
  let readCount = 0;
  for (const file of listing.pages) {
    if (++readCount % filesPerSlice === 0) await setImmediate();
    const stats = folder.stats(file);
    if (stats === null) continue;
    const stamp = stampOf(stats);
    stamps.set(file, stamp);
    if (known.get(file)?.stamp !== stamp) changedFiles.push(file);
  }
  const busy = await waitUntilQuiet(folder, changedFiles, stamps, quietMs, (file, stats) => {
    const record = known.get(file);
    return record !== undefined && isShortened(folder, record, stats, textOf)
      ? shrunkFactor * quietMs
      : quietMs;
  });
  let gone = findGone(known, stamps, listing);
  // An editor may be replacing one of these files right now.
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
async function waitUntilQuiet(
  folder: Folder,
  files: readonly string[],
  stamps: Map<string, string>,
  quietMs: number,
  quietFor: (file: string, stats: BigIntStats) => number,
): Promise<ReadonlySet<string>> {
  let waiting = quietMs > 0 ? [...files] : [];
  const observed = new Map<string, { readonly stamp: string; readonly at: number }>();
  for (let waited = 0; waiting.length > 0; ) {
    let longestWait = 0;
    const stillChanging: string[] = [];
    for (const file of waiting) {
      const stats = folder.stats(file);
      if (stats === null) {
        stamps.delete(file);
        continue;
      }
      const stamp = stampOf(stats);
      stamps.set(file, stamp);
      const observation = observed.get(file);
      if (observation?.stamp !== stamp) observed.set(file, { stamp, at: performance.now() });
      // The age by the file's own time or, since clocks may differ, by how long it was observed unchanged.
      const age = Math.max(
        measureQuietMs(stats),
        observation?.stamp === stamp ? performance.now() - observation.at : 0,
      );
      const remainingMs = quietFor(file, stats) - age;
      if (remainingMs <= 0) continue;
      stillChanging.push(file);
      longestWait = Math.max(longestWait, remainingMs);
    }
    waiting = stillChanging;
    if (waiting.length === 0 || waited > maxWaits * quietMs) break;
    const pause = Math.max(10, Math.min(longestWait, shrunkFactor * quietMs));
    await sleep(pause);
    waited += pause;
  }
  return new Set(waiting);
}

/** Milliseconds since the last change of a file; 0 if its time is in the future. */
function measureQuietMs({ ctimeNs, mtimeNs }: BigIntStats): number {
  const age = Date.now() - Number((ctimeNs > mtimeNs ? ctimeNs : mtimeNs) / million);
  return age < 0 ? 0 : age;
}

function isShortened(
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
  // Files below an unreadable folder, or replaced by a link, are not gone.
  const unreadablePaths = problems.map(({ path }) => path);
  const others = new Set(attachments);
  const isHidden = (file: string): boolean =>
    others.has(file) ||
    unreadablePaths.some((path) => path === '' || file === path || file.startsWith(`${path}/`));
  return [...known.keys()].filter((file) => !stamps.has(file) && !isHidden(file));
}

export const stampOf = ({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string =>
  `${size}:${mtimeNs}:${ctimeNs}:${ino}`;

export const inodeOf = (stamp: string): string => stamp.slice(stamp.lastIndexOf(':') + 1);

/** Resolution of file times in milliseconds: `coarseClockMs` for file systems that store whole seconds. */
const [fineClockMs, coarseClockMs] = [50, 2500];

/** The stamp of a file; a stale one if the file is so new that it may change again without a change of its times. */
export function toSafeStamp(stats: BigIntStats): string {
  const clockMs = stats.mtimeNs % (1000n * million) === 0n ? coarseClockMs : fineClockMs;
  const age = Date.now() - Number(stats.ctimeNs / million);
  return age > clockMs ? stampOf(stats) : toStaleStamp(stampOf(stats));
}

/** A stamp that no file has, so that the file is read again. It keeps the inode, by which a renamed file is found. */
export const toStaleStamp = (stamp: string): string => (stamp === '' ? '' : `:${inodeOf(stamp)}`);
