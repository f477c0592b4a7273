export { linksOf, withTargets } from './links.ts';
export type { BlockText, FrontMatter, Markdown, PageSource, WrittenLink } from './markdown.ts';
export { withProperties } from './properties.ts';
export { readPage } from './read-page.ts';
export { tagsOf } from './tags.ts';
