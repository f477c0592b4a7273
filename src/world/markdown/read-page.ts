import { blocksOf } from './blocks.ts';
import { frontMatterOf } from './front-matter.ts';
import type { PageSource } from './markdown.ts';

export function readPage(text: string): PageSource {
  const frontMatter = frontMatterOf(text);
  return Object.freeze({ frontMatter, blocks: blocksOf(text.slice(frontMatter.raw.length)) });
}
