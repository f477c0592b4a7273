import {
  addFolderRules,
  type IgnoreRules,
  isIgnored,
  readRulesAbove,
  type UnusualFiles,
} from '../search/index.ts';
import { repositoryStamp } from './git/repository-stamp.ts';
import { findTrackedPaths, type TrackedPathsOptions } from './git/tracked-paths.ts';

/**
 * Files that git's rules ignore and git tracks all the same; asked again only when the tracked files have changed.
 */
export function trackedAside(options: TrackedPathsOptions): () => Promise<UnusualFiles> {
  const ask = findTrackedPaths(options);
  let known: { readonly stamp: string; readonly files: UnusualFiles } | null = null;
  return async () => {
    const stamp = repositoryStamp(options.root);
    if (known !== null && known.stamp === stamp) return known.files;
    const files = { tracked: findLeftOut(options.root, (await ask()) ?? []), encoded: [] };
    known = stamp === null ? null : { stamp, files };
    return files;
  };
}

function findLeftOut(root: string, paths: readonly string[]): readonly string[] {
  const rulesOf = new Map<string, IgnoreRules>();
  const isOut = new Map<string, boolean>();
  const { rules: above } = readRulesAbove(root);
  const folderOf = (path: string) => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '');
  const within = (folder: string): IgnoreRules => {
    const found = rulesOf.get(folder);
    if (found !== undefined) return found;
    const rules = addFolderRules(folder === '' ? above : within(folderOf(folder)), root, folder);
    rulesOf.set(folder, rules);
    return rules;
  };
  const isFolderOut = (folder: string): boolean => {
    if (folder === '') return false;
    const found = isOut.get(folder);
    if (found !== undefined) return found;
    const up = folderOf(folder);
    const out = isFolderOut(up) || isIgnored(within(up), folder, true);
    isOut.set(folder, out);
    return out;
  };
  return paths.filter((path) => {
    const folder = folderOf(path);
    return isFolderOut(folder) || isIgnored(within(folder), path, false);
  });
}
