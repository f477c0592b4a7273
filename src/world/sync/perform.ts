/** Performs the decision about a note, except for writing files. */
import { type Batch, recordOnly, submit } from './batch.ts';
import type { NoteAct } from './decide.ts';
import type { KnownFile } from './known.ts';
import type { FileNow, NoteState } from './note.ts';
import { addFile, callerFor, dropFile, freePath, openConflict, type Pass, setFile, writeOf } from './pass.ts';
import type { Push } from './push.ts';
import { trashFile } from './recover.ts';

export function reportConflict({ done }: Pass, { file, page }: KnownFile, id: string): void {
  done.conflicts.push({ file, page, id });
}

/** Performs a decision. Returns the file that is to be written, or null. */
export function perform(pass: Pass, note: NoteState, act: NoteAct, batch: Batch): Push | null {
  const { known, file, page } = note;
  switch (act.kind) {
    case 'nothing':
    case 'adopt':
      if (act.kind === 'nothing') pass.done.unchanged++;
      // The page already has this text and is not written. Only its conflict ends.
      if (openConflict(pass, known.deviation) === null) keepAgreed(pass, note, batch);
      else updatePage(pass, note, file!.text, batch, (now) => agree(pass, now, file!, page!.revision));
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
      if (openConflict(pass, known.deviation) !== null)
        updatePage(pass, note, page!.text, batch, (now) => setFile(pass, now, { deviation: null }));
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
    recordOnly(() => agree(pass, known, file!, page!.revision)),
    0,
  );
}

/** Records that both sides have this text now, as the base of the next pass. */
function agree(pass: Pass, knownFile: KnownFile, { text, hash, stamp }: FileNow, revision: number): void {
  const { hash: was, deviation } = knownFile;
  if (was === hash && deviation === null && knownFile.stamp === stamp && knownFile.revision === revision)
    return;
  if (knownFile.hash !== hash && !pass.dryRun) pass.known.setText(knownFile.n, text);
  setFile(pass, knownFile, { hash, stamp, revision, deviation: null });
}

/** Updates a page. `then` is called within the transaction, once the update was applied. */
function updatePage(
  pass: Pass,
  { known, page }: NoteState,
  text: string,
  batch: Batch,
  then: (known: KnownFile, revision: number) => void,
): void {
  const caller = callerFor(pass, page);
  const write = writeOf(pass, known, { op: 'update_page', page: known.page, text }, caller);
  submit(pass, known, page, write, text.length, batch, () => {
    const revision = pass.dryRun ? 0 : pass.world.page(known.page)!.revision;
    then(pass.files.get(known.file) ?? known, revision);
  });
}

function pullFile(pass: Pass, note: NoteState, batch: Batch): void {
  const { known, file, page } = note;
  if (page === null) {
    createPage(pass, known.file, file!, batch, known);
    return;
  }
  updatePage(pass, note, file!.text, batch, (now, revision) => {
    pass.done.pulled.push(known.file);
    agree(pass, now, file!, revision);
  });
}

export function createPage(
  pass: Pass,
  file: string,
  read: FileNow,
  batch: Batch,
  knownFile: KnownFile | null,
): void {
  const path = freePath(pass, file, (each) => !pass.heads.byPath.has(each) && !pass.fresh.has(each));
  pass.fresh.add(path);
  const write = writeOf(
    pass,
    { file, deviation: knownFile?.deviation ?? null },
    { op: 'create_page', path, text: read.text },
    callerFor(pass, null),
  );
  submit(pass, { file, page: '' }, null, write, read.text.length, batch, (result) => {
    const page = result?.content_ids[0] ?? `new:${file}`;
    pass.done.pulled.push(file);
    const fresh = { file, page, path, revision: 1, stamp: read.stamp, hash: read.hash };
    if (knownFile === null) {
      addFile(pass, fresh, read.text);
      return;
    }
    if (!pass.dryRun) pass.known.setText(knownFile.n, read.text);
    setFile(pass, knownFile, { ...fresh, deviation: null });
  });
}

/**
 * Gives the page the changes of both sides first. From then on the text of the file is the base, and the file is
 * written.
 */
function mergeBoth(pass: Pass, note: NoteState, text: string, batch: Batch): Push | null {
  const { known, file } = note;
  updatePage(pass, note, text, batch, (now) => {
    if (!pass.dryRun) pass.known.setText(now.n, file!.text);
    setFile(pass, now, { hash: file!.hash, stamp: file!.stamp, revision: 0, deviation: null });
  });
  batch.flush();
  const now = pass.files.get(known.file)!;
  return now.hash === file!.hash ? { known: now, seen: file!.hash, list: 'merged' } : null;
}

function holdConflict(pass: Pass, { known, file, base }: NoteState, batch: Batch): void {
  const operation = { op: 'update_page', page: known.page, text: file!.text } as const;
  const write = writeOf(pass, known, operation, callerFor(pass, null), { divergedFrom: base });
  submit(pass, known, null, write, file!.text.length, batch, (result) => {
    const id = result?.deviation_ids[0] ?? '';
    const now = pass.files.get(known.file) ?? known;
    // The revision stays the last one at which file and page were the same.
    setFile(pass, now, { deviation: id });
    reportConflict(pass, known, id);
  });
}

function deletePage(pass: Pass, { known, page }: NoteState, batch: Batch): void {
  const write = writeOf(pass, known, { op: 'delete_page', page: known.page }, callerFor(pass, page));
  submit(pass, known, page, write, 0, batch, () => {
    pass.done.deleted.push({ file: known.file, by: 'folder' });
    dropFile(pass, known);
  });
}
