/**
 * An entry point of the room for code that only searches and reads: it loads no code for writes, merges or decisions.
 */
export { openWorldReader } from './read/open-world-reader.ts';
export { openPageSearch } from './search/open-page-search.ts';
