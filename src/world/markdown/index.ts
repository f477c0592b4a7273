export { itemMark } from './block-starts.ts';
export type { Unit } from './blocks.ts';
export { frontMatterOf, yamlOf } from './front-matter.ts';
export { linksOf, linksOfFront, withTargets } from './links.ts';
export type { BlockText, FrontMatter, Markdown, PageSource, WrittenLink } from './markdown.ts';
export { withProperties } from './properties.ts';
export { pageUnits, pageUnitsOfReaders, readPage, withoutTail } from './read-page.ts';

export { tagsOf } from './tags.ts';
