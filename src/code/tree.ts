/** Second entry point of the room: a folder's files and its history, without what is known of the names in them. */
export { gitHistory } from './git/git-history.ts';
export { repositoryStamp } from './git/repository-stamp.ts';
export { findTrackedPaths } from './git/tracked-paths.ts';
export { ripgrep } from './grep/grep.ts';
export { searchByGrep } from './grep/grep-search.ts';
export { maskGrep, maskTexts } from './masked.ts';
export { treeReader } from './tree-reader.ts';
