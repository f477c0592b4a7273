/**
 * The contract of reading notes in Markdown, as Obsidian and plain tools write them. Pure functions over text;
 * nothing is lost: the front matter and the blocks of a page, put one after the other, are its text, byte for byte.
 */
import type { BlockKind } from '../world.ts';

export interface FrontMatter {
  /** The fences and all between, with the line end after the closing fence; empty where there is none. */
  readonly raw: string;
  readonly properties: Readonly<Record<string, unknown>>;
  /** Why it could not be read, in one line: it is kept as it is, and has no properties then. */
  readonly problem: string | null;
}

/**
 * Kept whole, the blank lines after it included, and before the first those before it. Never empty, but for the one
 * block of a page without text.
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
  /** Path, title or alias of a page, without heading, block reference and `.md`, unescaped. Relative where `kind` is not wiki. */
  readonly target: string;
  /** `#Heading`, `#^block`, or empty. */
  readonly fragment: string;
  readonly alias: string | null;
  /** Where the target stands in the text, in UTF-16 units, so that a renamed page can be written in its place. */
  readonly start: number;
  readonly end: number;
}

export interface Markdown {
  readPage(text: string): PageSource;
  /** Links of one block; none within code. */
  linksOf(text: string): readonly WrittenLink[];
  /**
   * The text with links leading elsewhere: for each link the new target, or null to leave it. A target is written in
   * the form in which the old one stood there: with its ending, and encoded where that is asked for.
   */
  withTargets(text: string, targetFor: (link: WrittenLink) => string | null): string;
  /** `#tag` and `#nested/tag` of one block without `#`; none within code, links or headings' marks. */
  tagsOf(text: string): readonly string[];
  /**
   * Changes only the lines of the properties named; null takes one away. Keeps comments and order. What has a
   * problem is given back as it is.
   */
  withProperties(
    frontMatter: FrontMatter,
    set: Readonly<Record<string, unknown>>,
    newline: '\n' | '\r\n',
  ): FrontMatter;
}
