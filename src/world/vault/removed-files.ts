import type { VaultListing } from './walk-vault.ts';

interface Files {
  readonly pages: readonly string[];
  readonly attachments: readonly string[];
}

/** The recorded files that are gone, except those in a folder that could not be read. */
export function findRemovedFiles(files: Files, { pages, attachments, problems }: VaultListing): Files {
  // A file that was no UTF-8 before may be a page now, and vice versa.
  const present = new Set([...pages, ...attachments]);
  const unreadableFolders = problems.filter(({ kind }) => kind === 'unreadable').map(({ path }) => path);
  const isHidden = (file: string): boolean =>
    unreadableFolders.some((folder) => folder === '' || file.startsWith(`${folder}/`));
  const isGone = (file: string): boolean => !present.has(file) && !isHidden(file);
  return { pages: files.pages.filter(isGone), attachments: files.attachments.filter(isGone) };
}
