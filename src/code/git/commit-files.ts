/** The files of a commit as git stores them, without filters, attributes or hooks of the repository. */
import { SondeError } from '../../core/index.ts';
import { findRepository, type GitProgram, resolveCommit, runGit } from './git.ts';

export interface CommitFile {
  /** Relative to the top of the repository. */
  readonly path: string;
  readonly bytes: Buffer;
}

export interface CommitFiles {
  /** Its full id. */
  readonly commit: string;
  /** Links, submodules and files that are too large, by path: they were skipped. */
  readonly skipped: readonly string[];
  files(): AsyncGenerator<CommitFile>;
}

/** Maximum bytes of one file, and of the files of one request. */
const maxFile = 20_000_000;
const batchBytes = 32_000_000;

interface ListedFile {
  readonly path: string;
  readonly object: string;
  readonly size: number;
}

/** Throws `not_found` if the folder is no repository or has no such commit, and `tool_missing` without git. */
export async function commitFiles(
  root: string,
  name: string,
  { signal, ...program }: GitProgram & { readonly signal?: AbortSignal } = {},
): Promise<CommitFiles> {
  const repository = await findRepository(root, { ...program, bare: true });
  const commit = repository.kind === 'none' ? null : await resolveCommit(repository, name);
  if (repository.kind === 'none' || commit === null)
    throw new SondeError('not_found', {
      message: repository.kind === 'none' ? repository.reason : `${root} has no commit ${name}`,
      remedy: 'Name a git repository on this machine, and a commit that it holds.',
    });
  const listed = await runGit(repository, {
    args: ['ls-tree', '-r', '-l', '-z', '--full-tree', commit],
    signal,
  });
  if (listed.code !== 0)
    throw new SondeError('tool_failed', {
      message: `git cannot list the files of ${commit}: ${listed.stderr.trim()}`,
      remedy: 'See whether the repository is whole: git fsck.',
    });
  const skipped: string[] = [];
  const files: ListedFile[] = [];
  for (const row of listed.stdout.toString('utf8').split('\0')) {
    const found = /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t(.+)$/s.exec(row);
    if (found === null) continue;
    const [, mode = '', , object = '', size = '', path = ''] = found;
    const isFile = mode.startsWith('100') && Number(size) <= maxFile && isInside(path);
    if (isFile) files.push({ path, object, size: Number(size) });
    else skipped.push(path);
  }
  const readBatch = async (group: readonly ListedFile[]): Promise<readonly CommitFile[]> => {
    const reply = await runGit(repository, {
      args: ['cat-file', '--batch'],
      input: group.map(({ object }) => `${object}\n`).join(''),
      maxBytes: batchBytes + maxFile + group.length * 100,
      signal,
    });
    return splitBatch(reply.stdout, group);
  };
  return {
    commit,
    skipped,
    async *files() {
      let group: ListedFile[] = [];
      let bytes = 0;
      for (const file of files) {
        group.push(file);
        bytes += file.size;
        if (bytes < batchBytes) continue;
        yield* await readBatch(group);
        [group, bytes] = [[], 0];
      }
      if (group.length > 0) yield* await readBatch(group);
    },
  };
}

/** A tree object may contain paths that no checkout would write. */
const isInside = (path: string): boolean =>
  !path.startsWith('/') &&
  path.split('/').every((part) => !['', '.', '..'].includes(part) && part.toLowerCase() !== '.git');

/** The output holds for each file: a line with id, type and size; the bytes; a line feed. */
function splitBatch(output: Buffer, listedFiles: readonly ListedFile[]): readonly CommitFile[] {
  const found: CommitFile[] = [];
  let at = 0;
  for (const { path, object, size } of listedFiles) {
    const end = output.indexOf(0x0a, at);
    const head = output.toString('utf8', at, end);
    if (end < 0 || head !== `${object} blob ${size}` || output.length < end + 1 + size)
      throw new SondeError('tool_failed', {
        message: `git did not give ${path} whole: ${head.slice(0, 200)}`,
        remedy: 'See whether the repository is whole: git fsck.',
      });
    found.push({ path, bytes: output.subarray(end + 1, end + 1 + size) });
    at = end + 1 + size + 1;
  }
  return found;
}
