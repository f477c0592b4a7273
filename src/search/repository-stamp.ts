import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './replace-file.ts';

/** The stamp of the repository when its tracked files and history were last listed; stored beside the index. */
const stampPath = (directory: string): string => join(directory, 'repository-stamp');

export function readRepositoryStamp(directory: string): string | null {
  try {
    return readFileSync(stampPath(directory), 'utf8');
  } catch {
    return null;
  }
}

/** Without a kept stamp the next refresh asks again. */
export function writeRepositoryStamp(directory: string, stamp: string): void {
  try {
    replaceFile(stampPath(directory), stamp);
  } catch {
    // A full disk, or an index that is being removed.
  }
}
