/** Each note that may have changed on a side: what is to be done with it, and doing it, but for writing files. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { findDeviation } from '../decide/deviations.ts';
import { type BatchItem, maxFiles, submitBatch } from '../vault/submit-batch.ts';
import { readPageFile } from '../vault/vault-file.ts';
import type { Accepted } from '../world-write.ts';
import { decideNote, type NoteAct } from './decide.ts';
import { firstBase } from './first-base.ts';
import { hashOf } from './folder.ts';
import type { KnownFile } from './known.ts';
import { type PageHead, type PageNow, readPageNow } from './pages.ts';
import {
  addFile,
  callerFor,
  dropFile,
  fileOfPath,
  freePath,
  heldText,
  openConflict,
  type Pass,
  problem,
  setFile,
  writeOf,
} from './pass.ts';
import { filePage, type Push } from './push.ts';
import { stampNow, trashFile } from './recover.ts';

/** UTF-16 units of the texts of one transaction. */
const maxTextLength = 2_000_000;

interface FileNow {
  readonly text: string;
  readonly hash: string;
  /** As it was when it was read. */
  readonly stamp: string;
}

interface Note {
  readonly known: KnownFile;
  readonly file: FileNow | null;
  readonly page: PageNow | null;
  readonly base: string | null;
}

/** Gives the files that are to be written. */
export async function syncNotes(pass: Pass): Promise<readonly Push[]> {
  const batch = openBatch(pass);
  const pushes: Push[] = [];
  const known = [...pass.files.values()];
  const pages = new Set(known.map(({ page }) => page));
  const fresh = [...pass.scan.stamps.keys()].filter(
    (file) => !pass.files.has(file) && !pass.scan.busy.has(file),
  );
  const total = known.length + fresh.length;
  let done = 0;
  for (const one of known) {
    if (pass.options.signal?.aborted === true) break;
    const push = syncKnown(pass, one, batch);
    if (push !== null) pushes.push(push);
    if (batch.flushIfFull()) await breathe(pass, done, total);
    done++;
  }
  for (const file of fresh) {
    if (pass.options.signal?.aborted === true) break;
    syncNew(pass, file, pages, batch, pushes);
    if (batch.flushIfFull()) await breathe(pass, done, total);
    done++;
  }
  batch.flush();
  if (pass.options.signal?.aborted !== true) pushes.push(...newPages(pass, pages));
  pass.options.onProgress?.(total, total);
  return pushes;
}

async function breathe({ options }: Pass, done: number, total: number): Promise<void> {
  options.onProgress?.(done, total);
  await setImmediate();
}

interface Batch {
  add(item: BatchItem, length: number): void;
  flushIfFull(): boolean;
  flush(): void;
}

function openBatch(pass: Pass): Batch {
  let items: BatchItem[] = [];
  let length = 0;
  const flush = (): void => {
    if (items.length > 0) pass.options.onEffect?.('write pages');
    submitBatch(pass.workspace, items);
    items = [];
    length = 0;
  };
  return {
    add(item, more) {
      items.push(item);
      length += more;
    },
    flushIfFull() {
      if (items.length < maxFiles && length < maxTextLength) return false;
      flush();
      return true;
    },
    flush,
  };
}

/** Nothing of it is read where neither the file nor the page can have changed. */
function isUntouched(pass: Pass, known: KnownFile): boolean {
  const head = pass.heads.byId.get(known.page);
  return (
    head?.revision === known.revision &&
    known.stamp !== '' &&
    known.deviation === null &&
    pass.scan.stamps.get(known.file) === known.stamp &&
    !pass.heads.bound.has(known.page)
  );
}

function syncKnown(pass: Pass, given: KnownFile, batch: Batch): Push | null {
  if (pass.scan.busy.has(given.file)) return null;
  let known = given;
  const open = openConflict(pass, known.deviation);
  if (isUntouched(pass, known)) {
    pass.done.unchanged++;
    return null;
  }
  const head = pass.heads.byId.get(known.page);
  // One that was moved to where no file of this folder is.
  const page = head === undefined ? null : readPageNow(pass.database, known.page);
  if (page === null && head !== undefined) {
    // An agent's page has its name: it is no page of the folder before somebody decides.
    if (open !== null) tellConflict(pass, known, open.id);
    else
      problem(
        pass,
        known.file,
        'refused',
        `a page that an agent proposes has its path: promote or reject ${known.page}`,
      );
    return null;
  }
  const held = open === null ? null : heldText(open);
  let base = known.hash === null ? null : pass.known.text(known.n);
  if (known.deviation !== null && open === null) {
    // It was decided on: the file's text of then has been taken account of.
    if (page !== null) base = decidedText(pass, known.deviation) ?? base;
    known = keepBase(pass, known, base);
  }
  const file = readFile(pass, known.file);
  if (file === 'left') return null;
  const onlyLinks = page !== null && page.revision === known.revision;
  const act = decideNote({ base, file: file?.text ?? null, page: page?.text ?? null, held, onlyLinks });
  return perform(pass, { known, file, page, base }, act, batch);
}

function decidedText(pass: Pass, id: string): string | null {
  const deviation = findDeviation(pass.database, id);
  return deviation === null ? null : heldText(deviation);
}

function keepBase(pass: Pass, known: KnownFile, base: string | null): KnownFile {
  const hash = base === null ? null : hashOf(base);
  return pass.database.atomic(() => {
    if (base !== null && !pass.dryRun) pass.known.setText(known.n, base);
    return setFile(pass, known, { deviation: null, hash, revision: 0 });
  });
}

/** Null where it is gone; `left` where it can't be read, and so is left alone. */
function readFile(pass: Pass, file: string): FileNow | null | 'left' {
  if (pass.scan.gone.has(file)) return null;
  if (!pass.scan.stamps.has(file)) return 'left';
  // Taken before it is read, so that what is written meanwhile is read again.
  const stamp = stampNow(pass, file);
  const read = readPageFile(join(pass.folder.root, pass.standsAt.get(file) ?? file));
  if (read.kind === 'page') return { text: read.text, hash: read.hash, stamp };
  problem(pass, file, read.kind, read.message);
  return 'left';
}

function tellConflict({ done }: Pass, { file, page }: KnownFile, id: string): void {
  done.conflicts.push({ file, page, id });
}

function perform(pass: Pass, note: Note, act: NoteAct, batch: Batch): Push | null {
  const { known, file, page } = note;
  switch (act.kind) {
    case 'nothing':
    case 'adopt':
      if (act.kind === 'nothing') pass.done.unchanged++;
      // A page that gets the text it has is not written; only its conflict ends.
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
      tellConflict(pass, known, known.deviation!);
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
        remember(() => dropFile(pass, known)),
        0,
      );
      return null;
  }
}

/** Only what is known changes. */
const remember = (work: () => unknown): BatchItem => ({
  write: null,
  remember: () => void work(),
  onRefused: () => {},
});

function keepAgreed(pass: Pass, { known, file, page }: Note, batch: Batch): void {
  batch.add(
    remember(() => agree(pass, known, file!, page!.revision)),
    0,
  );
}

/** Both sides have the text of the file. */
function agree(pass: Pass, known: KnownFile, { text, hash, stamp }: FileNow, revision: number): void {
  const { hash: was, deviation } = known;
  if (was === hash && deviation === null && known.stamp === stamp && known.revision === revision) return;
  if (known.hash !== hash && !pass.dryRun) pass.known.setText(known.n, text);
  setFile(pass, known, { hash, stamp, revision, deviation: null });
}

/** `then` within the transaction, where it was applied. */
function updatePage(
  pass: Pass,
  { known, page }: Note,
  text: string,
  batch: Batch,
  then: (known: KnownFile, revision: number) => void,
): void {
  const caller = callerFor(pass, page);
  const write = writeOf(pass, known, { op: 'update_page', page: known.page, text }, caller);
  submit(pass, known.file, write, text.length, batch, () => {
    const revision = pass.dryRun ? 0 : pass.world.page(known.page)!.revision;
    then(pass.files.get(known.file) ?? known, revision);
  });
}

function submit(
  pass: Pass,
  file: string,
  write: BatchItem['write'],
  length: number,
  batch: Batch,
  then: (result: Accepted | null) => void,
): void {
  const item: BatchItem = {
    write: pass.dryRun ? null : write,
    remember: then,
    onRefused: (why) => problem(pass, file, 'refused', why.message),
  };
  batch.add(item, length);
}

function pullFile(pass: Pass, note: Note, batch: Batch): void {
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

function createPage(pass: Pass, file: string, read: FileNow, batch: Batch, known: KnownFile | null): void {
  const path = freePath(pass, file, (each) => !pass.heads.byPath.has(each) && !pass.fresh.has(each));
  pass.fresh.add(path);
  const write = writeOf(
    pass,
    { file, deviation: known?.deviation ?? null },
    { op: 'create_page', path, text: read.text },
    callerFor(pass, null),
  );
  submit(pass, file, write, read.text.length, batch, (result) => {
    const page = result?.content_ids[0] ?? `new:${file}`;
    pass.done.pulled.push(file);
    const fresh = { file, page, path, revision: 1, stamp: read.stamp, hash: read.hash };
    if (known === null) {
      addFile(pass, fresh, read.text);
      return;
    }
    if (!pass.dryRun) pass.known.setText(known.n, read.text);
    setFile(pass, known, { ...fresh, deviation: null });
  });
}

/** The page gets the changes of both first; from then on the file is what it was made of, and is written. */
function mergeBoth(pass: Pass, note: Note, text: string, batch: Batch): Push | null {
  const { known, file } = note;
  updatePage(pass, note, text, batch, (now) => {
    if (!pass.dryRun) pass.known.setText(now.n, file!.text);
    setFile(pass, now, { hash: file!.hash, stamp: file!.stamp, revision: 0, deviation: null });
  });
  batch.flush();
  const now = pass.files.get(known.file)!;
  return now.hash === file!.hash ? { known: now, seen: file!.hash, list: 'merged' } : null;
}

function holdConflict(pass: Pass, { known, file, base }: Note, batch: Batch): void {
  const operation = { op: 'update_page', page: known.page, text: file!.text } as const;
  const write = writeOf(pass, known, operation, callerFor(pass, null), { divergedFrom: base });
  submit(pass, known.file, write, file!.text.length, batch, (result) => {
    const id = result?.deviation_ids[0] ?? '';
    const now = pass.files.get(known.file) ?? known;
    // The revision stays the one in which they agreed.
    setFile(pass, now, { deviation: id });
    tellConflict(pass, known, id);
  });
}

function deletePage(pass: Pass, { known, page }: Note, batch: Batch): void {
  const write = writeOf(pass, known, { op: 'delete_page', page: known.page }, callerFor(pass, page));
  submit(pass, known.file, write, 0, batch, () => {
    pass.done.deleted.push({ file: known.file, by: 'folder' });
    dropFile(pass, known);
  });
}

/** A file that no page is known of: one at its path, or a new one. */
function syncNew(pass: Pass, file: string, pages: Set<string>, batch: Batch, pushes: Push[]): void {
  const read = readFile(pass, file);
  if (read === null || read === 'left') return;
  const head = pageAt(pass, file);
  if (head === null || pages.has(head.id)) {
    createPage(pass, file, read, batch, null);
    return;
  }
  pages.add(head.id);
  batch.flush();
  const page = readPageNow(pass.database, head.id);
  const base = page === null ? null : firstBase(pass, file, read, head.id, page);
  const known = pass.database.atomic(() => {
    const fresh = { file, page: head.id, path: head.path, revision: 0, stamp: '' };
    return addFile(pass, { ...fresh, hash: base === null ? null : hashOf(base) }, base);
  });
  const note: Note = { known, file: read, page, base };
  // Where the page is a candidate there is nothing that a person has written.
  const act: NoteAct =
    page === null ? { kind: 'conflict' } : decideNote({ base, file: read.text, page: page.text });
  const push = perform(pass, note, act, batch);
  if (push !== null) pushes.push(push);
}

function pageAt(pass: Pass, file: string): PageHead | null {
  return pass.heads.byPath.get(freePath(pass, file, () => true)) ?? null;
}

function newPages(pass: Pass, pages: ReadonlySet<string>): readonly Push[] {
  const made = new Set([...pass.files.values()].map(({ page }) => page));
  const files = new Set([...pass.scan.stamps.keys(), ...pass.scan.listing.pages]);
  const elsewhere = pagesElsewhere(pass);
  const fresh: { readonly head: PageHead; readonly file: string }[] = [];
  for (const head of pass.heads.byPath.values()) {
    if (head.lifecycle === 'Candidate' || pages.has(head.id) || made.has(head.id)) continue;
    if (elsewhere(head) || pass.scan.busy.has(fileOfPath(pass, head.path))) continue;
    let file = fileOfPath(pass, head.path);
    for (let n = 2; files.has(file) || pass.files.has(file); n++)
      file = fileOfPath(pass, `${head.path} (${n})`);
    fresh.push({ head, file });
    files.add(file);
  }
  if (fresh.length === 0) return [];
  return pass.database.atomic(() => fresh.flatMap(({ head, file }) => filePage(pass, head, file) ?? []));
}

/** Pages of another folder. One that has no notes at all yet is to get everything. */
function pagesElsewhere(pass: Pass): (head: PageHead) => boolean {
  const { known, vault, ledger, scan } = pass;
  const ids = new Set<string>();
  const others = known.vaults().filter(({ n }) => n !== vault.n);
  for (const { n } of others) for (const { page } of known.all(n)) ids.add(page);
  if (scan.listing.pages.length > 0)
    for (const { vault: n, root } of ledger.vaults()) {
      if (root === vault.root || !existsSync(root)) continue;
      for (const file of ledger.files(n).pages) ids.add(ledger.page(n, file)!.page);
    }
  const inner = others.filter(({ into }) => into !== '' && into.length > vault.into.length);
  return ({ id, path }) =>
    ids.has(id) || inner.some(({ into }) => path === into || path.startsWith(`${into}/`));
}
