import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';

/** Milliseconds. A file written more recently than this may be written again without a change of its time. */
const clockTick = 2_000;

/**
 * Changes when the index or HEAD of the repository around a folder changes. It is computed from git's files, without
 * starting git. Null if there is no repository, if a file was written just now, or if the layout is not known.
 */
export function repositoryStamp(root: string, now: () => number = Date.now): string | null {
  const place = findGitFolder(root);
  if (place === null) return null;
  try {
    const head = readSmallText(join(place, 'HEAD'))?.trim();
    if (head === undefined) return null;
    const common = findCommonFolder(place);
    const branch = /^ref: (refs\/[^\0]+)$/.exec(head)?.[1];
    const watched = [
      join(place, 'index'),
      join(common, 'config'),
      join(place, 'config.worktree'),
      join(common, 'packed-refs'),
      join(common, 'reftable', 'tables.list'),
      join(place, 'reftable', 'tables.list'),
      join(common, 'shallow'),
      ...(branch === undefined ? [] : [join(common, branch)]),
    ];
    const stamps = watched.map((path) => stampOf(path, now()));
    return stamps.includes(null) ? null : [place, head, ...stamps].join('\n');
  } catch {
    return null;
  }
}

function findGitFolder(root: string): string | null {
  for (let folder = resolve(root); ; folder = dirname(folder)) {
    const path = join(folder, '.git');
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory() === true) return path;
    if (stat?.isFile() === true) return resolveGitLink(folder, path);
    if (stat !== undefined || dirname(folder) === folder) return null;
  }
}

/** Resolves the `.git` file of a work tree whose repository is elsewhere. */
function resolveGitLink(folder: string, path: string): string | null {
  const target = /^gitdir: (.+)$/m.exec(readSmallText(path) ?? '')?.[1]?.trim();
  if (target === undefined) return null;
  return isAbsolute(target) ? target : join(folder, target);
}

function findCommonFolder(place: string): string {
  const common = readSmallText(join(place, 'commondir'))?.trim();
  if (common === undefined) return place;
  return isAbsolute(common) ? common : join(place, common);
}

/** Empty if there is no such file; null if it is not an ordinary file, or was written just now. */
function stampOf(path: string, now: number): string | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return '';
  if (!stat.isFile() || now - stat.ctimeMs < clockTick) return null;
  return [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join();
}

/** Bytes. Git stores one line in these files. */
const maxSize = 64 * 1024;

/** Null for anything but an ordinary file: reading a pipe or a device could block. */
function readSmallText(path: string): string | null {
  try {
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stat = fstatSync(file);
      return stat.isFile() && stat.size <= maxSize ? readFileSync(file, 'utf8') : null;
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}
