/**
 * The contract for reading notes in Markdown, as Obsidian and other editors write them. Pure functions on text. Front
 * matter and blocks, joined, are the text of the page, byte for byte.
 */
import type { BlockKind } from '../world.ts';

export interface FrontMatter {
  /** The text from the opening fence to the line end after the closing one; empty if there is no front matter. */
  readonly raw: string;
  readonly properties: Readonly<Record<string, unknown>>;
  /** Why the front matter can't be parsed, in one line; it then has no properties. Null if it can. */
  readonly problem: string | null;
}

/**
 * A block with the blank lines after it; the first one also with those before it. Empty only as the single block of an
 * empty page.
 */
export interface BlockText {
  readonly text: string;
  readonly kind: BlockKind;
}

export interface PageSource {
  readonly frontMatter: FrontMatter;
  readonly blocks: readonly BlockText[];
}

export interface WrittenLink {
  readonly kind: 'wiki' | 'markdown' | 'embed';
  /** Path, title or alias of a page, unescaped, without fragment and `.md`. Relative if `kind` is not wiki. */
  readonly target: string;
  /** `#Heading`, `#^block`, or empty. */
  readonly fragment: string;
  readonly alias: string | null;
  /** The range of the target in the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

export interface Markdown {
  readPage(text: string): PageSource;
  /** Links of one block; none within code. */
  findLinks(text: string): readonly WrittenLink[];
  /**
   * Replaces targets. `targetFor` returns the new target of a link, or null to keep it. The form of the old target is
   * kept: its extension, and percent-encoding if it had it.
   */
  replaceTargets(text: string, targetFor: (link: WrittenLink) => string | null): string;
  /** The tags of one block, such as `tag` and `nested/tag`; none within code, links or the marks of headings. */
  findTags(text: string): readonly string[];
  /**
   * Sets properties; null removes one. Changes only their lines, so that comments and order stay. Front matter with a
   * problem is returned unchanged.
   */
  changeProperties(
    frontMatter: FrontMatter,
    set: Readonly<Record<string, unknown>>,
    newline: '\n' | '\r\n',
  ): FrontMatter;
}
