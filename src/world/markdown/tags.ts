/** Tags as Obsidian reads them. */
import { linksOf } from './links.ts';
import { inRanges, verbatimRanges } from './verbatim.ts';

/** A tag: letters, digits, symbols and emoji of every script, but no punctuation. */
const tag = /#([^\s\u2000-\u206F\u2E00-\u2E7F'!"#$%&()*+,.:;<=>?@^`{|}~[\]\\]+)/g;
/** Text allowed right before a tag. An opening parenthesis is allowed, except the one of a link's target. */
const before = /^$|[\s>|]$|(?:^|[^\]])\($/;

export function tagsOf(text: string): readonly string[] {
  if (!text.includes('#')) return [];
  const inside = inRanges(verbatimRanges(text));
  const inLink = inRanges(linksOf(text).map(({ start, end, fragment }) => [start, end + fragment.length]));
  const tags = new Set<string>();
  for (const { 1: name = '', index } of text.matchAll(tag)) {
    if (inside(index) || !before.test(text.slice(Math.max(0, index - 2), index))) continue;
    if (inLink(index)) continue;
    const clean = name.replace(/\/+$/, '');
    if (/[^\d/]/.test(clean)) tags.add(clean);
  }
  return [...tags];
}
