import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './replace-file.ts';

/** The file beside the index with the repository's stamp from when its tracked files and history were last listed. */
const stampPath = (directory: string): string => join(directory, 'repository-stamp');

export function readRepositoryStamp(directory: string): string | null {
  try {
    return readFileSync(stampPath(directory), 'utf8');
  } catch {
    return null;
  }
}

/** Failures are ignored: without a stamp the next refresh lists tracked files and history again. */
export function writeRepositoryStamp(directory: string, stamp: string): void {
  try {
    replaceFile(stampPath(directory), stamp);
  } catch {
    // A full disk, or an index that is being removed.
  }
}
