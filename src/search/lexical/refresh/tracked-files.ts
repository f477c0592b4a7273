import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { isWithheld } from '../../../core/index.ts';
import { isBinaryName, isLeftOutName } from '../../walk/walk.ts';

/** The tracked paths that exist as files in the tree and may be read. */
export function listTrackedFiles(root: string, paths: Iterable<string>): string[] {
  const folders = new Map<string, boolean>();
  return [...paths].filter(
    (path) =>
      !isWithheld(path) &&
      !isBinaryName(path) &&
      !path.split('/').some(isLeftOutName) &&
      lstatSync(join(root, path), { throwIfNoEntry: false })?.isFile() === true &&
      isWithin(root, path, folders),
  );
}

/** Whether all folders above the path are folders, and not links. */
function isWithin(root: string, path: string, known: Map<string, boolean>): boolean {
  const slash = path.lastIndexOf('/');
  if (slash < 0) return true;
  const folder = path.slice(0, slash);
  let within = known.get(folder);
  if (within === undefined) {
    within =
      lstatSync(join(root, folder), { throwIfNoEntry: false })?.isDirectory() === true &&
      isWithin(root, folder, known);
    known.set(folder, within);
  }
  return within;
}
