import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import {
  type FileText,
  isWithheld,
  type ScopeMatcher,
  SondeError,
  scopeMatcher,
  type TextReader,
  type Unreadable,
} from '../core/index.ts';
import { readBlob, readCommit, readDiff } from './git/commit-text.ts';
import { findRepository, type GitProgram, type Repository, resolveCommit } from './git/git.ts';
import type { NoRepository } from './git/git-place.ts';
import { diffPath, pathBelow } from './paths.ts';
import { refuse, refuseTooLarge, toTextReply } from './read-reply.ts';
import { cacheTexts } from './text-cache.ts';

export interface TreeReaderOptions {
  readonly root: string;
  /** Files outside these globs are `out_of_scope`. */
  readonly scope?: string | undefined;
  /** Bytes. Larger files are `too_large`. Default 256 MB, the same as for the index. */
  readonly maxBytes?: number;
  readonly git?: GitProgram;
}

export interface TreeReader extends TextReader {
  /** The real path of the folder. */
  readonly root: string;
  /** Whether texts can be read at a commit, given by its id or by a name. */
  knowsCommit(commit: string): Promise<boolean>;
}

const defaultMaxBytes = 256 * 1024 * 1024;
/** Bytes. Files up to this size are read synchronously, since five asynchronous calls cost more than reading the file. */
const maxSyncBytes = 512 * 1024;
/** Milliseconds of synchronous reading after which the event loop runs other work. */
const sliceMs = 8;
const openFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Reads texts below a folder, and nothing else: a link is followed only if it stays below, and pipes, sockets and
 * devices are never opened. Throws `not_found` if there is no such folder, and `bad_pattern` for a scope that can't be
 * parsed.
 */
export function treeReader(options: TreeReaderOptions): TreeReader {
  const root = resolveFolder(options.root);
  const inScope = scopeMatcher(options.scope);
  const maxBytes = options.maxBytes ?? defaultMaxBytes;
  let repositoryFound: Promise<Repository | NoRepository> | undefined;
  const repository = () => (repositoryFound ??= findRepository(root, options.git));
  // The content of a commit never changes, so it is read once; the working tree is read each time.
  let commitTexts: TextReader | undefined;
  // Only full ids are cached, since a shorter name may later mean another commit.
  const knownCommits = new Set<string>();
  let sliceStart = performance.now();
  /** Lets the event loop run other work if many files are read in a row. */
  async function yieldThread(): Promise<void> {
    if (performance.now() - sliceStart < sliceMs) return;
    await new Promise((resolve) => setImmediate(resolve));
    sliceStart = performance.now();
  }

  async function resolve(place: Repository, commit: string): Promise<string | null> {
    if (knownCommits.has(commit)) return commit;
    const id = await resolveCommit(place, commit);
    if (id !== null) knownCommits.add(id);
    return id;
  }

  async function readAtCommit(path: string, commit: string): Promise<FileText | Unreadable> {
    const place = await repository();
    if (place.kind === 'none')
      return refuse('missing', `${path} cannot be read at a commit: ${place.reason}`);
    const id = await resolve(place, commit);
    if (id === null)
      return refuse('missing', `${path} cannot be read at ${commit}: there is no such commit.`);
    commitTexts ??= cacheTexts({
      readText: (name, at) => readBlob(place, at ?? id, name, maxBytes),
    });
    return commitTexts.readText(path, id);
  }

  async function readCommitMessage(path: string): Promise<FileText | Unreadable> {
    const place = await repository();
    if (place.kind === 'none') return refuse('missing', `${path} cannot be read: ${place.reason}`);
    const id = await resolve(place, path.slice('commit:'.length));
    if (id === null) return refuse('missing', `${path} cannot be read: there is no such commit.`);
    return readCommit(place, id, options.scope === undefined ? null : inScope);
  }

  async function readFileDiff(path: string, commit: string): Promise<FileText | Unreadable> {
    const place = await repository();
    if (place.kind === 'none')
      return refuse('missing', `${path} has no past that can be read: ${place.reason}`);
    const id = await resolve(place, commit);
    if (id === null) return refuse('missing', `There is no commit ${commit}.`);
    return readDiff(place, id, path);
  }

  return {
    root,
    async readText(requestedPath, commit = null) {
      if (/^commit:[0-9a-f]{4,64}$/i.test(requestedPath)) return readCommitMessage(requestedPath);
      const diff = diffPath.exec(requestedPath);
      const safePath = pathBelow(root, diff?.[2] ?? requestedPath);
      if (safePath.kind === 'bad')
        return refuse('outside_root', `${requestedPath.slice(0, 200)} cannot be read: ${safePath.reason}.`);
      const { path } = safePath;
      if (path === '') return refuse('not_text', 'The root is a folder, not a file.');
      if (isWithheld(path))
        return refuse('out_of_scope', `${path} is withheld: files of that name hold secrets.`);
      if (!inScope(path)) return refuse('out_of_scope', `${path} is outside the scope ${options.scope}.`);
      if (diff !== null) return readFileDiff(path, diff[1]!);
      if (commit !== null) return readAtCommit(path, commit);
      await yieldThread();
      return readFileText(root, path, inScope, maxBytes);
    },
    async knowsCommit(commit) {
      const place = await repository();
      return place.kind === 'repository' && (await resolve(place, commit)) !== null;
    },
  };
}

async function readFileText(
  root: string,
  path: string,
  inScope: ScopeMatcher,
  maxBytes: number,
): Promise<FileText | Unreadable> {
  try {
    const realPath = realpathSync.native(join(root, path));
    const pathInRoot = relative(root, realPath);
    if (
      pathInRoot.startsWith(`..${sep}`) ||
      pathInRoot === '..' ||
      isAbsolute(pathInRoot) ||
      pathBelow(root, pathInRoot).kind === 'bad'
    )
      return refuse('outside_root', `${path} is a link that leads out of the root.`);
    if (!inScope(pathInRoot.split(sep).join('/')))
      return refuse('out_of_scope', `${path} is a link that leads out of the scope.`);
    // Non-blocking, so that a pipe put in the file's place cannot hold the run.
    const descriptor = openSync(realPath, openFlags);
    try {
      const stat = fstatSync(descriptor);
      if (stat.isDirectory()) return refuse('not_text', `${path} is a folder, not a file.`);
      if (!stat.isFile()) return refuse('not_text', `${path} is not a regular file.`);
      if (stat.size > maxBytes) return refuseTooLarge(path, stat.size, maxBytes);
      if (stat.size <= maxSyncBytes) return toTextReply(path, readFileSync(descriptor));
    } finally {
      closeSync(descriptor);
    }
    const file = await open(realPath, openFlags);
    try {
      const stat = await file.stat();
      if (!stat.isFile()) return refuse('not_text', `${path} is not a regular file.`);
      if (stat.size > maxBytes) return refuseTooLarge(path, stat.size, maxBytes);
      return toTextReply(path, await file.readFile());
    } finally {
      await file.close();
    }
  } catch (thrown) {
    return refuse('missing', `${path} cannot be read: ${reasonsByCode[codeOf(thrown)] ?? codeOf(thrown)}.`);
  }
}

const reasonsByCode: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'part of its path is a file, not a folder',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its links form a cycle',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
};

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);
}

function resolveFolder(root: string): string {
  try {
    const realPath = realpathSync(root);
    if (statSync(realPath).isDirectory()) return realPath;
  } catch {
    // Reported below, like a root that is a file.
  }
  throw new SondeError('not_found', {
    message: `${root} is not a folder that can be read.`,
    remedy: 'Name an existing folder.',
    details: { path: root },
  });
}
