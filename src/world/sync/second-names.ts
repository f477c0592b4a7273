/**
 * A file that is being moved has two names for a moment. If a pass was interrupted then, somebody may have renamed,
 * edited or replaced the file under either name: both are still one note, with the edits of both.
 */
import { join } from 'node:path';
import { readPageFile } from '../vault/vault-file.ts';
import { movePage } from './follow-renames.ts';
import type { Effect, KnownFile } from './known.ts';
import { dropFile, type Pass, setFile } from './pass.ts';
import { endTrash, freeNameInTrash, wasEdited } from './recover.ts';
import { isSameNote } from './renames.ts';
import { rescue } from './rescue.ts';
import { inodeOf, staleStamp } from './scan.ts';

type Move = Extract<Effect, { kind: 'move' }>;
type Trash = Extract<Effect, { kind: 'trash' }>;

/** Ends moves that were interrupted. Called once the folder was scanned. Returns true if any file was being moved. */
export function endSecondNames(pass: Pass): boolean {
  let changed = false;
  for (const knownFile of [...pass.files.values()]) {
    if (pass.dryRun || knownFile.effect === null) continue;
    if (knownFile.effect.kind === 'move') changed = endMove(pass, knownFile, knownFile.effect) || changed;
    if (knownFile.effect.kind === 'trash') endTrashed(pass, knownFile, knownFile.effect);
  }
  return changed;
}

/** Unknown names of one inode that are not being written. */
const namesOf = ({ scan, files }: Pass, inode: string): readonly string[] =>
  [...scan.stamps].flatMap(([file, stamp]) =>
    inodeOf(stamp) === inode && !files.has(file) && !scan.busy.has(file) ? [file] : [],
  );

const inodeAt = ({ folder }: Pass, file: string): string | null => {
  const stats = folder.stats(file);
  return stats === null ? null : String(stats.ino);
};

function endMove(pass: Pass, knownFile: KnownFile, { aside, ...effect }: Move): boolean {
  const { scan, files, database } = pass;
  const { to, path } = effect;
  if (aside !== undefined) keepAside(pass, knownFile, effect, aside);
  const known = pass.files.get(knownFile.file)!;
  const own = [to, known.file].filter((file) => files.get(file)?.n === known.n || !files.has(file));
  if (own.some((file) => scan.busy.has(file))) {
    for (const file of own) (scan.busy as Set<string>).add(file);
    return false;
  }
  const inodes = new Set([effect.inode ?? inodeOf(known.stamp), inodeOf(known.stamp)]);
  const names = new Set([...own, ...[...inodes].flatMap((inode) => namesOf(pass, inode))]);
  const existing = [...names].filter((file) => scan.stamps.has(file) && inodeAt(pass, file) !== null);
  const single = dropSecondNames(pass, existing, own);
  const wasDropped = single.length < existing.length;
  const [main, ...others] = single.length < 2 ? single : filesOfNote(pass, known, effect, single);
  for (const file of others) {
    const second = { file, to: freeNameInTrash(pass, file) };
    // Recorded before it is done, so that the text is found there even if the pass is interrupted.
    database.atomic(() =>
      setFile(pass, pass.files.get(known.file)!, { effect: { ...effect, aside: second } }),
    );
    keepAside(pass, pass.files.get(known.file)!, effect, second);
  }
  const now = pass.files.get(known.file)!;
  const change = { effect: null, revision: 0, stamp: staleStamp(now.stamp) };
  if (main === undefined || main === known.file) database.atomic(() => setFile(pass, now, change));
  else if (main === to) database.atomic(() => setFile(pass, now, { ...change, file: to, path }));
  else {
    // A file that has one name and was only renamed is found later, by its text.
    const isCertain = (wasDropped || others.length > 0) && pass.heads.byId.get(known.page) !== undefined;
    if (isCertain) movePage(pass, now, main);
    const left = pass.files.get(isCertain ? main : known.file) ?? now;
    database.atomic(() => setFile(pass, left, change));
  }
  return true;
}

/** Keeps one of several names of one inode: the one that somebody gave it, or else the new one. */
function dropSecondNames(pass: Pass, names: readonly string[], own: readonly string[]): readonly string[] {
  const stay = new Map<string, string>();
  for (const file of names.toSorted((a, b) => Number(own.includes(a)) - Number(own.includes(b)))) {
    const inode = inodeAt(pass, file)!;
    const first = stay.get(inode);
    if (first === undefined) stay.set(inode, file);
    else if (inodeAt(pass, first) === inode) {
      pass.folder.remove(file);
      (pass.scan.stamps as Map<string, string>).delete(file);
    }
  }
  return names.filter((file) => [...stay.values()].includes(file));
}

/**
 * The files of the note, the one to keep first. Other files may be new notes under its old names. Empty if this can't
 * be decided.
 */
function filesOfNote(
  pass: Pass,
  knownFile: KnownFile,
  { to, inode }: Move,
  files: readonly string[],
): readonly string[] {
  const agreed = knownFile.hash === null ? null : pass.known.text(knownFile.n);
  const texts = new Map(files.map((file) => [file, textAt(pass, file)]));
  const isOwn = (file: string): boolean =>
    (file === to || file === knownFile.file) && inodeAt(pass, file) === inode;
  const certain = files.filter((file) => isOwn(file) || isAlike(agreed, texts.get(file)!));
  const like = (file: string): boolean => certain.some((each) => isAlike(texts.get(each)!, texts.get(file)!));
  const found = files.filter((file) => certain.includes(file) || like(file));
  const first = [to, knownFile.file].find((file) => found.includes(file));
  return first === undefined ? found : [first, ...found.filter((file) => file !== first)];
}

const isAlike = (before: string | null, after: string | null): boolean =>
  before !== null && after !== null && (before === after || isSameNote(before, after));

/** Moves a second file of a note to the trash. Its text is merged into the page, or goes to the inbox. */
function keepAside(pass: Pass, knownFile: KnownFile, effect: Move, aside: NonNullable<Move['aside']>): void {
  const { folder, database, scan } = pass;
  const inode = inodeAt(pass, aside.file);
  if (inode !== null && inodeAt(pass, aside.to) === null) folder.move(aside.file, aside.to);
  else if (inode !== null && inodeAt(pass, aside.to) === inode) folder.remove(aside.file);
  const text = textAt(pass, aside.to);
  const agreed = knownFile.hash === null ? null : pass.known.text(knownFile.n);
  // Inodes are used again: another note must not count as this note with all of its lines deleted.
  const isWhole = agreed !== null && text !== null && linesOf(agreed).isSubsetOf(linesOf(text));
  const base = isWhole ? agreed : null;
  const isKept = text === null || rescue(pass, knownFile, text, base);
  const isBack = !isKept && folder.move(aside.to, aside.file) === 'done';
  if (!isBack) (scan.stamps as Map<string, string>).delete(aside.file);
  database.atomic(() => setFile(pass, pass.files.get(knownFile.file)!, { effect }));
}

/** Ends the deletion of a file that somebody renamed or edited while it was moved to the trash. */
function endTrashed(pass: Pass, knownFile: KnownFile, effect: Trash): void {
  const { folder, database, scan } = pass;
  const existing = folder.stats(effect.to);
  const [renamed] = existing === null ? [] : namesOf(pass, String(existing.ino));
  if (renamed !== undefined && folder.stats(renamed)?.ino === existing!.ino) {
    folder.remove(effect.to);
    database.atomic(() => dropFile(pass, knownFile));
    return;
  }
  const text = textAt(pass, effect.to);
  if (wasEdited(pass, effect) && text !== null && holdsAll(pass, text)) {
    database.atomic(() => dropFile(pass, knownFile));
    return;
  }
  endTrash(pass, knownFile, effect);
  if (!pass.files.has(knownFile.file) || folder.stats(knownFile.file) === null) return;
  (scan.gone as Set<string>).delete(knownFile.file);
  (scan.stamps as Map<string, string>).set(knownFile.file, '');
}

/** Whether a new file contains every line of a text. Then the text was renamed, and saved as that file. */
function holdsAll(pass: Pass, text: string): boolean {
  const lines = linesOf(text);
  const fresh = [...pass.scan.stamps.keys()].filter((file) => !pass.files.has(file));
  return fresh.some((file) => {
    const other = textAt(pass, file);
    return other !== null && isSameNote(text, other) && lines.isSubsetOf(linesOf(other));
  });
}

const linesOf = (text: string): ReadonlySet<string> =>
  new Set(text.split(/\r?\n/).filter((line) => line.trim() !== ''));

function textAt({ folder }: Pass, file: string): string | null {
  const read = readPageFile(join(folder.root, file));
  return read.kind === 'page' ? read.text : null;
}
