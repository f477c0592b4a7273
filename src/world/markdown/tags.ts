/** Tags as Obsidian reads them. */
import { findLinks } from './links.ts';
import { createRangeTest, findVerbatimRanges } from './verbatim.ts';

/** A tag: letters, digits, symbols and emoji of every script, without punctuation. */
const tag = /#([^\s\u2000-\u206F\u2E00-\u2E7F'!"#$%&()*+,.:;<=>?@^`{|}~[\]\\]+)/g;
/** What may precede a tag. An opening parenthesis may, except that of a link's target. */
const before = /^$|[\s>|]$|(?:^|[^\]])\($/;

export function findTags(text: string): readonly string[] {
  if (!text.includes('#')) return [];
  const inside = createRangeTest(findVerbatimRanges(text));
  const inLink = createRangeTest(
    findLinks(text).map(({ start, end, fragment }) => [start, end + fragment.length]),
  );
  const tags = new Set<string>();
  for (const { 1: name = '', index } of text.matchAll(tag)) {
    if (inside(index) || !before.test(text.slice(Math.max(0, index - 2), index))) continue;
    if (inLink(index)) continue;
    const clean = name.replace(/\/+$/, '');
    if (/[^\d/]/.test(clean)) tags.add(clean);
  }
  return [...tags];
}
