/** Second door: a folder's files and its history, without what is known of the names in them. */
export { gitHistory } from './git-history.ts';
export { ripgrep } from './grep.ts';
export { searchByGrep } from './grep-search.ts';
export { maskGrep, maskTexts } from './masked.ts';
export { repositoryStamp } from './repository-stamp.ts';
export { findTrackedPaths } from './tracked-paths.ts';
export { treeReader } from './tree-reader.ts';
