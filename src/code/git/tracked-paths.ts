import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { findRepository, type GitProgram, type Repository, runGit } from './git.ts';

export interface TrackedPathsOptions {
  readonly root: string;
  readonly git?: GitProgram;
}

const timeoutMs = 20_000;

/**
 * Lists the paths below a folder that git tracks, relative to it: those in the index or, if that can't be read, those
 * in HEAD. Null if there is no repository, or git fails.
 */
export function createTrackedPathsFinder({
  root: given,
  git,
}: TrackedPathsOptions): (signal?: AbortSignal) => Promise<readonly string[] | null> {
  const root = realpathSync(given);
  return async (signal) => {
    const place = await findRepository(root, git).catch(() => null);
    if (place === null || place.kind === 'none') return null;
    return (await listStaged(place, signal)) ?? (await listCommitted(place, signal));
  };
}

/** The index may consist of several files, or a stranger may have put a pipe in its place. */
async function listStaged(place: Repository, signal?: AbortSignal): Promise<readonly string[] | null> {
  const index = join(place.place.gitDir, 'index');
  if (lstatSync(index, { throwIfNoEntry: false })?.isFile() !== true) return null;
  return listPaths(place, ['ls-files', '-z', '--cached'], { index, signal });
}

async function listCommitted(place: Repository, signal?: AbortSignal): Promise<readonly string[] | null> {
  if (place.head === null) return null;
  return listPaths(place, ['ls-tree', '-r', '-z', '--name-only', '--end-of-options', place.head], { signal });
}

async function listPaths(
  place: Repository,
  args: readonly string[],
  { index, signal }: { readonly index?: string; readonly signal: AbortSignal | undefined },
): Promise<readonly string[] | null> {
  const reply = await runGit(place, {
    args,
    timeoutMs,
    maxBytes: Number.MAX_SAFE_INTEGER,
    signal,
    ...(index !== undefined && { index }),
  });
  if (reply.code !== 0 || reply.ended !== 'exit') return null;
  return reply.stdout
    .toString('utf8')
    .split('\0')
    .filter((path) => path !== '' && path.startsWith(place.prefix))
    .map((path) => path.slice(place.prefix.length));
}
