/** Tags as Obsidian reads them. */
import { findLinks } from './links.ts';
import { createRangeTest, findVerbatimRanges } from './verbatim.ts';

/** A tag: letters, digits, symbols and emoji of every script, without punctuation. */
const tagPattern = /#([^\s\u2000-\u206F\u2E00-\u2E7F'!"#$%&()*+,.:;<=>?@^`{|}~[\]\\]+)/g;
/** The text before a tag. An opening parenthesis may precede a tag, but not the one before the target of a link. */
const beforeTag = /^$|[\s>|]$|(?:^|[^\]])\($/;

export function findTags(text: string): readonly string[] {
  if (!text.includes('#')) return [];
  const isVerbatim = createRangeTest(findVerbatimRanges(text));
  const isInLink = createRangeTest(
    findLinks(text).map(({ start, end, fragment }) => [start, end + fragment.length]),
  );
  const tags = new Set<string>();
  for (const { 1: name = '', index } of text.matchAll(tagPattern)) {
    if (isVerbatim(index) || !beforeTag.test(text.slice(Math.max(0, index - 2), index))) continue;
    if (isInLink(index)) continue;
    const cleanName = name.replace(/\/+$/, '');
    if (/[^\d/]/.test(cleanName)) tags.add(cleanName);
  }
  return [...tags];
}
