/**
 * Refuses to delete many pages at once: if most notes are missing, the disk is probably not mounted, or the folder is
 * wrong.
 */
import { SondeError } from '../../core/index.ts';
import type { Pass } from './pass.ts';

/** Maximum notes of a small vault, in which more than half may be deleted at once, but not all. */
const maxSmallVault = 10;

/**
 * Throws `run_state` if too many notes are missing. Call it after renames were found, so that they don't count as
 * missing. A dry run is never refused, since it deletes nothing.
 */
export function refuseDeletions({ options, dryRun, folder, files, scan }: Pass): void {
  if (dryRun || options.deleteMissing === true) return;
  // A file without a hash was never written, so its page is not deleted.
  const syncedFiles = [...files.values()].filter(({ hash }) => hash !== null);
  const missingCount = syncedFiles.filter(({ file }) => scan.gone.has(file)).length;
  const isAllMissing = missingCount > 0 && scan.listing.pages.length === 0;
  if (!isAllMissing && (syncedFiles.length <= maxSmallVault || missingCount <= syncedFiles.length / 2))
    return;
  const finding = isAllMissing
    ? `${folder.root} has no notes any more, and all pages that are synchronised with it would be deleted`
    : `${missingCount} of ${syncedFiles.length} notes in ${folder.root} are gone, and their pages would be deleted`;
  throw new SondeError('run_state', {
    message: finding,
    remedy:
      'Check that it is the right folder, and that its disk is mounted. If they are to be deleted: --delete-missing.',
  });
}
