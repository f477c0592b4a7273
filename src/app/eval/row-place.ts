/** Prepares the folders that the questions of a set are about: existing ones, or checkouts of commits, written once. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isSondeError } from '../../core/index.ts';
import { gitOptions } from '../compose.ts';
import { resolveRoot } from '../root.ts';
import type { QuestionRow } from './question-set.ts';

export interface RowFolders {
  /** The folder of a question. */
  folderOf(row: QuestionRow): string;
  /** Notes about files of commits that were skipped. */
  readonly notes: readonly string[];
}

export interface FolderFault {
  readonly line: number;
  readonly message: string;
}

/**
 * Prepares all folders before the first question. Missing ones are returned as faults, with their lines. `treesFolder`:
 * where the files of commits are written.
 */
export async function prepareFolders(
  rows: readonly QuestionRow[],
  treesFolder: string,
  signal: AbortSignal,
): Promise<RowFolders | { readonly faults: readonly FolderFault[] }> {
  const folderByKey = new Map<string, string>();
  const notes: string[] = [];
  const faults: FolderFault[] = [];
  for (const row of rows) {
    const key = folderKey(row);
    if (folderByKey.has(key)) continue;
    try {
      folderByKey.set(
        key,
        row.root === undefined
          ? await writeCommitTree(row, treesFolder, notes, signal)
          : resolveRoot(row.root),
      );
    } catch (thrown) {
      if (!isSondeError(thrown) || thrown.code === 'cancelled') throw thrown;
      faults.push({ line: row.line, message: thrown.message });
    }
  }
  if (faults.length > 0) return { faults };
  return { folderOf: (row) => folderByKey.get(folderKey(row)) ?? '', notes };
}

const folderKey = ({ root, repo, commit }: QuestionRow): string => JSON.stringify([root, repo, commit]);

async function writeCommitTree(
  { repo = '', commit = '' }: QuestionRow,
  treesFolder: string,
  notes: string[],
  signal: AbortSignal,
): Promise<string> {
  const { commitFiles } = await import('../../code/index.ts');
  const root = resolveRoot(repo);
  const commitTree = await commitFiles(root, commit, { ...gitOptions(), signal });
  const name = createHash('sha256').update(root).digest('hex').slice(0, 12);
  const treeFolder = join(treesFolder, `${name}-${commitTree.commit}`);
  if (commitTree.skipped.length > 0)
    notes.push(
      `${repo}: ${commitTree.skipped.length} links, submodules and files of over 20 MB were left out`,
    );
  if (existsSync(treeFolder)) return resolveRoot(treeFolder);
  mkdirSync(treesFolder, { recursive: true });
  const temporaryFolder = mkdtempSync(join(treesFolder, '.making-'));
  try {
    for await (const { path, bytes } of commitTree.files()) {
      const file = join(temporaryFolder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, bytes);
    }
    renameSync(temporaryFolder, treeFolder);
  } catch (thrown) {
    rmSync(temporaryFolder, { recursive: true, force: true });
    // If the tree exists, another process has written it meanwhile.
    if (!existsSync(treeFolder)) throw thrown;
  }
  return resolveRoot(treeFolder);
}
