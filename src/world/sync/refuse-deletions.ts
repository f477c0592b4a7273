/**
 * Refuses to delete many pages at once: if most notes are missing, their disk is probably not mounted, or the folder is
 * the wrong one.
 */
import { SondeError } from '../../core/index.ts';
import type { Pass } from './pass.ts';

/** Notes of a small vault. Up to this many, more than half may be deleted at once, but not all. */
const maxSmallVault = 10;

/**
 * Called after renamed notes were recognized, so that they do not count as deleted. Throws `run_state`. A dry run is
 * never refused: it deletes nothing and lists what would be deleted.
 */
export function refuseDeletions({ options, dryRun, folder, files, scan }: Pass): void {
  if (dryRun || options.deleteMissing === true) return;
  // A file without a hash was planned but never written, so its page is never deleted.
  const agreed = [...files.values()].filter(({ hash }) => hash !== null);
  const gone = agreed.filter(({ file }) => scan.gone.has(file)).length;
  const isAll = gone > 0 && scan.listing.pages.length === 0;
  if (!isAll && (agreed.length <= maxSmallVault || gone <= agreed.length / 2)) return;
  const what = isAll
    ? `${folder.root} has no notes any more, and all pages that are synchronised with it would be deleted`
    : `${gone} of ${agreed.length} notes in ${folder.root} are gone, and their pages would be deleted`;
  throw new SondeError('run_state', {
    message: what,
    remedy:
      'Check that it is the right folder, and that its disk is mounted. If they are to be deleted: --delete-missing.',
  });
}
