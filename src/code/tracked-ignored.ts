import {
  addFolderRules,
  type IgnoreRules,
  isIgnored,
  readRulesAbove,
  type UnusualFiles,
} from '../search/index.ts';
import { repositoryStamp } from './git/repository-stamp.ts';
import { createTrackedPathsFinder, type TrackedPathsOptions } from './git/tracked-paths.ts';

/**
 * Returns a function that lists the files that git tracks although its ignore rules name them. It asks git again only
 * when the index or HEAD has changed.
 */
export function createTrackedIgnoredFinder(options: TrackedPathsOptions): () => Promise<UnusualFiles> {
  const ask = createTrackedPathsFinder(options);
  let known: { readonly stamp: string; readonly files: UnusualFiles } | null = null;
  return async () => {
    const stamp = repositoryStamp(options.root);
    if (known !== null && known.stamp === stamp) return known.files;
    const files = { tracked: findIgnored(options.root, (await ask()) ?? []), encoded: [] };
    known = stamp === null ? null : { stamp, files };
    return files;
  };
}

function findIgnored(root: string, paths: readonly string[]): readonly string[] {
  const rulesOf = new Map<string, IgnoreRules>();
  const isOut = new Map<string, boolean>();
  const { rules: above } = readRulesAbove(root);
  const folderOf = (path: string) => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '');
  const rulesFor = (folder: string): IgnoreRules => {
    const found = rulesOf.get(folder);
    if (found !== undefined) return found;
    const rules = addFolderRules(folder === '' ? above : rulesFor(folderOf(folder)), root, folder);
    rulesOf.set(folder, rules);
    return rules;
  };
  const isFolderIgnored = (folder: string): boolean => {
    if (folder === '') return false;
    const found = isOut.get(folder);
    if (found !== undefined) return found;
    const up = folderOf(folder);
    const out = isFolderIgnored(up) || isIgnored(rulesFor(up), folder, true);
    isOut.set(folder, out);
    return out;
  };
  return paths.filter((path) => {
    const folder = folderOf(path);
    return isFolderIgnored(folder) || isIgnored(rulesFor(folder), path, false);
  });
}
