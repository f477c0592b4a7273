/** The door for whoever only searches and reads: nothing that writes, merges or decides is loaded by it. */
export { openWorldReader } from './read/open-world-reader.ts';
export { openPageSearch } from './search/open-page-search.ts';
