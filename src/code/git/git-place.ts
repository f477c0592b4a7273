/**
 * Finds the git directory of a folder. A stranger may have written what is in `.git`, so anything that leads out of
 * it (a link, a `.git` file, `commondir`, borrowed objects) is followed only if its target names this folder in turn,
 * as worktrees and submodules do. This file starts no program.
 */
import { constants } from 'node:fs';
import { lstat, open, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** A git directory that borrows no objects. */
export interface GitPlace {
  readonly kind: 'place';
  /** The directory of HEAD. A linked worktree has its own inside the common one. */
  readonly gitDir: string;
  /** The directory of references and objects. */
  readonly common: string;
  /** Null for a bare repository. */
  readonly top: string | null;
}

export interface NoRepository {
  readonly kind: 'none';
  /** One line for people. */
  readonly reason: string;
  /** True: there is a repository, but it is not read for this reason. */
  readonly isThere: boolean;
}

/**
 * Looks up a value in a git configuration file, without the files that it includes. Null if there is no such value.
 */
export type ConfigValue = (file: string, key: string) => Promise<string | null>;

/** Bytes; these files hold one line each. */
const maxPointerLength = 4_096;

/** The repository of a folder that holds `.git`; null if it holds none. */
export async function findPlace(
  top: string,
  readConfigValue: ConfigValue,
): Promise<GitPlace | NoRepository | null> {
  const dotGit = join(top, '.git');
  const found = await lstat(dotGit).catch(() => null);
  if (found === null) return null;
  if (found.isDirectory()) return checkPlace({ kind: 'place', gitDir: dotGit, common: dotGit, top }, dotGit);
  let target: string | null = dotGit;
  if (found.isFile()) {
    const text = await readSmallFile(dotGit, maxPointerLength);
    const pointer = /^gitdir: (.+)$/m.exec(text ?? '')?.[1];
    if (pointer === undefined) return null;
    target = resolve(top, pointer.trim());
  } else if (!found.isSymbolicLink()) return null;
  const gitDir = await realpath(target).catch(() => null);
  if (gitDir === null) return noRepository(`${dotGit} is damaged: what it leads to is not there.`);
  const common = await findCommonDir(top, gitDir, readConfigValue);
  if (common === null)
    return noRepository(
      `${dotGit} leads to ${gitDir}, which does not name ${top} as its own, so it is not read ` +
        '(git worktree repair mends a worktree that was moved).',
    );
  return checkPlace({ kind: 'place', gitDir, common, top }, dotGit);
}

/** The folder as a bare repository; null if it is not one. */
export async function findBarePlace(folder: string): Promise<GitPlace | NoRepository | null> {
  const parts = await Promise.all(
    ['HEAD', 'objects', 'refs'].map((name) => lstat(join(folder, name)).catch(() => null)),
  );
  if (parts.includes(null)) return null;
  return checkPlace({ kind: 'place', gitDir: folder, common: folder, top: null }, folder);
}

/**
 * The directory of references and objects for a git directory whose work tree is `top`; null if it names another work
 * tree.
 */
async function findCommonDir(
  top: string,
  gitDir: string,
  readConfigValue: ConfigValue,
): Promise<string | null> {
  if (await exists(join(gitDir, 'commondir'))) return findCommonDirOfWorktree(top, gitDir);
  if (isBelow(top, gitDir)) return gitDir;
  for (const name of ['config', 'config.worktree']) {
    const file = join(gitDir, name);
    if ((await readSmallFile(file, maxConfig)) === null) continue;
    const tree = await readConfigValue(file, 'core.worktree');
    if (tree !== null && (await isSame(resolve(gitDir, tree), top))) return gitDir;
  }
  return null;
}

/**
 * Returns the common directory of a linked worktree, if the repository lists this worktree: only its owner can have put
 * the directory of the worktree there.
 */
async function findCommonDirOfWorktree(top: string, gitDir: string): Promise<string | null> {
  const [up, back] = await Promise.all(
    ['commondir', 'gitdir'].map((name) => readSmallFile(join(gitDir, name), maxPointerLength)),
  );
  if (up == null || back == null) return null;
  const common = await realpath(resolve(gitDir, up.trim())).catch(() => null);
  if (common === null || gitDir !== join(common, 'worktrees', basename(gitDir))) return null;
  const named = resolve(gitDir, back.trim());
  return basename(named) === '.git' && (await isSame(dirname(named), top)) ? common : null;
}

/** Checks that hold for every place, however it was found. `shown` is its name for people. */
async function checkPlace(place: GitPlace, shown: string): Promise<GitPlace | NoRepository> {
  const refuse = (what: string): NoRepository => noRepository(`${shown} is not read, since ${what}.`);
  if (place.gitDir === place.common && (await exists(join(place.gitDir, 'commondir'))))
    return refuse('its commondir leads elsewhere');
  const objects = join(place.common, 'objects');
  const found = await lstat(objects).catch(() => null);
  if (found === null) return noRepository(`${shown} is damaged: it has no objects.`);
  if (!found.isDirectory()) return refuse('its objects are a link to elsewhere');
  for (const folder of [objects, join(objects, 'pack')]) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const link = entries.find((entry) => !entry.isDirectory() && !entry.isFile());
    if (link !== undefined) return refuse(`${join(folder, link.name)} is a link to elsewhere`);
  }
  const info = join(objects, 'info');
  for (const name of ['alternates', 'commit-graph', 'commit-graphs', 'http-alternates']) {
    const one = await lstat(join(info, name)).catch(() => null);
    if (one === null) continue;
    if (!one.isFile() && !one.isDirectory()) return refuse(`${join(info, name)} is a link to elsewhere`);
    if (name === 'alternates' && one.size > 0)
      return refuse(
        'it borrows objects from another repository (git repack -a -d copies them; then remove ' +
          `${join(info, name)})`,
      );
  }
  return Object.freeze(place);
}

/** Maximum bytes of a configuration file. */
export const maxConfig = 1024 * 1024;

/** A small ordinary file, following links; null for anything else, so that no pipe or device blocks the reader. */
export async function readSmallFile(path: string, maxBytes: number): Promise<string | null> {
  try {
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stat = await file.stat();
      return stat.isFile() && stat.size <= maxBytes ? await file.readFile('utf8') : null;
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}

const noRepository = (reason: string): NoRepository => ({ kind: 'none', reason, isThere: true });

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

async function isSame(path: string, real: string): Promise<boolean> {
  return (await realpath(path).catch(() => null)) === real;
}

function isBelow(top: string, path: string): boolean {
  const inside = relative(top, path);
  return inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}
