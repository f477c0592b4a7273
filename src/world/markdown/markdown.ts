/**
 * The contract of reading notes in Markdown, as Obsidian and plain tools write them. Pure functions over text. Nothing
 * is lost: front matter and blocks concatenated are the text of the page, byte for byte.
 */
import type { BlockKind } from '../world.ts';

export interface FrontMatter {
  /** The fences and everything between, with the line end after the closing fence; empty if there is none. */
  readonly raw: string;
  readonly properties: Readonly<Record<string, unknown>>;
  /** Why the front matter could not be read, in one line. It then keeps its text, and has no properties. */
  readonly problem: string | null;
}

/**
 * A whole block with the blank lines after it. The first block also has the blank lines before it. Empty only as the
 * single block of a page without text.
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
  /**
   * Path, title or alias of a page, without heading, block reference and `.md`, unescaped. Relative if `kind` is not
   * wiki.
   */
  readonly target: string;
  /** `#Heading`, `#^block`, or empty. */
  readonly fragment: string;
  readonly alias: string | null;
  /** The range of the target in the text, in UTF-16 units, so that a rename can replace it. */
  readonly start: number;
  readonly end: number;
}

export interface Markdown {
  readPage(text: string): PageSource;
  /** Links of one block; none within code. */
  linksOf(text: string): readonly WrittenLink[];
  /**
   * The text with new targets. `targetFor` returns the target of each link, or null to keep it. A target is written in
   * the form of the old one: with its extension, and percent-encoded if the old one was.
   */
  withTargets(text: string, targetFor: (link: WrittenLink) => string | null): string;
  /** `#tag` and `#nested/tag` of one block without `#`; none within code, links or headings' marks. */
  tagsOf(text: string): readonly string[];
  /**
   * Changes only the lines of the named properties; null removes one. Keeps comments and order. Front matter with a
   * problem is returned unchanged.
   */
  withProperties(
    frontMatter: FrontMatter,
    set: Readonly<Record<string, unknown>>,
    newline: '\n' | '\r\n',
  ): FrontMatter;
}
