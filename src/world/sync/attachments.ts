/**
 * Syncs attachments: files that are not pages. They stay in the folder; the workspace records their names and hashes,
 * and the page that embeds each.
 */

import { listLinksByKey } from '../rows/link-rows.ts';
import { linkKey } from '../rows/resolve-link.ts';
import { readPageRow } from '../rows/rows.ts';
import { type FoundAttachment, findAttachmentChanges } from '../vault/attachment-files.ts';
import { findRemovedFiles } from '../vault/removed-files.ts';
import { type BatchItem, maxFiles, slices, submitBatch } from '../vault/submit-batch.ts';
import { createWrite, type Pass, reportProblem } from './pass.ts';
import type { SyncReport } from './sync.ts';

export function syncAttachments(pass: Pass): SyncReport['attachments'] {
  const { ledger, vault, scan, dryRun, workspace } = pass;
  const vaultNumber = ledger.vault(vault.root, vault.into, !dryRun);
  // As in an import, a note that is not UTF-8 is an attachment, unless it already has a page.
  const notText = pass.done.problems.flatMap(({ kind, path }) =>
    kind === 'not_utf8' && !pass.files.has(path) ? [path] : [],
  );
  const found = findAttachmentChanges(vault, [...scan.listing.attachments, ...notText], ledger, vaultNumber);
  pass.done.problems.push(...found.problems);
  const recordedFiles = vaultNumber === null ? { pages: [], attachments: [] } : ledger.files(vaultNumber);
  const removed = findRemovedFiles(
    { pages: [], attachments: recordedFiles.attachments },
    scan.listing,
  ).attachments;
  if (!dryRun && vaultNumber !== null) {
    const items = [
      ...found.changed.map((foundAttachment) => keepAttachment(pass, vaultNumber, foundAttachment)),
      ...removed.map((file) => removeAttachment(pass, vaultNumber, file)),
    ];
    for (const slice of slices(items, maxFiles)) submitBatch(workspace, slice);
  }
  const { new: newCount, changed } = found.counts;
  return { new: newCount, changed, removed: removed.length };
}

function keepAttachment(
  pass: Pass,
  vault: number,
  { file, isNew: _, ...attachmentRecord }: FoundAttachment,
): BatchItem {
  const { path, bytes, hash } = attachmentRecord;
  const operation = { op: 'add_attachment', page: findEmbeddingPage(pass, path), path, bytes, hash } as const;
  return {
    write: createWrite(pass, { file }, operation, pass.options.author),
    remember: () => pass.ledger.putAttachment(vault, file, attachmentRecord),
    onRefused: (why) => reportProblem(pass, file, 'refused', why.message),
  };
}

function removeAttachment(pass: Pass, vault: number, file: string): BatchItem {
  const { path } = pass.ledger.attachment(vault, file)!;
  return {
    write: createWrite(pass, { file }, { op: 'remove_attachment', path }, pass.options.author),
    remember: () => pass.ledger.dropAttachment(vault, file),
    onRefused: (why) => reportProblem(pass, file, 'refused', why.message),
  };
}

function findEmbeddingPage({ database }: Pass, path: string): string | null {
  const link = listLinksByKey(database, linkKey(path)).find(({ kind, shown }) => kind === 'embed' && shown);
  return link === undefined ? null : readPageRow(database, link.pageNumber).id;
}
