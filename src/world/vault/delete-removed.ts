import { SondeError } from '../../core/index.ts';
import type { ImportWork } from './import-work.ts';
import { type BatchItem, maxFiles, slices, submitBatch } from './submit-batch.ts';

/**
 * Deletes the pages and attachments of missing files, except pages that have changed since the import. `presentCount`:
 * the number of notes that the folder still has. Returns the files whose pages or attachments were deleted.
 */
export function deleteRemoved(
  work: ImportWork,
  removed: { readonly pages: readonly string[]; readonly attachments: readonly string[] },
  presentCount: number,
): readonly string[] {
  const { workspace, ledger, vaultId: vault, problems } = work;
  if (presentCount === 0 && removed.pages.length > 0)
    throw new SondeError('bad_argument', {
      message: `${work.root} has no notes any more, and all pages that came from it would be deleted`,
      remedy: 'Check that it is the right folder; to undo an import, use sonde world undo.',
    });
  const deleted: string[] = [];
  const createRefusalHandler = (path: string) => (why: { readonly message: string }) =>
    problems.push({ path, kind: 'refused', message: why.message });
  const pages = removed.pages.flatMap((file): BatchItem[] => {
    const knownPage = ledger.page(vault, file)!;
    const page = workspace.world.page(knownPage.page);
    if (page === null || page.deleted || page.revision !== knownPage.revision) return [];
    return [
      {
        write: work.write({ op: 'delete_page', page: page.id }, file, knownPage.hash, knownPage.revision),
        remember(result) {
          if (result?.applied !== true) return;
          ledger.dropPage(vault, file);
          deleted.push(file);
        },
        onRefused: createRefusalHandler(file),
      },
    ];
  });
  const attachments = removed.attachments.map((file): BatchItem => {
    const { path, hash } = ledger.attachment(vault, file)!;
    return {
      write: work.write({ op: 'remove_attachment', path }, file, hash),
      remember() {
        ledger.dropAttachment(vault, file);
        deleted.push(file);
      },
      onRefused: createRefusalHandler(file),
    };
  });
  for (const items of slices([...pages, ...attachments], maxFiles)) submitBatch(workspace, items);
  return deleted;
}
