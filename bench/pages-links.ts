/** Links of a vault that can be taken out of their lines, as questions with a known answer. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

export interface HiddenLink {
  /** Files, relative to the vault. */
  readonly from: string;
  readonly to: string;
  /** The line without the link, as text. */
  readonly query: string;
  /** Where the link stands in its file. */
  readonly start: number;
  readonly end: number;
}

const maxFileBytes = 1_000_000;
const minWords = 8;
/** Its first and second part, or the place of a Markdown link. */
const link =
  /(?<!!)\[\[([^\]|#\n]+)(?:#[^\]|\n]*)?(?:\\?\|([^\]\n]*))?\]\]|(?<!!)\[[^\]\n]*\]\(<?([^)>\s#]+\.md)[^)\n]*\)/g;

export function vaultFiles(root: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const visit = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile() && path.endsWith('.md') && statSync(path).size <= maxFileBytes)
        files.set(relative(root, path), readFileSync(path, 'utf8'));
    }
  };
  visit(root);
  return files;
}

/** Links to other files of the vault from lines that have eight words or more without them. */
export function hiddenLinks(files: ReadonlyMap<string, string>): HiddenLink[] {
  const byName = Map.groupBy(files.keys(), (path) => nameOf(path));
  const resolve = (from: string, written: string) => target(files, byName, from, written);
  const found: HiddenLink[] = [];
  for (const [from, text] of files) {
    for (const match of text.matchAll(link)) {
      const [, first, second, place] = match;
      const to = first === undefined ? resolve(from, place!) : linkOf(first, second, from, resolve).to;
      if (to === null || to === from) continue;
      const { index: start } = match;
      const end = start + match[0].length;
      const lineStart = text.lastIndexOf('\n', start) + 1;
      const lineEnd = text.indexOf('\n', end);
      const rest = `${text.slice(lineStart, start)} ${text.slice(end, lineEnd < 0 ? text.length : lineEnd)}`;
      const query = spoken(rest, from, resolve);
      if ((query.match(/[\p{L}\p{N}]+/gu) ?? []).length < minWords) continue;
      found.push({ from, to, query, start, end });
    }
  }
  return found;
}

/** The file with some of its links taken out. */
export function withoutLinks(text: string, links: readonly Pick<HiddenLink, 'start' | 'end'>[]): string {
  let left = text;
  for (const { start, end } of [...links].sort((a, b) => b.start - a.start))
    left = left.slice(0, start) + left.slice(end);
  return left;
}

function nameOf(path: string): string {
  return path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/\.md$/, '')
    .toLowerCase();
}

function target(
  files: ReadonlyMap<string, string>,
  byName: ReadonlyMap<string, readonly string[]>,
  from: string,
  written: string,
): string | null {
  let place = written.trim();
  try {
    place = decodeURIComponent(place);
  } catch {
    // Written with a bare percent sign.
  }
  const near = normalize(join(dirname(from), place));
  for (const path of [place, `${place}.md`, near, `${near}.md`]) if (files.has(path)) return path;
  const named = byName.get(nameOf(place)) ?? [];
  return named.length === 1 ? named[0]! : null;
}

type Resolve = (from: string, written: string) => string | null;

/** Most programs write `[[target|display]]`, Dendron `[[display|target]]`: the part that is a page is the target. */
function linkOf(first: string, second: string | undefined, from: string, resolve: Resolve) {
  const to = resolve(from, first);
  if (to !== null || second === undefined) return { to, display: second ?? first };
  const other = resolve(from, second.replace(/^dendron:\/\/[^/]*\//, '').replace(/#.*$/, ''));
  return { to: other, display: other === null ? second : first };
}

function spoken(line: string, from: string, resolve: Resolve): string {
  return line
    .replace(
      /!?\[\[([^\]|]*)(?:\|([^\]]*))?\]\]/g,
      (_, first: string, second?: string) =>
        linkOf(first.replace(/[#\\].*$/, ''), second, from, resolve).display,
    )
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[#*>|`_~]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
