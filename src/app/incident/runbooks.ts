/** Reads the Markdown files of the runbook folder. Links are followed only if they stay in the folder. */
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isWithheld } from '../../core/index.ts';

export interface RunbookPage {
  readonly path: string;
  readonly text: string;
}

/** Maximum number of pages, bytes of one page, and depth of folders. Others are skipped. */
const maxPages = 500;
const maxPageBytes = 256 * 1024;
const maxDepth = 4;

/** Throws if the folder does not exist. */
export async function readRunbooks(folder: string): Promise<readonly RunbookPage[]> {
  const root = await realpath(folder);
  const pages: RunbookPage[] = [];
  const walk = async (directory: string, depth: number): Promise<void> => {
    for (const name of (await readdir(directory)).toSorted()) {
      if (name.startsWith('.') || pages.length >= maxPages) continue;
      const realFile = await realpath(join(directory, name)).catch(() => null);
      if (realFile === null || !realFile.startsWith(root + sep) || isWithheld(realFile)) continue;
      const stats = await stat(realFile);
      if (stats.isDirectory() && depth < maxDepth) await walk(realFile, depth + 1);
      else if (stats.isFile() && stats.size <= maxPageBytes && /\.(md|markdown)$/i.test(name))
        pages.push({
          path: relative(root, join(directory, name)).split(sep).join('/'),
          text: await readFile(realFile, 'utf8'),
        });
    }
  };
  await walk(root, 1);
  return pages;
}
