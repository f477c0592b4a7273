/** Saves an edit of a file that was replaced at the same moment: it is merged into the page, or goes to the inbox. */
import { mergeBlocks } from '../merge/index.ts';
import { submitBatch } from '../vault/submit-batch.ts';
import type { RefusedWrite } from '../world-write.ts';
import type { KnownFile } from './known.ts';
import { isUnchangedSince, readPageNow } from './pages.ts';
import { chooseCaller, createWrite, listOpenConflicts, type Pass, reportProblem, setFile } from './pass.ts';

/** Saves a text. `base`: the text from which it was edited; null: not known. False if it could not be saved. */
export function rescueText(pass: Pass, knownFile: KnownFile, text: string, base: string | null): boolean {
  const page = readPageNow(pass.database, knownFile.page);
  // Without the id of the open conflict, which this write must not replace: that conflict is about the present file.
  const file = { file: knownFile.file };
  let isSaved = false;
  const onRefused = (why: RefusedWrite): void => reportProblem(pass, knownFile.file, 'refused', why.message);
  if (page === null) {
    // The page was deleted at the same moment: a new one gets the text.
    const operation = { op: 'create_page', path: knownFile.path, text } as const;
    const write = createWrite(pass, file, operation, chooseCaller(pass, null));
    submitBatch(pass.workspace, [
      {
        write,
        remember(result) {
          setFile(pass, knownFile, { page: result!.content_ids[0]!, revision: 0 });
          isSaved = true;
        },
        onRefused,
      },
    ]);
    return isSaved;
  }
  const merged = base === null ? null : mergeBlocks({ base, ours: page.text, theirs: text });
  const isMerged = merged?.kind === 'merged';
  // An interrupted pass may have saved this text already.
  const isAlreadyHeld = listOpenConflicts(pass).some(
    (openConflict) => openConflict.page === knownFile.page && openConflict.text === text,
  );
  if (!isMerged && isAlreadyHeld) return true;
  const operation = { op: 'update_page', page: knownFile.page, text: isMerged ? merged.text : text } as const;
  const writeOptions = isMerged ? {} : { divergedFrom: base };
  submitBatch(pass.workspace, [
    {
      write: createWrite(pass, file, operation, chooseCaller(pass, page), writeOptions),
      isCurrent: () => isUnchangedSince(pass.database, knownFile.page, page),
      onOutdated() {
        isSaved = rescueText(pass, knownFile, text, base);
      },
      remember() {
        setFile(pass, knownFile, { revision: 0 });
        isSaved = true;
      },
      onRefused,
    },
  ]);
  return isSaved;
}
