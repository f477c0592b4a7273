/**
 * Ends interrupted moves of files. A file has two names while it is moved; if the pass was interrupted then, other
 * programs may have renamed, edited or replaced it under either name. Both files are one note, which gets the edits of
 * both.
 */
import { join } from 'node:path';
import { readPageFile } from '../vault/vault-file.ts';
import { movePage } from './follow-renames.ts';
import type { Effect, KnownFile } from './known.ts';
import { dropFile, type Pass, setFile } from './pass.ts';
import { endTrash, freeNameInTrash, wasEdited } from './recover.ts';
import { isSameNote } from './renames.ts';
import { rescueText } from './rescue.ts';
import { inodeOf, toStaleStamp } from './scan.ts';

type Move = Extract<Effect, { kind: 'move' }>;
type Trash = Extract<Effect, { kind: 'trash' }>;

/** Ends interrupted moves. Call it after the scan. Returns whether there were any moves to another name. */
export function endSecondNames(pass: Pass): boolean {
  let changed = false;
  for (const knownFile of [...pass.files.values()]) {
    if (pass.dryRun || knownFile.effect === null) continue;
    if (knownFile.effect.kind === 'move') changed = endMove(pass, knownFile, knownFile.effect) || changed;
    if (knownFile.effect.kind === 'trash') endTrashMove(pass, knownFile, knownFile.effect);
  }
  return changed;
}

/** Names of an inode that have no record and are not being written. */
const findNames = ({ scan, files }: Pass, inode: string): readonly string[] =>
  [...scan.stamps].flatMap(([file, stamp]) =>
    inodeOf(stamp) === inode && !files.has(file) && !scan.busy.has(file) ? [file] : [],
  );

const readInode = ({ folder }: Pass, file: string): string | null => {
  const stats = folder.stats(file);
  return stats === null ? null : String(stats.ino);
};

function endMove(pass: Pass, knownFile: KnownFile, { aside, ...effect }: Move): boolean {
  const { scan, files, database } = pass;
  const { to, path } = effect;
  if (aside !== undefined) moveAside(pass, knownFile, effect, aside);
  const known = pass.files.get(knownFile.file)!;
  const recordedNames = [to, known.file].filter((file) => files.get(file)?.n === known.n || !files.has(file));
  if (recordedNames.some((file) => scan.busy.has(file))) {
    for (const file of recordedNames) (scan.busy as Set<string>).add(file);
    return false;
  }
  const inodes = new Set([effect.inode ?? inodeOf(known.stamp), inodeOf(known.stamp)]);
  const names = new Set([...recordedNames, ...[...inodes].flatMap((inode) => findNames(pass, inode))]);
  const existing = [...names].filter((file) => scan.stamps.has(file) && readInode(pass, file) !== null);
  const distinctFiles = dropSecondNames(pass, existing, recordedNames);
  const wasDropped = distinctFiles.length < existing.length;
  const [main, ...others] =
    distinctFiles.length < 2 ? distinctFiles : listNoteFiles(pass, known, effect, distinctFiles);
  for (const file of others) {
    const secondFile = { file, to: freeNameInTrash(pass, file) };
    // Recorded first, so that the text is found even if the pass is interrupted.
    database.atomic(() =>
      setFile(pass, pass.files.get(known.file)!, { effect: { ...effect, aside: secondFile } }),
    );
    moveAside(pass, pass.files.get(known.file)!, effect, secondFile);
  }
  const currentFile = pass.files.get(known.file)!;
  const change = { effect: null, revision: 0, stamp: toStaleStamp(currentFile.stamp) };
  if (main === undefined || main === known.file) database.atomic(() => setFile(pass, currentFile, change));
  else if (main === to) database.atomic(() => setFile(pass, currentFile, { ...change, file: to, path }));
  else {
    // A file with a single name that was only renamed is found later, by its text.
    const isCertain = (wasDropped || others.length > 0) && pass.heads.byId.get(known.page) !== undefined;
    if (isCertain) movePage(pass, currentFile, main);
    const fileToChange = pass.files.get(isCertain ? main : known.file) ?? currentFile;
    database.atomic(() => setFile(pass, fileToChange, change));
  }
  return true;
}

/** Keeps one name of each inode: preferably one that another program gave it. */
function dropSecondNames(
  pass: Pass,
  names: readonly string[],
  recordedNames: readonly string[],
): readonly string[] {
  const keptNames = new Map<string, string>();
  for (const file of names.toSorted(
    (a, b) => Number(recordedNames.includes(a)) - Number(recordedNames.includes(b)),
  )) {
    const inode = readInode(pass, file)!;
    const keptName = keptNames.get(inode);
    if (keptName === undefined) keptNames.set(inode, file);
    else if (readInode(pass, keptName) === inode) {
      pass.folder.remove(file);
      (pass.scan.stamps as Map<string, string>).delete(file);
    }
  }
  return names.filter((file) => [...keptNames.values()].includes(file));
}

/**
 * The files that belong to the note; the first is the one to keep. A file with an old name may also be another note.
 */
function listNoteFiles(
  pass: Pass,
  knownFile: KnownFile,
  { to, inode }: Move,
  files: readonly string[],
): readonly string[] {
  const commonText = knownFile.hash === null ? null : pass.known.text(knownFile.n);
  const texts = new Map(files.map((file) => [file, readText(pass, file)]));
  const isOwn = (file: string): boolean =>
    (file === to || file === knownFile.file) && readInode(pass, file) === inode;
  const certainFiles = files.filter((file) => isOwn(file) || isAlike(commonText, texts.get(file)!));
  const isLikeCertain = (file: string): boolean =>
    certainFiles.some((each) => isAlike(texts.get(each)!, texts.get(file)!));
  const noteFiles = files.filter((file) => certainFiles.includes(file) || isLikeCertain(file));
  const mainFile = [to, knownFile.file].find((file) => noteFiles.includes(file));
  return mainFile === undefined ? noteFiles : [mainFile, ...noteFiles.filter((file) => file !== mainFile)];
}

const isAlike = (before: string | null, after: string | null): boolean =>
  before !== null && after !== null && (before === after || isSameNote(before, after));

/** Moves a second file of a note to the trash. Its text is merged into the page, or goes to the inbox. */
function moveAside(pass: Pass, knownFile: KnownFile, effect: Move, aside: NonNullable<Move['aside']>): void {
  const { folder, database, scan } = pass;
  const inode = readInode(pass, aside.file);
  if (inode !== null && readInode(pass, aside.to) === null) folder.move(aside.file, aside.to);
  else if (inode !== null && readInode(pass, aside.to) === inode) folder.remove(aside.file);
  const text = readText(pass, aside.to);
  const commonText = knownFile.hash === null ? null : pass.known.text(knownFile.n);
  // Inodes are reused: another note must not count as this note with all of its lines deleted.
  const keepsAllLines =
    commonText !== null && text !== null && splitLines(commonText).isSubsetOf(splitLines(text));
  const base = keepsAllLines ? commonText : null;
  const isTextSaved = text === null || rescueText(pass, knownFile, text, base);
  const isMovedBack = !isTextSaved && folder.move(aside.to, aside.file) === 'done';
  if (!isMovedBack) (scan.stamps as Map<string, string>).delete(aside.file);
  database.atomic(() => setFile(pass, pass.files.get(knownFile.file)!, { effect }));
}

/** Ends an interrupted move to the trash of a file that may have been renamed or edited meanwhile. */
function endTrashMove(pass: Pass, knownFile: KnownFile, effect: Trash): void {
  const { folder, database, scan } = pass;
  const existing = folder.stats(effect.to);
  const [renamed] = existing === null ? [] : findNames(pass, String(existing.ino));
  if (renamed !== undefined && folder.stats(renamed)?.ino === existing!.ino) {
    folder.remove(effect.to);
    database.atomic(() => dropFile(pass, knownFile));
    return;
  }
  const text = readText(pass, effect.to);
  if (wasEdited(pass, effect) && text !== null && isInNewFile(pass, text)) {
    database.atomic(() => dropFile(pass, knownFile));
    return;
  }
  endTrash(pass, knownFile, effect);
  if (!pass.files.has(knownFile.file) || folder.stats(knownFile.file) === null) return;
  (scan.gone as Set<string>).delete(knownFile.file);
  (scan.stamps as Map<string, string>).set(knownFile.file, '');
}

/** Whether a new file contains every line of a text, so that the text was saved under another name. */
function isInNewFile(pass: Pass, text: string): boolean {
  const lines = splitLines(text);
  const newFiles = [...pass.scan.stamps.keys()].filter((file) => !pass.files.has(file));
  return newFiles.some((file) => {
    const other = readText(pass, file);
    return other !== null && isSameNote(text, other) && lines.isSubsetOf(splitLines(other));
  });
}

const splitLines = (text: string): ReadonlySet<string> =>
  new Set(text.split(/\r?\n/).filter((line) => line.trim() !== ''));

function readText({ folder }: Pass, file: string): string | null {
  const pageFile = readPageFile(join(folder.root, file));
  return pageFile.kind === 'page' ? pageFile.text : null;
}
