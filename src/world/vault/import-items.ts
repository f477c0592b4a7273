/** The batch items of an import: for each file the write, and the records to store with it. */
import type { WorldWrite } from '../world-write.ts';
import type { Embeds, FoundAttachment } from './attachment-files.ts';
import { type Decision, decideFile } from './decide.ts';
import type { ImportWork } from './import-work.ts';
import type { BatchItem } from './submit-batch.ts';

export interface ReadFile {
  readonly file: string;
  readonly pagePath: string;
  readonly text: string;
  readonly hash: string;
}

export function createPageItem(work: ImportWork, read: ReadFile, embeds: Embeds): BatchItem {
  const { workspace, ledger, vaultId: vault, run, counts } = work;
  const { file, pagePath, text, hash } = read;
  const decision = decideFile(workspace.world, ledger, vault, { path: file, pagePath, hash, text });
  const { state, page, base, before } = decision;
  if (page !== null) embeds.add(text, page.id, page.path);
  return {
    write: createWrite(work, read, decision),
    remember(result) {
      const id = result?.content_ids[0] ?? page?.id ?? null;
      if (result !== null && !result.applied) {
        work.deviations.push(...result.deviation_ids);
        const record = ledger.page(vault, file) ?? { page: id!, hash: '', revision: base ?? page!.revision };
        ledger.putPage(vault, file, { ...record, told: hash });
        counts.add(file, state === 'promoted' ? state : 'conflicting', id);
        return;
      }
      counts.add(file, state, id);
      if (result === null && state !== 'adopted') return;
      const { revision, path } = workspace.world.page(id!)!;
      const contentBefore =
        before === null ? null : { text: before, hash: ledger.page(vault, file)?.hash ?? '' };
      ledger.putPage(vault, file, { page: id!, hash, revision, told: null });
      if (result === null) return;
      if (page === null) embeds.add(text, id!, path);
      ledger.putChange(run, { file, page: id, revision, before: contentBefore });
    },
    onRefused(why) {
      counts.add(file, 'taken', page?.id ?? null);
      work.problems.push({ path: file, kind: 'refused', message: `${why.code}: ${why.message}` });
    },
  };
}

function createWrite(
  work: ImportWork,
  { file, pagePath, text, hash }: ReadFile,
  decision: Decision,
): WorldWrite | null {
  const { state, page, base } = decision;
  if (state === 'new') return work.write({ op: 'create_page', path: pagePath, text }, file, hash);
  if (state === 'changed' || state === 'conflicting' || state === 'promoted')
    return work.write({ op: 'update_page', page: page!.id, text }, file, hash, base);
  return null;
}

/**
 * The batch item of an attachment. The attachment is added to the page that embeds it only if that is a Draft: for
 * other pages, the write would be held as a deviation.
 */
export function createAttachmentItem(
  work: ImportWork,
  attachment: FoundAttachment,
  embeddingPageId: string | null,
): BatchItem {
  const { ledger, vaultId: vault, run, workspace } = work;
  const embeddingPage = embeddingPageId === null ? null : workspace.world.page(embeddingPageId);
  const draftRevision =
    embeddingPage?.lifecycle === 'Draft' && !embeddingPage.deleted ? embeddingPage.revision : null;
  const pageId = draftRevision === null ? null : embeddingPageId;
  const { file, isNew, ...attachmentRecord } = attachment;
  const { path, bytes, hash } = attachmentRecord;
  return {
    write: work.write({ op: 'add_attachment', page: pageId, path, bytes, hash }, file, hash),
    remember() {
      ledger.putAttachment(vault, file, attachmentRecord);
      if (pageId !== null) ledger.follow(pageId, draftRevision!, workspace.world.page(pageId)!.revision);
      if (isNew) ledger.putChange(run, { file, page: null, revision: 0, before: null });
    },
    onRefused: (why) =>
      work.problems.push({ path: file, kind: 'refused', message: `${why.code}: ${why.message}` }),
  };
}
