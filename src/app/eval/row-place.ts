/** The folders of the questions of a set: existing folders, or the files of commits, written to a folder once. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isSondeError } from '../../core/index.ts';
import { gitProgram } from '../compose.ts';
import { resolveRoot } from '../root.ts';
import type { QuestionRow } from './question-set.ts';

export interface RowPlaces {
  /** The folder of a question. */
  folderOf(row: QuestionRow): string;
  /** Notes about files of commits that were skipped. */
  readonly notes: readonly string[];
}

export interface PlaceFault {
  readonly line: number;
  readonly message: string;
}

/**
 * Prepares all folders before the first question. A missing one is reported with its line. `folder`: where trees are
 * written.
 */
export async function placesOf(
  rows: readonly QuestionRow[],
  folder: string,
  signal: AbortSignal,
): Promise<RowPlaces | { readonly faults: readonly PlaceFault[] }> {
  const places = new Map<string, string>();
  const notes: string[] = [];
  const faults: PlaceFault[] = [];
  for (const row of rows) {
    const key = keyOf(row);
    if (places.has(key)) continue;
    try {
      places.set(
        key,
        row.root === undefined ? await treeOf(row, folder, notes, signal) : resolveRoot(row.root),
      );
    } catch (thrown) {
      if (!isSondeError(thrown) || thrown.code === 'cancelled') throw thrown;
      faults.push({ line: row.line, message: thrown.message });
    }
  }
  if (faults.length > 0) return { faults };
  return { folderOf: (row) => places.get(keyOf(row)) ?? '', notes };
}

const keyOf = ({ root, repo, commit }: QuestionRow): string => JSON.stringify([root, repo, commit]);

async function treeOf(
  { repo = '', commit = '' }: QuestionRow,
  folder: string,
  notes: string[],
  signal: AbortSignal,
): Promise<string> {
  const { commitFiles } = await import('../../code/index.ts');
  const root = resolveRoot(repo);
  const found = await commitFiles(root, commit, { ...gitProgram(), signal });
  const name = createHash('sha256').update(root).digest('hex').slice(0, 12);
  const tree = join(folder, `${name}-${found.commit}`);
  if (found.skipped.length > 0)
    notes.push(`${repo}: ${found.skipped.length} links, submodules and files of over 20 MB were left out`);
  if (existsSync(tree)) return resolveRoot(tree);
  mkdirSync(folder, { recursive: true });
  const temporary = mkdtempSync(join(folder, '.making-'));
  try {
    for await (const { path, bytes } of found.files()) {
      const file = join(temporary, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, bytes);
    }
    renameSync(temporary, tree);
  } catch (thrown) {
    rmSync(temporary, { recursive: true, force: true });
    // Another process has made it meanwhile.
    if (!existsSync(tree)) throw thrown;
  }
  return resolveRoot(tree);
}
