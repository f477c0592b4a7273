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

/** The input of a refresh. */

export interface IndexPlace {
  readonly root: string;
  /** The directory of the index, made where it is missing. */
  readonly directory: string;
  readonly settings: IndexSettings;
  readonly limits: WalkLimits;
  /** Absent: nothing is hidden. */
  readonly mask?: MaskRecipe | undefined;
}

export interface RefreshTask {
  /** Relative to the root; undefined for all of the tree. */
  readonly paths: readonly string[] | undefined;
  /** None of the paths was a folder when the index was brought up to date last. */
  readonly pathsAreFiles?: boolean;
  /** The files that version control tracks, relative to the root. */
  readonly tracked: TrackedFiles;
  readonly signal: AbortSignal | undefined;
  /** Milliseconds to wait at most for another process that refreshes the same index. */
  readonly wait?: number | undefined;
  readonly onProgress: (progress: IndexProgress) => void;
  /** Names of segments whose every byte this process has checked; added to. */
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

/** That of the manifest which the refresh writes. */
export function nextGeneration({ manifest }: Pick<IndexBefore, 'manifest'>): number {
  return (manifest?.generation ?? 0) + 1;
}

/** A damaged segment is left out, and its files count as new. */
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
    // A look at some paths is to be quick: it trusts what opening a segment checks.
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
    // The state lists folders all of whose files are known; after a loss that is no longer true.
    state: notes.length > 0 ? null : readTreeState(place.directory, manifest.tree),
    notes,
  };
}

/** The settings that determine the content of segments. */
function pickSettings({ settings, limits }: Pick<IndexPlace, 'settings' | 'limits'>): unknown {
  return { settings, limits };
}
