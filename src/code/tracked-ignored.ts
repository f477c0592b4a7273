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
  const listTracked = createTrackedPathsFinder(options);
  let lastAnswer: { readonly stamp: string; readonly files: UnusualFiles } | null = null;
  return async () => {
    const stamp = repositoryStamp(options.root);
    if (lastAnswer !== null && lastAnswer.stamp === stamp) return lastAnswer.files;
    const files = { tracked: findIgnored(options.root, (await listTracked()) ?? []), encoded: [] };
    lastAnswer = stamp === null ? null : { stamp, files };
    return files;
  };
}

function findIgnored(root: string, paths: readonly string[]): readonly string[] {
  const rulesByFolder = new Map<string, IgnoreRules>();
  const ignoredByFolder = new Map<string, boolean>();
  const { rules: rulesAbove } = readRulesAbove(root);
  const folderOf = (path: string) => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '');
  const rulesFor = (folder: string): IgnoreRules => {
    const found = rulesByFolder.get(folder);
    if (found !== undefined) return found;
    const rules = addFolderRules(folder === '' ? rulesAbove : rulesFor(folderOf(folder)), root, folder);
    rulesByFolder.set(folder, rules);
    return rules;
  };
  const isFolderIgnored = (folder: string): boolean => {
    if (folder === '') return false;
    const found = ignoredByFolder.get(folder);
    if (found !== undefined) return found;
    const parent = folderOf(folder);
    const isOut = isFolderIgnored(parent) || isIgnored(rulesFor(parent), folder, true);
    ignoredByFolder.set(folder, isOut);
    return isOut;
  };
  return paths.filter((path) => {
    const folder = folderOf(path);
    return isFolderIgnored(folder) || isIgnored(rulesFor(folder), path, false);
  });
}
