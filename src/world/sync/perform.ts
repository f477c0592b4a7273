/** Performs the decision on a note, except for writing files. */
import { addWrite, type Batch, recordOnly } from './batch.ts';
import type { NoteAct } from './decide.ts';
import type { KnownFile } from './known.ts';
import type { FileNow, NoteState } from './note.ts';
import {
  addFile,
  chooseCaller,
  createWrite,
  dropFile,
  findFreePath,
  findOpenConflict,
  type Pass,
  setFile,
} from './pass.ts';
import type { Push } from './push.ts';
import { trashFile } from './recover.ts';

export function reportConflict({ done }: Pass, { file, page }: KnownFile, id: string): void {
  done.conflicts.push({ file, page, id });
}

/** Performs a decision. Returns the file to write, or null. */
export function perform(pass: Pass, note: NoteState, act: NoteAct, batch: Batch): Push | null {
  const { known, file, page } = note;
  switch (act.kind) {
    case 'nothing':
    case 'adopt':
      if (act.kind === 'nothing') pass.done.unchanged++;
      // The page has this text already: an update only ends an open conflict.
      if (findOpenConflict(pass, known.deviation) === null) keepAgreed(pass, note, batch);
      else
        updatePage(pass, note, file!.text, batch, (currentFile) =>
          recordAgreed(pass, currentFile, file!, page!.revision),
        );
      return null;
    case 'pull':
      pullFile(pass, note, batch);
      return null;
    case 'merge':
      return mergeBoth(pass, note, act.text, batch);
    case 'conflict':
      holdConflict(pass, note, batch);
      return null;
    case 'wait':
      reportConflict(pass, known, known.deviation!);
      return null;
    case 'push':
      if (findOpenConflict(pass, known.deviation) !== null)
        updatePage(pass, note, page!.text, batch, (currentFile) =>
          setFile(pass, currentFile, { deviation: null }),
        );
      return { known, seen: file?.hash ?? null, list: 'pushed' };
    case 'delete_page':
      deletePage(pass, note, batch);
      return null;
    case 'delete_file':
      if (pass.dryRun) dropFile(pass, known);
      if (pass.dryRun || trashFile(pass, known, file!.hash) === 'done')
        pass.done.deleted.push({ file: known.file, by: 'workspace' });
      return null;
    case 'forget':
      batch.add(
        recordOnly(() => dropFile(pass, known)),
        0,
      );
      return null;
  }
}

function keepAgreed(pass: Pass, { known, file, page }: NoteState, batch: Batch): void {
  batch.add(
    recordOnly(() => recordAgreed(pass, known, file!, page!.revision)),
    0,
  );
}

/** Records that both sides have this text, which is the base of the next pass. */
function recordAgreed(
  pass: Pass,
  knownFile: KnownFile,
  { text, hash, stamp }: FileNow,
  revision: number,
): void {
  const { hash: oldHash, deviation } = knownFile;
  if (oldHash === hash && deviation === null && knownFile.stamp === stamp && knownFile.revision === revision)
    return;
  if (knownFile.hash !== hash && !pass.dryRun) pass.known.setText(knownFile.n, text);
  setFile(pass, knownFile, { hash, stamp, revision, deviation: null });
}

/** Updates a page. `onUpdated` is called in the same transaction. */
function updatePage(
  pass: Pass,
  { known, page }: NoteState,
  text: string,
  batch: Batch,
  onUpdated: (known: KnownFile, revision: number) => void,
): void {
  const caller = chooseCaller(pass, page);
  const write = createWrite(pass, known, { op: 'update_page', page: known.page, text }, caller);
  addWrite(pass, known, page, write, text.length, batch, () => {
    const revision = pass.dryRun ? 0 : pass.world.page(known.page)!.revision;
    onUpdated(pass.files.get(known.file) ?? known, revision);
  });
}

function pullFile(pass: Pass, note: NoteState, batch: Batch): void {
  const { known, file, page } = note;
  if (page === null) {
    createPage(pass, known.file, file!, batch, known);
    return;
  }
  updatePage(pass, note, file!.text, batch, (currentFile, revision) => {
    pass.done.pulled.push(known.file);
    recordAgreed(pass, currentFile, file!, revision);
  });
}

export function createPage(
  pass: Pass,
  file: string,
  fileNow: FileNow,
  batch: Batch,
  knownFile: KnownFile | null,
): void {
  const path = findFreePath(pass, file, (each) => !pass.heads.byPath.has(each) && !pass.fresh.has(each));
  pass.fresh.add(path);
  const write = createWrite(
    pass,
    { file, deviation: knownFile?.deviation ?? null },
    { op: 'create_page', path, text: fileNow.text },
    chooseCaller(pass, null),
  );
  addWrite(pass, { file, page: '' }, null, write, fileNow.text.length, batch, (result) => {
    const page = result?.content_ids[0] ?? `new:${file}`;
    pass.done.pulled.push(file);
    const newRecord = { file, page, path, revision: 1, stamp: fileNow.stamp, hash: fileNow.hash };
    if (knownFile === null) {
      addFile(pass, newRecord, fileNow.text);
      return;
    }
    if (!pass.dryRun) pass.known.setText(knownFile.n, fileNow.text);
    setFile(pass, knownFile, { ...newRecord, deviation: null });
  });
}

/** Writes the merged text to the page, and records the file's text as the base. Returns the file to write. */
function mergeBoth(pass: Pass, note: NoteState, text: string, batch: Batch): Push | null {
  const { known, file } = note;
  updatePage(pass, note, text, batch, (currentFile) => {
    if (!pass.dryRun) pass.known.setText(currentFile.n, file!.text);
    setFile(pass, currentFile, { hash: file!.hash, stamp: file!.stamp, revision: 0, deviation: null });
  });
  batch.flush();
  const currentFile = pass.files.get(known.file)!;
  return currentFile.hash === file!.hash ? { known: currentFile, seen: file!.hash, list: 'merged' } : null;
}

function holdConflict(pass: Pass, { known, file, base }: NoteState, batch: Batch): void {
  const operation = { op: 'update_page', page: known.page, text: file!.text } as const;
  const write = createWrite(pass, known, operation, chooseCaller(pass, null), { divergedFrom: base });
  addWrite(pass, known, null, write, file!.text.length, batch, (result) => {
    const id = result?.deviation_ids[0] ?? '';
    const currentFile = pass.files.get(known.file) ?? known;
    // The recorded revision stays that at which file and page were equal.
    setFile(pass, currentFile, { deviation: id });
    reportConflict(pass, known, id);
  });
}

function deletePage(pass: Pass, { known, page }: NoteState, batch: Batch): void {
  const write = createWrite(pass, known, { op: 'delete_page', page: known.page }, chooseCaller(pass, page));
  addWrite(pass, known, page, write, 0, batch, () => {
    pass.done.deleted.push({ file: known.file, by: 'folder' });
    dropFile(pass, known);
  });
}
