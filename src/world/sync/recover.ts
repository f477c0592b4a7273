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
  // The file may have been created, and then renamed by another program, before this was recorded. Its text is kept, so
  // that the renamed file can be found by it.
  const mayBeRenamed = effect.seen === null && text === null && known.hash === null;
  const plannedText = mayBeRenamed ? pass.known.writtenText(known.n) : null;
  if (plannedText !== null) pass.known.setText(known.n, plannedText);
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
  const newStats = folder.stats(toNewName(part));
  if (seen === null)
    return (
      folder.stats(toDoneName(part)) !== null ||
      (newStats !== null && newStats.ino === folder.stats(file)?.ino)
    );
  const oldStats = folder.stats(toOldName(part));
  return newStats === null && oldStats !== null && oldStats.ino !== folder.stats(file)?.ino;
}

/** Checks replaced files for late edits, and removes the temporary files. */
export function finishWrites(
  pass: Pass,
  writes: readonly { readonly known: Pick<KnownFile, 'file'>; readonly effect: Write }[],
): void {
  const { folder, database } = pass;
  for (const { known, effect } of writes) {
    const oldName = toOldName(effect.part);
    const oldStats = folder.stats(oldName);
    // The same inode means that the file was not replaced.
    if (oldStats !== null && oldStats.ino !== folder.stats(known.file)?.ino) {
      const bytes = folder.read(oldName);
      if (bytes !== null && effect.seen !== null && hashOf(bytes) !== effect.seen)
        rescueLateEdit(pass, pass.files.get(known.file)!, bytes.toString('utf8'));
    }
    if (oldStats !== null) folder.remove(oldName);
    for (const part of [toNewName(effect.part), toDoneName(effect.part)])
      if (folder.stats(part) !== null) folder.remove(part);
  }
  pass.options.onEffect?.('finish writes');
  database.atomic(() => {
    for (const { known } of writes) {
      const currentFile = pass.files.get(known.file)!;
      pass.known.dropPlan(currentFile.n);
      setFile(pass, currentFile, { effect: null });
    }
  });
}

const rescueLateEdit = (pass: Pass, knownFile: KnownFile, text: string): boolean =>
  rescueText(pass, knownFile, text, pass.known.replacedText(knownFile.n));

/**
 * Recovers a move. While it was moved, the file had two names, and other programs may have renamed or replaced it under
 * either name. So the effect stays recorded until the folder was scanned for a second file.
 */
export function recoverMove(
  pass: Pass,
  knownFile: KnownFile,
  effect: Extract<Effect, { kind: 'move' }>,
): void {
  const { folder, database } = pass;
  const { to, path } = effect;
  const source = knownFile.file === to ? null : folder.stats(knownFile.file);
  const target = folder.stats(to);
  const isMoved = target !== null && (source === null || source.ino === target.ino);
  if (isMoved && source !== null) folder.remove(knownFile.file);
  const existing = isMoved ? target : source;
  const stamp = toStaleStamp(existing === null ? knownFile.stamp : stampOf(existing));
  database.atomic(() => setFile(pass, knownFile, { ...(isMoved && { file: to, path }), stamp }));
}

type Trash = Extract<Effect, { kind: 'trash' }>;

/** Recovers a move to the trash. The effect stays recorded if the file may have been renamed or edited meanwhile. */
function recoverTrash(pass: Pass, knownFile: KnownFile, effect: Trash): void {
  const inTrash = pass.folder.stats(effect.to);
  const isGone = pass.folder.stats(knownFile.file) === null;
  if (isGone && inTrash !== null && (inTrash.nlink > 1n || wasEdited(pass, effect))) return;
  endTrash(pass, knownFile, effect);
}

export function endTrash(pass: Pass, knownFile: KnownFile, effect: Trash): void {
  const { folder, database } = pass;
  const [original, inTrash] = [folder.stats(knownFile.file), folder.stats(effect.to)];
  if (inTrash !== null && original !== null && original.ino === inTrash.ino) folder.remove(knownFile.file);
  const isDone = inTrash !== null && (original === null || original.ino === inTrash.ino);
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
  const outcome = folder.move(knownFile.file, to);
  const currentFile = pass.files.get(knownFile.file)!;
  if (outcome === 'done') endTrash(pass, currentFile, { kind: 'trash', to, seen });
  else database.atomic(() => setFile(pass, currentFile, { effect: null }));
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
