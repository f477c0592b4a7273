export { parseItemMark } from './block-starts.ts';
export type { Unit } from './blocks.ts';
export { findYaml, parseFrontMatter } from './front-matter.ts';
export { findFrontLinks, findLinks, replaceTargets } from './links.ts';
export type { BlockText, FrontMatter, Markdown, PageSource, WrittenLink } from './markdown.ts';
export { changeProperties } from './properties.ts';
export { readPage, splitPageUnits, splitTail, splitUnitsByReaders } from './read-page.ts';

export { findTags } from './tags.ts';
