/** Groups the writes of a sync pass into transactions. */
import { type BatchItem, maxFiles, submitBatch } from '../vault/submit-batch.ts';
import type { AcceptedWrite } from '../world-write.ts';
import { isUnchangedSince, type PageNow } from './pages.ts';
import { type Pass, reportProblem } from './pass.ts';

/** Maximum length of the texts of one transaction, in UTF-16 units. */
const maxTextLength = 2_000_000;

export interface Batch {
  add(item: BatchItem, length: number): void;
  flushIfFull(): boolean;
  flush(): void;
}

export function openBatch(pass: Pass): Batch {
  let items: BatchItem[] = [];
  let length = 0;
  const flush = (): void => {
    if (items.length > 0) pass.options.onEffect?.('write pages');
    submitBatch(pass.workspace, items);
    items = [];
    length = 0;
  };
  return {
    add(item, addedLength) {
      items.push(item);
      length += addedLength;
    },
    flushIfFull() {
      if (items.length < maxFiles && length < maxTextLength) return false;
      flush();
      return true;
    },
    flush,
  };
}

/** An item that only changes records, and no page. */
export const recordOnly = (work: () => unknown): BatchItem => ({
  write: null,
  remember: () => void work(),
  onRefused: () => {},
});

/**
 * Adds a write to a batch. `pageAsRead`: the state of the page on which the write is based. If the page has changed
 * when the batch is submitted, the next pass handles the note.
 */
export function addWrite(
  pass: Pass,
  { file, page }: { readonly file: string; readonly page: string },
  pageAsRead: PageNow | null,
  write: BatchItem['write'],
  length: number,
  batch: Batch,
  onApplied: (result: AcceptedWrite | null) => void,
): void {
  const item: BatchItem = {
    write: pass.dryRun ? null : write,
    isCurrent: () => pageAsRead === null || isUnchangedSince(pass.database, page, pageAsRead),
    onOutdated: () => void (pass.scan.busy as Set<string>).add(file),
    remember: onApplied,
    onRefused: (why) => reportProblem(pass, file, 'refused', why.message),
  };
  batch.add(item, length);
}
