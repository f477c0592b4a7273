/**
 * A temporary git directory for one call: it uses the objects of a repository, and its references if they are needed,
 * but has a configuration of our own. Nothing that the repository configures takes effect.
 */
import { lstat, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { messageOf, SondeError } from '../../core/index.ts';
import { type GitPlace, readSmallFile } from './git-place.ts';

export interface GitDirOptions {
  readonly place: Pick<GitPlace, 'gitDir' | 'common'>;
  /** The commit to use as HEAD; null: that of the repository's HEAD. */
  readonly head: string | null;
  /** Whether branches and tags can be named, or only HEAD. */
  readonly names: boolean;
  readonly format: 'sha1' | 'sha256';
}

/** Bytes. Such a file holds one reference, or the boundary of a shallow clone. */
const maxNameLength = 4_096;
const maxShallow = 16 * 1024 * 1024;
const maxLooseNames = 200_000;

/** Makes the directory, and removes it afterwards. Throws `tool_failed` if it can't be made. */
export async function withTemporaryGitDir<Value>(
  options: GitDirOptions,
  work: (own: string) => Promise<Value>,
): Promise<Value> {
  let own: string;
  try {
    own = await mkdtemp(join(tmpdir(), 'sonde-git-'));
  } catch (thrown) {
    throw toUnwritableError(thrown);
  }
  try {
    await fill(own, options).catch((thrown: unknown) => {
      throw toUnwritableError(thrown);
    });
    return await work(own);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

async function fill(own: string, { place, head, names, format }: GitDirOptions): Promise<void> {
  const { gitDir, common } = place;
  const reftable = await isFolder(join(common, 'reftable'));
  await writeFile(join(own, 'config'), configText(format, reftable));
  const shallow = await readSmallFile(join(common, 'shallow'), maxShallow);
  if (shallow !== null) await writeFile(join(own, 'shallow'), shallow);
  const text = head ?? (await readSmallFile(join(gitDir, 'HEAD'), maxNameLength)) ?? 'ref: refs/heads/none';
  await writeFile(join(own, 'HEAD'), `${text.trim()}\n`);
  if (head !== null && !names) return mkdir(join(own, 'refs'));
  for (const name of ['packed-refs', 'reftable'])
    if (await isOrdinary(join(common, name))) await symlink(join(common, name), join(own, name));
  if (names && (await holdsOnlyFiles(join(common, 'refs'))))
    return symlink(join(common, 'refs'), join(own, 'refs'));
  await mkdir(join(own, 'refs'));
  if (head === null) await copyBranches(text, common, own);
}

/** Copies the branch that HEAD names, and the reference that this branch names. */
async function copyBranches(text: string, common: string, own: string): Promise<void> {
  let reference = text;
  for (let depth = 0; depth < 5; depth++) {
    const name = /^ref: (refs\/[^\0]+)$/.exec(reference.trim())?.[1];
    if (name === undefined || name.split('/').some((part) => part === '' || part.startsWith('.'))) return;
    const next = await readSmallFile(join(common, name), maxNameLength);
    if (next === null) return;
    await mkdir(dirname(join(own, name)), { recursive: true });
    await writeFile(join(own, name), next);
    reference = next;
  }
}

/** Whether a folder holds only folders and regular files: git would read a device in place of a file without end. */
async function holdsOnlyFiles(folder: string): Promise<boolean> {
  if (!(await lstat(folder).catch(() => null))?.isDirectory()) return false;
  let count = 0;
  const checkFolder = async (path: string): Promise<boolean> => {
    for (const entry of await readdir(path, { withFileTypes: true })) {
      count += 1;
      if (count > maxLooseNames) return false;
      if (entry.isDirectory() ? !(await checkFolder(join(path, entry.name))) : !entry.isFile()) return false;
    }
    return true;
  };
  return checkFolder(folder);
}

function configText(format: GitDirOptions['format'], reftable: boolean): string {
  const sha256 = format === 'sha256';
  return [
    '[core]',
    `\trepositoryformatversion = ${sha256 || reftable ? 1 : 0}`,
    '\tfsmonitor = false',
    '\tquotePath = false',
    ...(sha256 || reftable ? ['[extensions]'] : []),
    ...(sha256 ? ['\tobjectformat = sha256'] : []),
    ...(reftable ? ['\trefstorage = reftable'] : []),
    '',
  ].join('\n');
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isDirectory() ?? false;
}

async function isOrdinary(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && (found.isFile() || found.isDirectory());
}

function toUnwritableError(thrown: unknown): SondeError {
  return new SondeError('tool_failed', {
    message: `A folder that git is run in cannot be made in ${tmpdir()}: ${messageOf(thrown)}`,
    remedy: 'Free some space there, or set TMPDIR to a folder that can be written.',
    cause: thrown,
  });
}
