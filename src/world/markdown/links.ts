/** Finds links with their positions, and writes a text with other targets for some of them. */
import type { WrittenLink } from './markdown.ts';
import { inRanges, type Range, verbatimRanges } from './verbatim.ts';

/** Maximum UTF-16 units of a destination. */
const maxLength = 2000;

const pageEnding = /\.(?:md|markdown)$/i;

export function linksOf(text: string): readonly WrittenLink[] {
  const wiki = text.includes('[[');
  const markdown = text.includes('](') || text.includes(']:');
  if (!wiki && !markdown) return [];
  const ranges = verbatimRanges(text);
  const found = [
    ...(wiki ? wikiLinks(text, ranges) : []),
    ...(markdown ? [...inlineLinks(text, ranges), ...definitions(text, ranges)] : []),
  ];
  return found.sort((a, b) => a.start - b.start);
}

/** Links in front matter, quoted or not, except in comments. */
export function linksOfFront(front: string): readonly WrittenLink[] {
  const found = [
    ...(front.includes('[[') ? wikiLinks(front, []) : []),
    ...(front.includes('](') ? inlineLinks(front, []) : []),
  ];
  return found
    .filter(({ start }) => !isCommented(front.slice(front.lastIndexOf('\n', start - 1) + 1, start)))
    .sort((a, b) => a.start - b.start);
}

/** Whether the beginning of a line opens a comment. */
function isCommented(before: string): boolean {
  const plain = before.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, 'x').replace(/["'].*$/s, '');
  return /(?:^|\s)#/.test(plain);
}

const isEscaped = (text: string, at: number): boolean => {
  let slashes = 0;
  while (text[at - 1 - slashes] === '\\') slashes++;
  return slashes % 2 === 1;
};

function wikiLinks(text: string, ranges: readonly Range[]): WrittenLink[] {
  const inside = inRanges(ranges);
  const links: WrittenLink[] = [];
  for (const { 0: whole, 1: content = '', index } of text.matchAll(/\[\[([^[\]\r\n]+)\]\]/g)) {
    if (inside(index) || isEscaped(text, index)) continue;
    // Within a table, the `|` before an alias is escaped.
    const bar = /\\?\|/.exec(content);
    const destination = bar === null ? content : content.slice(0, bar.index);
    const hash = destination.indexOf('#');
    const path = hash < 0 ? destination : destination.slice(0, hash);
    const written = path.trim();
    if (written === '') continue;
    const start = index + whole.indexOf(written, 2);
    links.push(
      Object.freeze({
        kind: text[index - 1] === '!' && !isEscaped(text, index - 1) ? 'embed' : 'wiki',
        target: written.replace(pageEnding, ''),
        fragment: hash < 0 ? '' : destination.slice(hash).trimEnd(),
        alias: bar === null ? null : content.slice(bar.index + bar[0].length).trim(),
        start,
        end: start + written.length,
      }),
    );
  }
  return links;
}

/** `[text](place "title")`, and images, which are embeds. */
function inlineLinks(text: string, ranges: readonly Range[]): WrittenLink[] {
  const inside = inRanges(ranges);
  const links: WrittenLink[] = [];
  const open: number[] = [];
  const bracket = /\\[\s\S]|[[\]]/g;
  for (let found = bracket.exec(text); found !== null; found = bracket.exec(text)) {
    if (found[0].startsWith('\\') || inside(found.index)) continue;
    if (found[0] === '[') {
      open.push(found.index);
      continue;
    }
    const begin = open.pop();
    if (begin === undefined || text[bracket.lastIndex] !== '(') continue;
    const range = destination(text, bracket.lastIndex + 1);
    if (range === null) continue;
    const image = text[begin - 1] === '!' && !isEscaped(text, begin - 1);
    const link = localLink(text, range, image ? 'embed' : 'markdown', text.slice(begin + 1, found.index));
    if (link !== null) links.push(link);
  }
  return links;
}

/** `[name]: place "title"`, for links that are written `[text][name]`. */
function definitions(text: string, ranges: readonly Range[]): WrittenLink[] {
  const inside = inRanges(ranges);
  const links: WrittenLink[] = [];
  for (const { 0: whole, index } of text.matchAll(
    /^ {0,3}\[(?!\^)(?:[^\]\\\r\n]|\\.){1,999}\]:[ \t]*(?=\S)/gm,
  )) {
    if (inside(index)) continue;
    const at = index + whole.length;
    const angle = text[at] === '<';
    const length = (angle ? /^<[^<>\r\n]*(?=>)/ : /^\S+/).exec(text.slice(at, at + maxLength))?.[0].length;
    if (length === undefined) continue;
    const link = localLink(text, [angle ? at + 1 : at, at + length], 'markdown', null);
    if (link !== null) links.push(link);
  }
  return links;
}

/** The range of a link's destination, just after its opening parenthesis. */
function destination(text: string, from: number): Range | null {
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

/** The link to a page. Null for a link to another site, to a place on the same page, or to no page at all. */
function localLink(
  text: string,
  [start, end]: Range,
  kind: 'markdown' | 'embed',
  alias: string | null,
): WrittenLink | null {
  const destination = text.slice(start, end);
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(destination)) return null;
  const hash = destination.indexOf('#');
  const written = hash < 0 ? destination : destination.slice(0, hash);
  const path = decode(written);
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === '' || (kind === 'markdown' && name.includes('.') && !pageEnding.test(name))) return null;
  return Object.freeze({
    kind,
    target: path.replace(pageEnding, ''),
    fragment: hash < 0 ? '' : decode(destination.slice(hash)),
    alias: alias === null || alias === '' ? null : alias,
    start,
    end: start + written.length,
  });
}

function decode(written: string): string {
  const plain = written.replace(/\\([!-/:-@[-`{-~])/g, '$1');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

/**
 * Writes the text with new link targets: `target` returns the new one, or null to keep the old. The form of the old
 * link is kept: with its extension, and percent-encoded if it was.
 */
export function withTargets(
  text: string,
  targetFor: (link: WrittenLink) => string | null,
  links = linksOf(text),
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
  const old = text.slice(link.start, link.end);
  const path = target + (pageEnding.exec(old)?.[0] ?? '');
  if (text[link.start - 1] === '<') return path.replace(/[<>#%\\]/g, encodeURIComponent);
  const wiki = /\[\[\s*$/.test(text.slice(Math.max(0, link.start - 20), link.start));
  return wiki ? path : path.replace(/[\s()<>%#?\\]/g, encode);
}

const encode = (sign: string): string =>
  sign === '(' ? '%28' : sign === ')' ? '%29' : encodeURIComponent(sign);
