import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type Embeds, findAttachmentChanges, trackEmbeds } from './attachment-files.ts';
import { deleteRemoved } from './delete-removed.ts';
import { createAttachmentItem, createPageItem } from './import-items.ts';
import { withImportLock } from './import-lock.ts';
import { beginWork, type ImportWork } from './import-work.ts';
import { assignPagePaths } from './page-paths.ts';
import { findRemovedFiles } from './removed-files.ts';
import { type BatchItem, maxFiles, slices, submitBatch } from './submit-batch.ts';
import type { ImportOptions, VaultImport, Workspace } from './vault.ts';
import { readPageFile } from './vault-file.ts';
import { resolvePlace, walkVault } from './walk-vault.ts';

/** Maximum length of the texts of one transaction, in UTF-16 units. */
const maxTextLength = 2_000_000;

export async function importVault(workspace: Workspace, options: ImportOptions): Promise<VaultImport> {
  const place = resolvePlace(options);
  return withImportLock(workspace, () => performImport(beginWork(workspace, { ...options, ...place })));
}

async function performImport(work: ImportWork): Promise<VaultImport> {
  const { root, into, ledger, vaultId: vault, options, problems } = work;
  const listing = walkVault(root);
  const paths = assignPagePaths(listing.pages, into);
  problems.push(...listing.problems, ...paths.problems);
  const notText: string[] = [];
  // Attachments come first, so that the embeds of pages can be matched with them.
  const attachmentChanges = findAttachmentChanges(work, listing.attachments, ledger, vault);
  const embeds = trackEmbeds(attachmentChanges.changed);
  const interrupted = await importPages(work, paths.byFile, embeds, notText);
  const undecodable = findAttachmentChanges(work, notText, ledger, vault);
  problems.push(...attachmentChanges.problems, ...undecodable.problems);
  const counts = { ...attachmentChanges.counts };
  for (const name of ['new', 'changed', 'unchanged', 'bytes'] as const)
    counts[name] += undecodable.counts[name];
  const removed = findRemovedFiles(ledger.files(vault), listing);
  const deleted: string[] = [];
  if (!interrupted) {
    for (const attachments of slices([...attachmentChanges.changed, ...undecodable.changed], maxFiles))
      submitBatch(
        work.workspace,
        attachments.map((foundAttachment) =>
          createAttachmentItem(work, foundAttachment, embeds.pageOf(foundAttachment.path)),
        ),
      );
    if (options.deleteRemoved === true) deleted.push(...deleteRemoved(work, removed, listing.pages.length));
    ledger.finish(work.run, options.clock());
  }
  return Object.freeze({
    run: work.run.run,
    root,
    into,
    pages: work.counts.pages,
    changes: work.counts.changes,
    attachments: counts,
    removed: [...removed.pages, ...removed.attachments],
    problems,
    resumed: work.resumed,
    interrupted,
    deviations: work.deviations,
    deleted,
  });
}

/** Imports the pages. True if the import was interrupted. */
async function importPages(
  work: ImportWork,
  paths: ReadonlyMap<string, string>,
  embeds: Embeds,
  notText: string[],
): Promise<boolean> {
  const { root, options, problems, workspace } = work;
  let batch: BatchItem[] = [];
  let textLength = 0;
  let done = 0;
  for (const [file, pagePath] of paths) {
    if (options.signal?.aborted === true) return true;
    done++;
    const pageFile = readPageFile(join(root, file));
    if (pageFile.kind !== 'page') {
      problems.push({ path: file, kind: pageFile.kind, message: pageFile.message });
      if (pageFile.kind === 'not_utf8') notText.push(file);
      continue;
    }
    batch.push(createPageItem(work, { file, pagePath, text: pageFile.text, hash: pageFile.hash }, embeds));
    textLength += pageFile.text.length;
    if (batch.length < maxFiles && textLength < maxTextLength) continue;
    submitBatch(workspace, batch);
    batch = [];
    textLength = 0;
    options.onProgress?.(done, paths.size);
    await setImmediate();
  }
  submitBatch(workspace, batch);
  options.onProgress?.(done, paths.size);
  return options.signal?.aborted === true;
}
