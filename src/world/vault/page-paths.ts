/** Assigns page paths to the files of a vault. */
import { foldName } from '../names.ts';
import type { VaultProblem } from './vault.ts';

export interface PagePaths {
  /** The path of the page, by file. */
  readonly byFile: ReadonlyMap<string, string>;
  readonly problems: readonly VaultProblem[];
}

const pageEnding = /\.(?:md|markdown)$/i;

/** Composes accents, since some file systems store them decomposed. */
export const composeAccents = (path: string): string => path.normalize('NFC');

export const joinBelow = (into: string, path: string): string => (into === '' ? path : `${into}/${path}`);

/**
 * Assigns paths in the order of the files. Of several files with the same name, the first gets that name; the others
 * keep their extension, or get a number.
 */
export function assignPagePaths(files: readonly string[], into: string): PagePaths {
  const byFile = new Map<string, string>();
  const taken = new Map<string, string>();
  const cases = new Map<string, string>();
  const problems: VaultProblem[] = [];
  for (const file of files) {
    const plain = joinBelow(into, composeAccents(file).replace(pageEnding, ''));
    let path = plain;
    for (let n = 1; taken.has(path); n++)
      path = n === 1 ? joinBelow(into, composeAccents(file)) : `${plain} (${n})`;
    if (path !== plain)
      problems.push({
        path: file,
        kind: 'same_name',
        message: `${taken.get(plain)} has that name; its page is ${path}`,
      });
    else {
      const other = cases.get(foldName(plain));
      if (other !== undefined)
        problems.push({ path: file, kind: 'same_but_case', message: `differs from ${other} only by case` });
      else cases.set(foldName(plain), file);
    }
    taken.set(path, file);
    byFile.set(file, path);
  }
  return { byFile, problems };
}
