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
export function rescue(pass: Pass, known: KnownFile, text: string, base: string | null): boolean {
  const page = readPageNow(pass.database, known.page);
  // The write does not replace the conflict of the file: that is about the present file, which does not contain this
  // text.
  const file = { file: known.file };
  let isDone = false;
  const onRefused = (why: RefusedWrite): void => problem(pass, known.file, 'refused', why.message);
  if (page === null) {
    // The page was deleted at the same moment; the edit restores it.
    const operation = { op: 'create_page', path: known.path, text } as const;
    const write = writeOf(pass, file, operation, callerFor(pass, null));
    submitBatch(pass.workspace, [
      {
        write,
        remember(result) {
          setFile(pass, known, { page: result!.content_ids[0]!, revision: 0 });
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
  const isKept = openConflicts(pass).some((each) => each.page === known.page && each.text === text);
  if (!isMerged && isKept) return true;
  const operation = { op: 'update_page', page: known.page, text: isMerged ? merged.text : text } as const;
  const more = isMerged ? {} : { divergedFrom: base };
  submitBatch(pass.workspace, [
    {
      write: writeOf(pass, file, operation, callerFor(pass, page), more),
      isCurrent: () => isAsRead(pass.database, known.page, page),
      onOutdated() {
        isDone = rescue(pass, known, text, base);
      },
      remember() {
        setFile(pass, known, { revision: 0 });
        isDone = true;
      },
      onRefused,
    },
  ]);
  return isDone;
}
