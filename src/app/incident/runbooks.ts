/** Reads the folder of runbooks: its pages of Markdown. Links are followed only if they stay in the folder. */
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isWithheld } from '../../core/index.ts';

export interface RunbookPage {
  readonly path: string;
  readonly text: string;
}

/** Maximum pages, bytes of one page, and depth of folders. */
const maxPages = 500;
const maxBytes = 256 * 1024;
const maxDepth = 4;

/** Throws if the folder does not exist. */
export async function readRunbooks(folder: string): Promise<readonly RunbookPage[]> {
  const root = await realpath(folder);
  const pages: RunbookPage[] = [];
  const walk = async (directory: string, depth: number): Promise<void> => {
    for (const name of (await readdir(directory)).toSorted()) {
      if (name.startsWith('.') || pages.length >= maxPages) continue;
      const place = await realpath(join(directory, name)).catch(() => null);
      if (place === null || !place.startsWith(root + sep) || isWithheld(place)) continue;
      const found = await stat(place);
      if (found.isDirectory() && depth < maxDepth) await walk(place, depth + 1);
      else if (found.isFile() && found.size <= maxBytes && /\.(md|markdown)$/i.test(name))
        pages.push({
          path: relative(root, join(directory, name)).split(sep).join('/'),
          text: await readFile(place, 'utf8'),
        });
    }
  };
  await walk(root, 1);
  return pages;
}
