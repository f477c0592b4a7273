import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './replace-file.ts';

/** The stamp of the repository when its tracked files and history were last listed; stored beside the index. */
const fileIn = (directory: string): string => join(directory, 'repository-stamp');

export function readRepositoryStamp(directory: string): string | null {
  try {
    return readFileSync(fileIn(directory), 'utf8');
  } catch {
    return null;
  }
}

/** Without a kept stamp the next refresh asks again. */
export function keepRepositoryStamp(directory: string, stamp: string): void {
  try {
    replaceFile(fileIn(directory), stamp);
  } catch {
    // A full disk, or an index that is being removed.
  }
}
