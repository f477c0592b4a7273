/** Second entry point of the room: the files and the git history of a folder, without the analysis of names. */
export { createHistoryReader } from './git/git-history.ts';
export { repositoryStamp } from './git/repository-stamp.ts';
export { createTrackedPathsFinder as trackedPathsFinder } from './git/tracked-paths.ts';
export { ripgrep } from './grep/grep.ts';
export { searchByGrep } from './grep/grep-search.ts';
export { maskGrep, maskTexts } from './masking.ts';
export { treeReader } from './tree-reader.ts';
