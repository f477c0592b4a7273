import { isAbsolute, relative, sep } from 'node:path';

export interface GoodPath {
  readonly kind: 'path';
  /** Relative to the root, with `/`. */
  readonly path: string;
}

export interface BadPath {
  readonly kind: 'bad';
  readonly reason: string;
}

/**
 * Makes a path that a person or model wrote relative to the root, by its spelling only; the reader checks links.
 * Refused: paths out of the root (`..`), absolute paths elsewhere, NUL bytes, and git's own folder, whose configuration
 * may contain passwords.
 */
export function pathBelow(root: string, given: string): GoodPath | BadPath {
  if (given.includes('\0')) return { kind: 'bad', reason: 'it holds a NUL byte' };
  const relativePath = isAbsolute(given) ? relative(root, given) : given;
  if (isAbsolute(relativePath)) return { kind: 'bad', reason: 'it is outside the root' };
  const segments: string[] = [];
  for (const part of relativePath.split(sep === '\\' ? /[/\\]/ : '/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') segments.push(part);
    else if (segments.pop() === undefined) return { kind: 'bad', reason: 'it leads out of the root' };
  }
  if (segments.some((part) => part.toLowerCase() === '.git'))
    return { kind: 'bad', reason: "it is in git's own folder" };
  return { kind: 'path', path: segments.join('/') };
}

/** A path that stands for the change of one file in a commit: `diff:ID:PATH`. */
export const diffPath = /^diff:([0-9a-f]{4,64}):(.+)$/is;
