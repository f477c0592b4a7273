import type { Caller } from '../../core/index.ts';
import type { WorldOperation } from '../world-write.ts';
import { worldWrite } from '../write/make-write.ts';
import { withImportLock } from './import-lock.ts';
import { type Change, type Ledger, openExistingLedger, openLedger, type RunRow } from './ledger.ts';
import { type BatchItem, maxFiles, slices, submitBatch } from './submit-batch.ts';
import type { ImportRun, UndoReport, Workspace } from './vault.ts';

export interface UndoOptions {
  readonly run: string;
  readonly device: string;
  readonly clock: () => number;
}

export function importRuns({ database }: Workspace): readonly ImportRun[] {
  return (openExistingLedger(database)?.runs() ?? []).map(
    ({ run, root, into, started, finished, undone: undoneAt }) =>
      Object.freeze({ run, root, into, started, finished, undone: undoneAt }),
  );
}

const isItem = (item: BatchItem | null): item is BatchItem => item !== null;

interface UndoWork {
  readonly workspace: Workspace;
  readonly ledger: Ledger;
  readonly run: RunRow;
  readonly deleted: string[];
  readonly restored: string[];
  readonly left: { readonly path: string; readonly reason: string }[];
  attachments: number;
  readonly submit: (operation: WorldOperation, change: Change) => BatchItem['write'];
}

export async function undoImport(workspace: Workspace, options: UndoOptions): Promise<UndoReport> {
  return withImportLock(workspace, async () => undoRun(workspace, options));
}

function undoRun(workspace: Workspace, options: UndoOptions): UndoReport {
  const ledger = openLedger(workspace.database);
  const run = ledger.run(options.run);
  const caller: Caller = Object.freeze({
    kind: 'import',
    name: 'vault',
    device: options.device,
    thread: null,
    channel: null,
  });
  const work: UndoWork = {
    workspace,
    ledger,
    run,
    deleted: [],
    restored: [],
    left: [],
    attachments: 0,
    submit: (operation, { file, revision }) =>
      worldWrite({
        operation,
        caller,
        source: `${run.run}:${file}`,
        idempotencyKey: `${run.run}:undo:${file}`,
        ...(revision > 0 && { baseRevision: revision }),
      }),
  };
  const shownOn = new Map(workspace.world.attachments().map(({ path, page }) => [path, page]));
  const changes = ledger.changes(run);
  // Pages come first, since removing an attachment changes the page that shows it.
  const pageChanges = changes.filter(({ page }) => page !== null);
  const attachmentChanges = changes.filter(({ page }) => page === null);
  for (const slice of slices(pageChanges, maxFiles))
    submitBatch(workspace, slice.map((change) => createPageItem(work, change, change.page!)).filter(isItem));
  for (const slice of slices(attachmentChanges, maxFiles))
    submitBatch(workspace, slice.map((change) => createAttachmentItem(work, change, shownOn)).filter(isItem));
  ledger.markUndone(run, options.clock());
  const { deleted, restored, left, attachments } = work;
  return Object.freeze({ run: run.run, deleted, restored, attachments, left });
}

function createPageItem(work: UndoWork, change: Change, id: string): BatchItem | null {
  const { workspace, ledger, run } = work;
  const { file, before } = change;
  const leaveFile = (reason: string): null => {
    work.left.push({ path: file, reason });
    return null;
  };
  const page = workspace.world.page(id);
  if (page === null || page.deleted) return leaveFile('its page was deleted');
  if (page.revision !== change.revision) return leaveFile('its page was changed since');
  const derived = before === null ? countDerivations(work, id) : 0;
  if (derived > 0) return leaveFile(`other content derives from its page (${derived})`);
  return {
    write: work.submit(
      before === null ? { op: 'delete_page', page: id } : { op: 'update_page', page: id, text: before.text },
      change,
    ),
    remember(result) {
      if (result?.applied !== true) {
        leaveFile('its page is the author’s now; the undo is held as a deviation');
        return;
      }
      ledger.dropChange(run, file);
      if (before === null) {
        ledger.dropPage(run.vault, file);
        work.deleted.push(file);
        return;
      }
      const { revision } = workspace.world.page(id)!;
      ledger.putPage(run.vault, file, { page: id, hash: before.hash, revision, told: null });
      ledger.moveRevision(id, run, revision);
      work.restored.push(file);
    },
    onRefused: (why) => leaveFile(why.message),
  };
}

/** The number of derivations from a page or from one of its blocks. */
function countDerivations({ workspace: { world } }: UndoWork, page: string): number {
  const contentIds = [page, ...(world.read(page, 'all')?.blocks ?? []).map(({ id }) => id)];
  return contentIds.reduce((sum, id) => sum + world.derivedFrom(id).length, 0);
}

function createAttachmentItem(
  work: UndoWork,
  change: Change,
  shownOn: ReadonlyMap<string, string | null>,
): BatchItem | null {
  const { ledger, run, workspace } = work;
  const { file } = change;
  const knownAttachment = ledger.attachment(run.vault, file);
  if (knownAttachment === null) return null;
  const page = workspace.world.page(shownOn.get(knownAttachment.path) ?? '');
  return {
    write: work.submit({ op: 'remove_attachment', path: knownAttachment.path }, change),
    remember(result) {
      if (result?.applied !== true) {
        work.left.push({ path: file, reason: 'the page that shows it is the author’s now' });
        return;
      }
      ledger.dropAttachment(run.vault, file);
      if (page !== null) ledger.follow(page.id, page.revision, workspace.world.page(page.id)!.revision);
      ledger.dropChange(run, file);
      work.attachments++;
    },
    onRefused: (why) => {
      work.left.push({ path: file, reason: why.message });
    },
  };
}
