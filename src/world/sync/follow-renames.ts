/** Repeats renames: renames pages after their files, and files after their pages. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { messageOf } from '../../core/index.ts';
import { findDeviation } from '../decide/deviations.ts';
import { foldName } from '../names.ts';
import { submitBatch } from '../vault/submit-batch.ts';
import { readPageFile } from '../vault/vault-file.ts';
import { isIgnoredPath } from '../vault/walk-vault.ts';
import { hashOf } from './folder.ts';
import type { KnownFile } from './known.ts';
import { type PageHead, readPageNow } from './pages.ts';
import {
  addFile,
  chooseCaller,
  conflictText,
  createWrite,
  findFreePath,
  type Pass,
  reportProblem,
  setFile,
  toFile,
} from './pass.ts';
import { recoverMove } from './recover.ts';
import { findRenames, type GoneFile, type NewFile } from './renames.ts';
import { inodeOf, toStaleStamp } from './scan.ts';

/** Renames pages whose files were renamed in the folder. Returns whether there were any. */
export function followFolder(pass: Pass): boolean {
  const { scan, files } = pass;
  if (files.size === 0) return followSinceImport(pass);
  const goneFiles = [...scan.gone].flatMap((file): GoneFile[] => {
    const knownFile = files.get(file);
    return knownFile === undefined ? [] : [toGoneFile(pass, knownFile)];
  });
  if (goneFiles.length === 0) return false;
  let moved = false;
  for (const [from, to] of findRenames(goneFiles, listNewFiles(pass))) {
    const knownFile = files.get(from)!;
    // The page was deleted in the workspace, so the renamed file counts as new.
    if (pass.heads.byId.get(knownFile.page) === undefined) continue;
    movePage(pass, knownFile, to);
    moved = true;
  }
  return moved;
}

function listNewFiles({ scan, files, folder }: Pass): readonly NewFile[] {
  return [...scan.stamps].flatMap(([file, stamp]): NewFile[] => {
    if (files.has(file) || scan.busy.has(file)) return [];
    const pageFile = readPageFile(join(folder.root, file));
    return pageFile.kind === 'page'
      ? [{ file, hash: pageFile.hash, inode: inodeOf(stamp), text: pageFile.text }]
      : [];
  });
}

/**
 * Finds renames since an import, in the first pass. A new file with the text of a missing imported file is the same
 * note. A note that was also edited counts as new.
 */
function followSinceImport(pass: Pass): boolean {
  const { ledger, vault, scan, heads } = pass;
  const importedVault = ledger.vault(vault.root, vault.into);
  if (importedVault === null) return false;
  const goneFiles = ledger.files(importedVault).pages.flatMap((file): GoneFile[] => {
    if (scan.stamps.has(file) || scan.busy.has(file)) return [];
    const { page, hash } = ledger.page(importedVault, file)!;
    return heads.byId.has(page) ? [{ file, hash, inode: '', text: () => null }] : [];
  });
  if (goneFiles.length === 0) return false;
  const newFiles = listNewFiles(pass).filter(({ file }) => ledger.page(importedVault, file) === null);
  const texts = new Map(newFiles.map(({ file, text }) => [file, text]));
  const renamed = findRenames(goneFiles, newFiles);
  for (const [from, to] of renamed) {
    const { page, hash } = ledger.page(importedVault, from)!;
    const { path } = heads.byId.get(page)!;
    const knownFile = pass.database.atomic(() =>
      addFile(pass, { file: from, page, path, revision: 0, stamp: '', hash }, texts.get(to)!),
    );
    movePage(pass, knownFile, to);
  }
  return renamed.size > 0;
}

function toGoneFile(pass: Pass, knownFile: KnownFile): GoneFile {
  // In a conflict, file and page differ: the text to look for is that of the file.
  const conflict = knownFile.deviation === null ? null : findDeviation(pass.database, knownFile.deviation);
  if (conflict !== null) {
    const fileText = conflictText(conflict);
    return {
      file: knownFile.file,
      hash: hashOf(fileText),
      inode: inodeOf(knownFile.stamp),
      text: () => fileText,
    };
  }
  const text = knownFile.hash === null ? pass.known.text(knownFile.n) : null;
  return {
    file: knownFile.file,
    hash: knownFile.hash ?? (text === null ? null : hashOf(text)),
    inode: inodeOf(knownFile.stamp),
    text: () => text ?? pass.known.text(knownFile.n),
  };
}

/** Moves a page to the path that belongs to its file's new name. */
export function movePage(pass: Pass, knownFile: KnownFile, to: string): void {
  const { byId, byPath } = pass.heads;
  const path = findFreePath(pass, to, (each) => !byPath.has(each) || byPath.get(each)!.id === knownFile.page);
  const operation = { op: 'move_page', page: knownFile.page, to: path, alone: true } as const;
  const caller = chooseCaller(pass, readPageNow(pass.database, knownFile.page));
  pass.options.onEffect?.(`move page ${knownFile.file}`);
  submitBatch(pass.workspace, [
    {
      write: pass.dryRun ? null : createWrite(pass, { file: to }, operation, caller),
      remember() {
        setFile(pass, knownFile, { file: to, path, stamp: toStaleStamp(knownFile.stamp), revision: 0 });
        const head = byId.get(knownFile.page)!;
        if (pass.dryRun) (byId as Map<string, PageHead>).set(head.id, { ...head, path });
        pass.done.renamed.push({ from: knownFile.file, to, by: 'folder' });
      },
      onRefused: (why) => reportProblem(pass, to, 'refused', why.message),
    },
  ]);
}

/** Renames files whose pages were renamed in the workspace. */
export function followPages(pass: Pass): void {
  let pendingRenames = [...pass.files.values()].flatMap((known) => {
    const head = pass.heads.byId.get(known.page);
    const isFilePresent = pass.scan.stamps.has(known.file) && !pass.scan.busy.has(known.file);
    if (head === undefined || head.path === known.path || !isFilePresent) return [];
    return [{ known, path: head.path, to: toFile(pass, head.path, known.file) }];
  });
  while (pendingRenames.length > 0) {
    const stillPending = pendingRenames.filter((one) => !moveFile(pass, one.known, one.to, one.path));
    if (stillPending.length < pendingRenames.length) {
      pendingRenames = stillPending;
      continue;
    }
    // If files swap their names, one gets a temporary name.
    const [first] = stillPending;
    const isBlocked = stillPending.some(({ known }) => known.file === first!.to);
    const temporaryName = first!.to.replace(/(\.\w+)$/, ` (${randomBytes(2).toString('hex')})$1`);
    const { path } = first!.known;
    if (!isBlocked || !moveFile(pass, first!.known, temporaryName, path)) {
      for (const { known, to } of stillPending)
        reportProblem(pass, known.file, 'not_written', `there is another file ${to}`);
      return;
    }
    pendingRenames = stillPending.map((one) =>
      one === first ? { ...one, known: pass.files.get(temporaryName) ?? one.known } : one,
    );
  }
}

/** Moves the file of a page. False if the name is taken. */
function moveFile(pass: Pass, knownFile: KnownFile, to: string, path: string): boolean {
  const { database, folder, files, scan, done } = pass;
  const change = { file: to, path, stamp: toStaleStamp(knownFile.stamp), revision: 0, effect: null };
  const recordRename = () => {
    if (path !== knownFile.path) done.renamed.push({ from: knownFile.file, to, by: 'workspace' });
    (scan.stamps as Map<string, string>).delete(knownFile.file);
    (scan.stamps as Map<string, string>).set(to, '');
    return true;
  };
  if (to === knownFile.file) {
    database.atomic(() => setFile(pass, knownFile, { path }));
    return true;
  }
  if (isIgnoredPath(to)) {
    reportProblem(
      pass,
      knownFile.file,
      'refused',
      `files of the name ${to} are left alone, so it keeps its own`,
    );
    return true;
  }
  if (files.has(to) || (folder.stats(to) !== null && foldName(to) !== foldName(knownFile.file))) return false;
  if (pass.dryRun) {
    setFile(pass, knownFile, change);
    pass.currentPlaces.set(to, pass.currentPlaces.get(knownFile.file) ?? knownFile.file);
    return recordRename();
  }
  pass.options.onEffect?.(`move ${knownFile.file}`);
  const bytes = folder.read(knownFile.file);
  const inode = String(folder.stats(knownFile.file)?.ino);
  const effect = { kind: 'move', to, path, inode, ...(bytes !== null && { hash: hashOf(bytes) }) } as const;
  const planned = database.atomic(() => setFile(pass, knownFile, { effect }));
  try {
    const outcome = folder.move(knownFile.file, to);
    pass.options.onEffect?.(`moved ${knownFile.file}`);
    database.atomic(() => setFile(pass, knownFile, outcome === 'done' ? change : { effect: null }));
    return outcome === 'done' ? recordRename() : false;
  } catch (error) {
    recoverMove(pass, planned, effect);
    reportProblem(pass, knownFile.file, 'not_written', messageOf(error));
    return true;
  }
}
