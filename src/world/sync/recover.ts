/** Completes or undoes changes of files that an interrupted pass had begun. */
import { type FileOutcome, type Folder, hashOf, toDoneName, toNewName, toOldName } from './folder.ts';
import type { Effect, KnownFile } from './known.ts';
import { dropFile, type Pass, setFile } from './pass.ts';
import { rescueText } from './rescue.ts';
import { stampOf, toSafeStamp, toStaleStamp } from './scan.ts';

type Write = Extract<Effect, { kind: 'write' }>;

export function recoverFiles(pass: Pass): void {
  for (const knownFile of [...pass.files.values()])
    if (knownFile.effect !== null && !pass.dryRun) recover(pass, knownFile, knownFile.effect);
}

function recover(pass: Pass, knownFile: KnownFile, effect: Effect): void {
  switch (effect.kind) {
    case 'write':
      recoverWrite(pass, knownFile, effect);
      return;
    case 'move':
      recoverMove(pass, knownFile, effect);
      return;
    case 'trash':
      recoverTrash(pass, knownFile, effect);
  }
}

/** If the file was written, its text becomes the base; otherwise the pass decides anew. */
export function recoverWrite(pass: Pass, known: KnownFile, effect: Write): void {
  const { folder, database } = pass;
  const text = wasWritten(folder, known, effect) ? pass.known.writtenText(known.n) : null;
  if (text !== null && known.hash !== effect.hash)
    database.atomic(() => {
      pass.known.setText(known.n, text);
      setFile(pass, known, { hash: effect.hash, stamp: readWrittenInode(folder, effect), revision: 0 });
    });
  // The file may have been created and renamed before that was recorded: its text is kept, so that it is found by
  // it.
  const isMaybe = effect.seen === null && text === null && known.hash === null;
  const made = isMaybe ? pass.known.writtenText(known.n) : null;
  if (made !== null) pass.known.setText(known.n, made);
  finishWrites(pass, [{ known, effect }]);
}

/** A stale stamp with the inode of the written file; empty if it is not known. */
function readWrittenInode(folder: Folder, { part }: Write): string {
  const stats = folder.stats(toDoneName(part)) ?? folder.stats(toNewName(part));
  return stats === null ? '' : toStaleStamp(stampOf(stats));
}

/** Whether the file was written, even if it was edited afterwards. */
function wasWritten(folder: Folder, { file }: KnownFile, { part, hash, seen }: Write): boolean {
  const bytes = folder.read(file);
  if (bytes !== null && hashOf(bytes) === hash) return true;
  const fresh = folder.stats(toNewName(part));
  if (seen === null)
    return (
      folder.stats(toDoneName(part)) !== null || (fresh !== null && fresh.ino === folder.stats(file)?.ino)
    );
  const old = folder.stats(toOldName(part));
  return fresh === null && old !== null && old.ino !== folder.stats(file)?.ino;
}

/** Checks replaced files for late edits, and removes the parts. */
export function finishWrites(
  pass: Pass,
  writes: readonly { readonly known: Pick<KnownFile, 'file'>; readonly effect: Write }[],
): void {
  const { folder, database } = pass;
  for (const { known, effect } of writes) {
    const old = toOldName(effect.part);
    const replaced = folder.stats(old);
    // The same inode means that the file was not replaced.
    if (replaced !== null && replaced.ino !== folder.stats(known.file)?.ino) {
      const bytes = folder.read(old);
      if (bytes !== null && effect.seen !== null && hashOf(bytes) !== effect.seen)
        rescueLateEdit(pass, pass.files.get(known.file)!, bytes.toString('utf8'));
    }
    if (replaced !== null) folder.remove(old);
    for (const part of [toNewName(effect.part), toDoneName(effect.part)])
      if (folder.stats(part) !== null) folder.remove(part);
  }
  pass.options.onEffect?.('finish writes');
  database.atomic(() => {
    for (const { known } of writes) {
      const now = pass.files.get(known.file)!;
      pass.known.dropPlan(now.n);
      setFile(pass, now, { effect: null });
    }
  });
}

const rescueLateEdit = (pass: Pass, knownFile: KnownFile, text: string): boolean =>
  rescueText(pass, knownFile, text, pass.known.replacedText(knownFile.n));

/**
 * Recovers a move. While it was moved, the file had two names, and other programs may have renamed or replaced one. So
 * the effect stays recorded until the folder was scanned for a second file.
 */
export function recoverMove(
  pass: Pass,
  knownFile: KnownFile,
  effect: Extract<Effect, { kind: 'move' }>,
): void {
  const { folder, database } = pass;
  const { to, path } = effect;
  const from = knownFile.file === to ? null : folder.stats(knownFile.file);
  const there = folder.stats(to);
  const isMoved = there !== null && (from === null || from.ino === there.ino);
  if (isMoved && from !== null) folder.remove(knownFile.file);
  const stands = isMoved ? there : from;
  const stamp = toStaleStamp(stands === null ? knownFile.stamp : stampOf(stands));
  database.atomic(() => setFile(pass, knownFile, { ...(isMoved && { file: to, path }), stamp }));
}

type Trash = Extract<Effect, { kind: 'trash' }>;

/** Recovers a move to the trash. The effect stays recorded if the file may have been renamed or edited meanwhile. */
function recoverTrash(pass: Pass, knownFile: KnownFile, effect: Trash): void {
  const there = pass.folder.stats(effect.to);
  const isGone = pass.folder.stats(knownFile.file) === null;
  if (isGone && there !== null && (there.nlink > 1n || wasEdited(pass, effect))) return;
  endTrash(pass, knownFile, effect);
}

export function endTrash(pass: Pass, knownFile: KnownFile, effect: Trash): void {
  const { folder, database } = pass;
  const [from, there] = [folder.stats(knownFile.file), folder.stats(effect.to)];
  if (there !== null && from !== null && from.ino === there.ino) folder.remove(knownFile.file);
  const isDone = there !== null && (from === null || from.ino === there.ino);
  if (isDone && wasEdited(pass, effect) && folder.move(effect.to, knownFile.file) === 'done') {
    database.atomic(() => setFile(pass, knownFile, { stamp: toStaleStamp(knownFile.stamp), effect: null }));
    return;
  }
  database.atomic(() => {
    if (isDone) dropFile(pass, knownFile);
    else setFile(pass, knownFile, { effect: null });
  });
}

/** Whether the file was edited just before it was moved to the trash. */
export function wasEdited({ folder }: Pass, { to, seen }: Trash): boolean {
  const bytes = folder.read(to);
  return bytes !== null && hashOf(bytes) !== seen;
}

/** Moves the file of a deleted page to the trash, unless it was edited. */
export function trashFile(pass: Pass, knownFile: KnownFile, seen: string): FileOutcome {
  const { folder, database } = pass;
  const to = freeNameInTrash(pass, knownFile.file);
  pass.options.onEffect?.(`trash ${knownFile.file}`);
  database.atomic(() => setFile(pass, knownFile, { effect: { kind: 'trash', to, seen } }));
  const fileOutcome = folder.move(knownFile.file, to);
  const kept = pass.files.get(knownFile.file)!;
  if (fileOutcome === 'done') endTrash(pass, kept, { kind: 'trash', to, seen });
  else database.atomic(() => setFile(pass, kept, { effect: null }));
  return pass.files.has(knownFile.file) ? 'changed' : 'done';
}

/** A free name in the trash. */
export function freeNameInTrash({ folder }: Pass, file: string): string {
  for (let n = 1; ; n++) {
    const to = `.trash/${n === 1 ? file : file.replace(/(\.\w+)$/, ` (${n})$1`)}`;
    if (folder.stats(to) === null) return to;
  }
}

export function readStamp({ folder }: Pass, file: string): string {
  const stats = folder.stats(file);
  return stats === null ? '' : toSafeStamp(stats);
}
