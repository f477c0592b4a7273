import { join } from 'node:path';
import { canonicalJson, type MaskRecipe } from '../../../core/index.ts';
import { type Manifest, readManifest, type SegmentEntry } from '../../manifest.ts';
import type { IndexProgress } from '../../search.ts';
import type { WalkLimits } from '../../walk/walk-limits.ts';
import type { TrackedFiles } from '../refresh/changes.ts';
import { readTreeState, type TreeState } from '../refresh/tree-state.ts';
import type { IndexSettings } from '../settings.ts';
import type { LiveSegment } from './corpus.ts';
import { Segment } from './segment.ts';
import { readVerified, segmentStamp, writeVerified } from './verified-segments.ts';

/** Opens an index for a refresh. */

export interface IndexPlace {
  readonly root: string;
  /** The directory of the index, created if missing. */
  readonly directory: string;
  readonly settings: IndexSettings;
  readonly limits: WalkLimits;
  /** Absent: secrets are not hidden. */
  readonly mask?: MaskRecipe | undefined;
}

export interface RefreshTask {
  /** Paths to check, relative to the root; undefined for the whole tree. */
  readonly paths: readonly string[] | undefined;
  /** None of the paths was a folder at the last refresh. */
  readonly pathsAreFiles?: boolean;
  /** The files that version control tracks, relative to the root. */
  readonly tracked: TrackedFiles;
  readonly signal: AbortSignal | undefined;
  /** Maximum milliseconds to wait for another process that refreshes the same index. */
  readonly wait?: number | undefined;
  readonly onProgress: (progress: IndexProgress) => void;
  /** Names of segments whose checksums this process has verified; the refresh adds to them. */
  readonly verified: Set<string>;
}

export interface IndexBefore {
  /** Null if there is no index, or one with other settings. */
  readonly manifest: Manifest | null;
  readonly entries: readonly SegmentEntry[];
  /** In the same order as `entries`. */
  readonly segments: readonly LiveSegment[];
  readonly state: TreeState | null;
  readonly notes: readonly string[];
}

/** The generation of the manifest that the refresh writes. */
export function nextGeneration({ manifest }: Pick<IndexBefore, 'manifest'>): number {
  return (manifest?.generation ?? 0) + 1;
}

/** Leaves out damaged segments; their files then count as new. */
export function openIndex(place: IndexPlace, { verified, paths }: RefreshTask): IndexBefore {
  const manifest = readManifest(place.directory);
  if (manifest === null || canonicalJson(pickSettings(manifest)) !== canonicalJson(pickSettings(place))) {
    return { manifest: null, entries: [], segments: [], state: null, notes: [] };
  }
  const notes: string[] = [];
  const verifiedBefore = paths === undefined ? readVerified(place.directory) : {};
  const isUntouched = (name: string) => {
    const stamp = verifiedBefore[name];
    return stamp !== undefined && stamp === segmentStamp(place.directory, name);
  };
  const valid = manifest.segments.flatMap((entry) => {
    const segment = Segment.open(join(place.directory, entry.name));
    // A refresh of a few paths must be quick: it trusts the checks of `open`.
    const isTrusted = paths !== undefined || verified.has(entry.name) || isUntouched(entry.name);
    if (segment !== null && (isTrusted || segment.verify())) {
      if (paths === undefined) verified.add(entry.name);
      return [{ entry, live: { segment, dead: entry.dead } }];
    }
    segment?.close();
    notes.push(`The index segment ${entry.name} was missing or damaged; its files were indexed again.`);
    return [];
  });
  if (paths === undefined)
    writeVerified(
      place.directory,
      verifiedBefore,
      valid.map(({ entry }) => entry.name),
    );
  return {
    manifest,
    entries: valid.map(({ entry }) => entry),
    segments: valid.map(({ live }) => live),
    // The state requires that all files of its folders are known, which is not so after a loss.
    state: notes.length > 0 ? null : readTreeState(place.directory, manifest.tree),
    notes,
  };
}

/** The settings that determine the content of segments. */
function pickSettings({ settings, limits }: Pick<IndexPlace, 'settings' | 'limits'>): unknown {
  return { settings, limits };
}
