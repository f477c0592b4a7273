/** Many notes that are gone at once are rather a disk that is away, or another folder, than deleted. */
import { SondeError } from '../../core/index.ts';
import type { Pass } from './pass.ts';

/** Of so few notes more than half may go. */
const maxFew = 10;

/** Asked once it is known which were renamed. Throws `run_state`; a dry run deletes nothing, and says what would be. */
export function refuseDeletions({ options, dryRun, folder, files, scan }: Pass): void {
  if (dryRun || options.deleteMissing === true) return;
  // A file that was planned and never written has no text in which both agreed, and its page is not deleted.
  const agreed = [...files.values()].filter(({ hash }) => hash !== null);
  const gone = agreed.filter(({ file }) => scan.gone.has(file)).length;
  const isAll = gone > 0 && scan.listing.pages.length === 0;
  if (!isAll && (agreed.length <= maxFew || gone <= agreed.length / 2)) return;
  const what = isAll
    ? `${folder.root} has no notes any more, and all pages that are in step with it would be deleted`
    : `${gone} of ${agreed.length} notes in ${folder.root} are gone, and their pages would be deleted`;
  throw new SondeError('run_state', {
    message: what,
    remedy:
      'See whether the folder is the right one, and whether its disk is there. If they are to be deleted: --delete-missing.',
  });
}
