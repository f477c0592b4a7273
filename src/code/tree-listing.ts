/** A cached list of the files of a tree. They are listed again only if a folder or an ignore file has changed. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { addFolderRules, type IgnoreRules, isIgnored, readRulesAbove } from '../search/index.ts';
import { fileStamp } from './file-stamp.ts';
import type { WordFiles, WordFinder } from './grep/word-files.ts';

export interface TreeListing {
  /** The listing. Changes on disk are noticed only after `recheck`. */
  current(signal?: AbortSignal): Promise<WordFiles>;
  /** Lets the next `current` look for changes on disk. */
  recheck(): void;
  /** The cached listing, for another process to start with; null if there is none. */
  known(): KnownListing | null;
  /** Sets the cached listing. It is checked before it is used. */
  restore(known: KnownListing): void;
}

export interface KnownListing {
  readonly paths: readonly string[];
  /** Stamps of all folders and ignore files that the listing depends on, by absolute path. */
  readonly stamps: ReadonlyMap<string, string>;
  /** The state of the settings that the listing depends on; empty if there are none. */
  readonly based: string;
}

/** With more folders, checking each costs more than listing them again. */
const maxFolders = 20_000;
const versionControl = /(?:^|\/)(?:\.git|\.hg|\.svn|\.jj|\.bzr|CVS)$/;
const ruleFile = /(?:^|\/)\.(?:gitignore|ignore|rgignore)$/;

interface CachedListing {
  readonly files: WordFiles;
  readonly stamps: ReadonlyMap<string, string>;
  readonly based: string;
}

export function treeListing(
  root: string,
  { listFiles: listAll, settingsKey }: Pick<WordFinder, 'listFiles' | 'settingsKey'>,
  now: () => number = Date.now,
): TreeListing {
  let cachedListing: CachedListing | null = null;
  let currentListing: Promise<WordFiles> | null = null;

  async function listFiles(signal?: AbortSignal): Promise<WordFiles> {
    const based = (await settingsKey?.()) ?? '';
    if (cachedListing !== null && cachedListing.based === based && isCurrent(cachedListing, now()))
      return cachedListing.files;
    cachedListing = null;
    const startedAt = now();
    const files = await listAll(signal);
    const stamps = files.cut ? null : takeStamps(root, files.paths, startedAt);
    if (stamps !== null) cachedListing = { files, stamps, based };
    return files;
  }

  return {
    recheck() {
      currentListing = null;
    },
    known: () =>
      cachedListing === null
        ? null
        : { paths: cachedListing.files.paths, stamps: cachedListing.stamps, based: cachedListing.based },
    restore({ paths, stamps, based }) {
      cachedListing ??= { files: { paths, cut: false }, stamps, based };
    },
    current(signal) {
      if (currentListing !== null) return currentListing;
      const ownListing = listFiles(signal);
      currentListing = ownListing;
      // A later caller must not get the failure of an earlier one.
      ownListing.catch(() => {
        if (currentListing === ownListing) currentListing = null;
      });
      return ownListing;
    },
  };
}

function isCurrent({ stamps }: CachedListing, now: number): boolean {
  for (const [path, stamp] of stamps) if ((fileStamp(path, now) ?? '') !== stamp) return false;
  return true;
}

/** Takes the stamps of all that a listing depends on. Null if one is too recent to be trusted, or if there are too many. */
function takeStamps(
  root: string,
  paths: readonly string[],
  startedAt: number,
): ReadonlyMap<string, string> | null {
  const folders = new Set(['']);
  for (const path of paths)
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const folder = path.slice(0, slash);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  if (folders.size > maxFolders || !addEmptyFolders(root, folders)) return null;
  const stamps = new Map<string, string>();
  for (const folder of folders) {
    const stamp = fileStamp(join(root, folder), startedAt);
    if (stamp === null) return null;
    stamps.set(join(root, folder), stamp);
  }
  const rules = [
    ...readRulesAbove(root).sources.map(({ path }) => path),
    ...paths.filter((path) => ruleFile.test(path)).map((path) => join(root, path)),
  ];
  for (const path of rules) stamps.set(path, fileStamp(path, startedAt) ?? '');
  return stamps;
}

/** Adds folders without a listed file, since one may appear there. Returns false if there are too many folders. */
function addEmptyFolders(root: string, folders: Set<string>): boolean {
  const { rules: rulesAbove } = readRulesAbove(root);
  const rulesByFolder = new Map<string, IgnoreRules>();
  const rulesOf = (folder: string): IgnoreRules => {
    const found = rulesByFolder.get(folder);
    if (found !== undefined) return found;
    const parentFolder = folder.includes('/') ? folder.slice(0, folder.lastIndexOf('/')) : '';
    const rules = addFolderRules(folder === '' ? rulesAbove : rulesOf(parentFolder), root, folder);
    rulesByFolder.set(folder, rules);
    return rules;
  };
  for (const folder of folders) {
    if (folders.size > maxFolders) return false;
    let folderNames: readonly string[];
    try {
      folderNames = readdirSync(join(root, folder), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name);
    } catch {
      continue;
    }
    for (const name of folderNames) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (folders.has(path) || versionControl.test(path) || isIgnored(rulesOf(folder), path, true)) continue;
      folders.add(path);
    }
  }
  return true;
}
