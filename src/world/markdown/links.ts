/** Finds links with their positions, and replaces their targets. */
import type { WrittenLink } from './markdown.ts';
import { createRangeTest, findVerbatimRanges, type Range } from './verbatim.ts';

/** Maximum UTF-16 units of a destination. */
const maxLength = 2000;

const pageEnding = /\.(?:md|markdown)$/i;

export function findLinks(text: string): readonly WrittenLink[] {
  const hasWikiLinks = text.includes('[[');
  const hasMarkdownLinks = text.includes('](') || text.includes(']:');
  if (!hasWikiLinks && !hasMarkdownLinks) return [];
  const ranges = findVerbatimRanges(text);
  const found = [
    ...(hasWikiLinks ? findWikiLinks(text, ranges) : []),
    ...(hasMarkdownLinks ? [...findInlineLinks(text, ranges), ...findDefinitions(text, ranges)] : []),
  ];
  return found.sort((a, b) => a.start - b.start);
}

/** Links in front matter, quoted or not, except in comments. */
export function findFrontLinks(front: string): readonly WrittenLink[] {
  const found = [
    ...(front.includes('[[') ? findWikiLinks(front, []) : []),
    ...(front.includes('](') ? findInlineLinks(front, []) : []),
  ];
  return found
    .filter(({ start }) => !isCommented(front.slice(front.lastIndexOf('\n', start - 1) + 1, start)))
    .sort((a, b) => a.start - b.start);
}

/** Whether a comment of YAML begins in this part of a line. */
function isCommented(before: string): boolean {
  const unquoted = before.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, 'x').replace(/["'].*$/s, '');
  return /(?:^|\s)#/.test(unquoted);
}

const isEscaped = (text: string, at: number): boolean => {
  let slashes = 0;
  while (text[at - 1 - slashes] === '\\') slashes++;
  return slashes % 2 === 1;
};

function findWikiLinks(text: string, ranges: readonly Range[]): WrittenLink[] {
  const isVerbatim = createRangeTest(ranges);
  const links: WrittenLink[] = [];
  for (const { 0: whole, 1: content = '', index } of text.matchAll(/\[\[([^[\]\r\n]+)\]\]/g)) {
    if (isVerbatim(index) || isEscaped(text, index)) continue;
    // Within a table, the `|` before an alias is escaped.
    const aliasBar = /\\?\|/.exec(content);
    const destination = aliasBar === null ? content : content.slice(0, aliasBar.index);
    const hashIndex = destination.indexOf('#');
    const path = hashIndex < 0 ? destination : destination.slice(0, hashIndex);
    const writtenTarget = path.trim();
    if (writtenTarget === '') continue;
    const start = index + whole.indexOf(writtenTarget, 2);
    links.push(
      Object.freeze({
        kind: text[index - 1] === '!' && !isEscaped(text, index - 1) ? 'embed' : 'wiki',
        target: writtenTarget.replace(pageEnding, ''),
        fragment: hashIndex < 0 ? '' : destination.slice(hashIndex).trimEnd(),
        alias: aliasBar === null ? null : content.slice(aliasBar.index + aliasBar[0].length).trim(),
        start,
        end: start + writtenTarget.length,
      }),
    );
  }
  return links;
}

/** `[text](place "title")`, and images, which are embeds. */
function findInlineLinks(text: string, ranges: readonly Range[]): WrittenLink[] {
  const isVerbatim = createRangeTest(ranges);
  const links: WrittenLink[] = [];
  const openBrackets: number[] = [];
  const bracket = /\\[\s\S]|[[\]]/g;
  for (let match = bracket.exec(text); match !== null; match = bracket.exec(text)) {
    if (match[0].startsWith('\\') || isVerbatim(match.index)) continue;
    if (match[0] === '[') {
      openBrackets.push(match.index);
      continue;
    }
    const openIndex = openBrackets.pop();
    if (openIndex === undefined || text[bracket.lastIndex] !== '(') continue;
    const range = findDestination(text, bracket.lastIndex + 1);
    if (range === null) continue;
    const isImage = text[openIndex - 1] === '!' && !isEscaped(text, openIndex - 1);
    const link = toLocalLink(
      text,
      range,
      isImage ? 'embed' : 'markdown',
      text.slice(openIndex + 1, match.index),
    );
    if (link !== null) links.push(link);
  }
  return links;
}

/** `[name]: place "title"`, for links that are written `[text][name]`. */
function findDefinitions(text: string, ranges: readonly Range[]): WrittenLink[] {
  const isVerbatim = createRangeTest(ranges);
  const links: WrittenLink[] = [];
  for (const { 0: whole, index } of text.matchAll(
    /^ {0,3}\[(?!\^)(?:[^\]\\\r\n]|\\.){1,999}\]:[ \t]*(?=\S)/gm,
  )) {
    if (isVerbatim(index)) continue;
    const at = index + whole.length;
    const isBracketed = text[at] === '<';
    const length = (isBracketed ? /^<[^<>\r\n]*(?=>)/ : /^\S+/).exec(text.slice(at, at + maxLength))?.[0]
      .length;
    if (length === undefined) continue;
    const link = toLocalLink(text, [isBracketed ? at + 1 : at, at + length], 'markdown', null);
    if (link !== null) links.push(link);
  }
  return links;
}

/** The range of a link's destination, which begins after the opening parenthesis. */
function findDestination(text: string, from: number): Range | null {
  let at = from;
  while (/[ \t\r\n]/.test(text[at] ?? '')) at++;
  if (text[at] === '<') {
    const end = /[<>\r\n]/g;
    end.lastIndex = at + 1;
    const found = end.exec(text);
    return found?.[0] === '>' ? [at + 1, found.index] : null;
  }
  let depth = 0;
  for (let end = at; end < Math.min(text.length, at + maxLength); end++) {
    const sign = text[end]!;
    if (sign === '\\') end++;
    else if (sign === '(') depth++;
    else if (sign === ')' && depth-- === 0) return [at, end];
    else if (/\s/.test(sign)) return /^\s+(?:["'(]|\))/.test(text.slice(end, end + 200)) ? [at, end] : null;
  }
  return null;
}

/** The link to a page; null for a link to another site, within the same page, or to another kind of file. */
function toLocalLink(
  text: string,
  [start, end]: Range,
  kind: 'markdown' | 'embed',
  alias: string | null,
): WrittenLink | null {
  const destination = text.slice(start, end);
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(destination)) return null;
  const hashIndex = destination.indexOf('#');
  const writtenPath = hashIndex < 0 ? destination : destination.slice(0, hashIndex);
  const path = decodeTarget(writtenPath);
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === '' || (kind === 'markdown' && name.includes('.') && !pageEnding.test(name))) return null;
  return Object.freeze({
    kind,
    target: path.replace(pageEnding, ''),
    fragment: hashIndex < 0 ? '' : decodeTarget(destination.slice(hashIndex)),
    alias: alias === null || alias === '' ? null : alias,
    start,
    end: start + writtenPath.length,
  });
}

function decodeTarget(encoded: string): string {
  const plain = encoded.replace(/\\([!-/:-@[-`{-~])/g, '$1');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

/**
 * Replaces the targets of links. `targetFor` returns the new target, or null to keep the old one. The form of the old
 * target is kept: its extension, and percent-encoding if it had it.
 */
export function replaceTargets(
  text: string,
  targetFor: (link: WrittenLink) => string | null,
  links = findLinks(text),
): string {
  let result = '';
  let from = 0;
  for (const link of links) {
    const target = targetFor(link);
    if (target === null || target === link.target) continue;
    result += text.slice(from, link.start) + writeTarget(text, link, target);
    from = link.end;
  }
  return result + text.slice(from);
}

function writeTarget(text: string, link: WrittenLink, target: string): string {
  const oldTarget = text.slice(link.start, link.end);
  const path = target + (pageEnding.exec(oldTarget)?.[0] ?? '');
  if (text[link.start - 1] === '<') return path.replace(/[<>#%\\]/g, encodeURIComponent);
  const isWiki = /\[\[\s*$/.test(text.slice(Math.max(0, link.start - 20), link.start));
  return isWiki ? path : path.replace(/[\s()<>%#?\\]/g, encodeSign);
}

const encodeSign = (sign: string): string =>
  sign === '(' ? '%28' : sign === ')' ? '%29' : encodeURIComponent(sign);
