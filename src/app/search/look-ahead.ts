/** Begins to look at what has changed in an indexed folder before the code that searches it is loaded. */
import { type EarlyLook, startLook } from '../../search/early-look.ts';
import { directories } from '../config/directories.ts';
import { processEnvironment } from '../config/environment.ts';
import { resolveRoot } from '../root.ts';
import { treeIndexFolder } from './index-folders.ts';

/** Undefined where it can't, or where it would gain nothing. Whoever searches then says what is wrong. */
export function lookAhead(path: string): EarlyLook | undefined {
  try {
    const root = resolveRoot(path);
    return startLook(root, treeIndexFolder(directories(processEnvironment()), root));
  } catch {
    return undefined;
  }
}
