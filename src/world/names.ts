/** Paths of pages, and the names that links use. */

export const maxPathLength = 1000;

/** The form in which names are compared: lower case, and Unicode NFC. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The folder of a path: `A/B` of `A/B/C`; empty at the top. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Why a text cannot be the path of a page; null if it can. */
export function findPathProblem(path: string): string | null {
  if (path === '') return 'it is empty';
  if (path.length > maxPathLength) return `it has ${path.length} characters, more than ${maxPathLength}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
  if (/[\u0000-\u001f\u007f]/.test(path)) return 'it has control characters';
  if (!path.isWellFormed()) return 'it has half a character (a lone surrogate)';
  for (const segment of path.split('/')) {
    if (segment.trim() === '') return 'one of its parts is empty';
    if (segment === '.' || segment === '..') return `one of its parts is ${segment}`;
  }
  return null;
}

/** Resolves a relative path within a folder; null if it leads out of the vault. */
export function joinPath(folder: string, relative: string): string | null {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}

/** The path of a page from within a folder, as Markdown links write it: `../Plan`. */
export function toRelativePath(folder: string, path: string): string {
  const from = folder === '' ? [] : folder.split('/');
  const to = path.split('/');
  let common = 0;
  while (common < from.length && common < to.length - 1 && from[common] === to[common]) common += 1;
  return [...from.slice(common).map(() => '..'), ...to.slice(common)].join('/');
}

/** The range of paths below a path, in byte order. `0` is the character after `/`. */
export function rangeBelow(path: string): readonly [from: string, to: string] {
  return [`${path}/`, `${path}0`];
}
