/** Assigns page paths to the files of a vault. */
import { foldName } from '../names.ts';
import type { VaultProblem } from './vault.ts';

export interface PagePaths {
  /** The path of the page, by file. */
  readonly byFile: ReadonlyMap<string, string>;
  readonly problems: readonly VaultProblem[];
}

const pageEnding = /\.(?:md|markdown)$/i;

/** Unicode NFC: joins letters and accents, which some file systems store separately. */
export const composeAccents = (path: string): string => path.normalize('NFC');

export const joinBelow = (into: string, path: string): string => (into === '' ? path : `${into}/${path}`);

/**
 * Assigns paths in the order of the files. Of several files with the same name, the first gets that name; the others
 * keep their extension, or get a number.
 */
export function assignPagePaths(files: readonly string[], into: string): PagePaths {
  const byFile = new Map<string, string>();
  const fileByPath = new Map<string, string>();
  const fileByFoldedPath = new Map<string, string>();
  const problems: VaultProblem[] = [];
  for (const file of files) {
    const plainPath = joinBelow(into, composeAccents(file).replace(pageEnding, ''));
    let path = plainPath;
    for (let n = 1; fileByPath.has(path); n++)
      path = n === 1 ? joinBelow(into, composeAccents(file)) : `${plainPath} (${n})`;
    if (path !== plainPath)
      problems.push({
        path: file,
        kind: 'same_name',
        message: `${fileByPath.get(plainPath)} has that name; its page is ${path}`,
      });
    else {
      const sameButCase = fileByFoldedPath.get(foldName(plainPath));
      if (sameButCase !== undefined)
        problems.push({
          path: file,
          kind: 'same_but_case',
          message: `differs from ${sameButCase} only by case`,
        });
      else fileByFoldedPath.set(foldName(plainPath), file);
    }
    fileByPath.set(path, file);
    byFile.set(file, path);
  }
  return { byFile, problems };
}
