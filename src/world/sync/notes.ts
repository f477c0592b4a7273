/** Syncs each note that may have changed on either side. */
import { setImmediate } from 'node:timers/promises';
import { findDeviation } from '../decide/deviations.ts';
import { type Batch, openBatch } from './batch.ts';
import { decideNote } from './decide.ts';
import { hashOf } from './folder.ts';
import type { KnownFile } from './known.ts';
import { planNewFiles, syncNewFile } from './new-notes.ts';
import { readFile } from './note.ts';
import { readPageNow } from './pages.ts';
import { conflictText, findOpenConflict, type Pass, reportProblem, setFile } from './pass.ts';
import { perform, reportConflict } from './perform.ts';
import type { Push } from './push.ts';

/** Compares all notes, and updates pages. Returns the files to write. */
export async function syncNotes(pass: Pass): Promise<readonly Push[]> {
  const batch = openBatch(pass);
  const pushes: Push[] = [];
  const knownFiles = [...pass.files.values()];
  const handledPages = new Set(knownFiles.map(({ page }) => page));
  const newFiles = [...pass.scan.stamps.keys()].filter(
    (file) => !pass.files.has(file) && !pass.scan.busy.has(file),
  );
  const total = knownFiles.length + newFiles.length;
  let doneCount = 0;
  for (const knownFile of knownFiles) {
    if (pass.options.signal?.aborted === true) break;
    const push = syncKnown(pass, knownFile, batch);
    if (push !== null) pushes.push(push);
    if (batch.flushIfFull()) await yieldToOthers(pass, doneCount, total);
    doneCount++;
  }
  for (const file of newFiles) {
    if (pass.options.signal?.aborted === true) break;
    syncNewFile(pass, file, handledPages, batch, pushes);
    if (batch.flushIfFull()) await yieldToOthers(pass, doneCount, total);
    doneCount++;
  }
  batch.flush();
  if (pass.options.signal?.aborted !== true) pushes.push(...planNewFiles(pass, handledPages));
  pass.options.onProgress?.(total, total);
  return pushes;
}

async function yieldToOthers({ options }: Pass, done: number, total: number): Promise<void> {
  options.onProgress?.(done, total);
  await setImmediate();
}

/** Whether neither the file nor the page can have changed, so that the note need not be read. */
function isUntouched(pass: Pass, knownFile: KnownFile): boolean {
  const head = pass.heads.byId.get(knownFile.page);
  return (
    head?.revision === knownFile.revision &&
    knownFile.stamp !== '' &&
    knownFile.deviation === null &&
    pass.scan.stamps.get(knownFile.file) === knownFile.stamp &&
    !pass.heads.bound.has(knownFile.page)
  );
}

function syncKnown(pass: Pass, knownFile: KnownFile, batch: Batch): Push | null {
  if (pass.scan.busy.has(knownFile.file)) return null;
  let known = knownFile;
  const openConflict = findOpenConflict(pass, known.deviation);
  if (isUntouched(pass, known)) {
    pass.done.unchanged++;
    return null;
  }
  const head = pass.heads.byId.get(known.page);
  // Null if the page was deleted, or moved out of the part of the workspace that this folder has.
  const page = head === undefined ? null : readPageNow(pass.database, known.page);
  if (page === null && head !== undefined) {
    // The page at this path is a candidate: the author must decide on it first.
    if (openConflict !== null) reportConflict(pass, known, openConflict.id);
    else
      reportProblem(
        pass,
        known.file,
        'refused',
        `a page that an agent proposes has its path: promote or reject ${known.page}`,
      );
    return null;
  }
  const heldText = openConflict === null ? null : conflictText(openConflict);
  let base = known.hash === null ? null : pass.known.text(known.n);
  if (known.deviation !== null && openConflict === null) {
    // The conflict was decided, so the file's text in it counts as merged.
    if (page !== null) base = findDecidedText(pass, known.deviation) ?? base;
    known = keepBase(pass, known, base);
  }
  const file = readFile(pass, known.file);
  if (file === 'left') return null;
  const onlyLinks = page !== null && page.revision === known.revision;
  const act = decideNote({
    base,
    file: file?.text ?? null,
    page: page?.text ?? null,
    held: heldText,
    onlyLinks,
  });
  return perform(pass, { known, file, page, base }, act, batch);
}

function findDecidedText(pass: Pass, id: string): string | null {
  const deviation = findDeviation(pass.database, id);
  return deviation === null ? null : conflictText(deviation);
}

function keepBase(pass: Pass, knownFile: KnownFile, base: string | null): KnownFile {
  const hash = base === null ? null : hashOf(base);
  return pass.database.atomic(() => {
    if (base !== null && !pass.dryRun) pass.known.setText(knownFile.n, base);
    return setFile(pass, knownFile, { deviation: null, hash, revision: 0 });
  });
}
