/**
 * Saves text that was written into a file at the very moment when it was replaced. The text is merged into the page, or
 * goes to the inbox, and comes back into the file from there.
 */
import { mergeBlocks } from '../merge/index.ts';
import { submitBatch } from '../vault/submit-batch.ts';
import type { RefusedWrite } from '../world-write.ts';
import type { KnownFile } from './known.ts';
import { isAsRead, readPageNow } from './pages.ts';
import { callerFor, openConflicts, type Pass, problem, setFile, writeOf } from './pass.ts';

/** Saves a text. `base`: the text that it was made from. Returns false if the text could not be saved. */
export function rescue(pass: Pass, knownFile: KnownFile, text: string, base: string | null): boolean {
  const page = readPageNow(pass.database, knownFile.page);
  // The write does not replace the conflict of the file: that is about the present file, which does not contain this
  // text.
  const file = { file: knownFile.file };
  let isDone = false;
  const onRefused = (why: RefusedWrite): void => problem(pass, knownFile.file, 'refused', why.message);
  if (page === null) {
    // The page was deleted at the same moment; the edit restores it.
    const operation = { op: 'create_page', path: knownFile.path, text } as const;
    const write = writeOf(pass, file, operation, callerFor(pass, null));
    submitBatch(pass.workspace, [
      {
        write,
        remember(result) {
          setFile(pass, knownFile, { page: result!.content_ids[0]!, revision: 0 });
          isDone = true;
        },
        onRefused,
      },
    ]);
    return isDone;
  }
  const merged = base === null ? null : mergeBlocks({ base, ours: page.text, theirs: text });
  const isMerged = merged?.kind === 'merged';
  // Whether an interrupted pass has saved this text already.
  const isKept = openConflicts(pass).some(
    (openConflict) => openConflict.page === knownFile.page && openConflict.text === text,
  );
  if (!isMerged && isKept) return true;
  const operation = { op: 'update_page', page: knownFile.page, text: isMerged ? merged.text : text } as const;
  const more = isMerged ? {} : { divergedFrom: base };
  submitBatch(pass.workspace, [
    {
      write: writeOf(pass, file, operation, callerFor(pass, page), more),
      isCurrent: () => isAsRead(pass.database, knownFile.page, page),
      onOutdated() {
        isDone = rescue(pass, knownFile, text, base);
      },
      remember() {
        setFile(pass, knownFile, { revision: 0 });
        isDone = true;
      },
      onRefused,
    },
  ]);
  return isDone;
}
