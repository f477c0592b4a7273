/** Handles files without a record, and pages without a file. */
import { existsSync } from 'node:fs';
import type { Batch } from './batch.ts';
import { decideNote, type NoteAct } from './decide.ts';
import { findFirstBase } from './first-base.ts';
import { hashOf } from './folder.ts';
import { type NoteState, readFile } from './note.ts';
import { type PageHead, readPageNow } from './pages.ts';
import { addFile, findFreePath, type Pass, toFile } from './pass.ts';
import { createPage, perform } from './perform.ts';
import { type Push, planFile } from './push.ts';

/** Handles a file without a record: it belongs to the page at its path, or to a new page. */
export function syncNewFile(
  pass: Pass,
  file: string,
  handledPages: Set<string>,
  batch: Batch,
  pushes: Push[],
): void {
  const fileNow = readFile(pass, file);
  if (fileNow === null || fileNow === 'left') return;
  const head = findPageAt(pass, file);
  if (head === null || handledPages.has(head.id)) {
    createPage(pass, file, fileNow, batch, null);
    return;
  }
  handledPages.add(head.id);
  batch.flush();
  const page = readPageNow(pass.database, head.id);
  const base = page === null ? null : findFirstBase(pass, file, fileNow, head.id, page);
  const knownFile = pass.database.atomic(() => {
    const newRecord = { file, page: head.id, path: head.path, revision: 0, stamp: '' };
    return addFile(pass, { ...newRecord, hash: base === null ? null : hashOf(base) }, base);
  });
  const note: NoteState = { known: knownFile, file: fileNow, page, base };
  // A candidate page is never written to a file.
  const act: NoteAct =
    page === null ? { kind: 'conflict' } : decideNote({ base, file: fileNow.text, page: page.text });
  const push = perform(pass, note, act, batch);
  if (push !== null) pushes.push(push);
}

function findPageAt(pass: Pass, file: string): PageHead | null {
  return pass.heads.byPath.get(findFreePath(pass, file, () => true)) ?? null;
}

/** Plans files for the pages that have none. Returns the files to write. */
export function planNewFiles(pass: Pass, handledPages: ReadonlySet<string>): readonly Push[] {
  const pagesWithFile = new Set([...pass.files.values()].map(({ page }) => page));
  const heads = [...pass.heads.byPath.values()].filter(
    ({ id, lifecycle }) => lifecycle !== 'Candidate' && !handledPages.has(id) && !pagesWithFile.has(id),
  );
  if (heads.length === 0) return [];
  const files = new Set([...pass.scan.stamps.keys(), ...pass.scan.listing.pages]);
  const belongsElsewhere = createElsewhereTest(pass);
  const plannedFiles: { readonly head: PageHead; readonly file: string }[] = [];
  for (const head of heads) {
    if (belongsElsewhere(head) || pass.scan.busy.has(toFile(pass, head.path))) continue;
    let file = toFile(pass, head.path);
    for (let n = 2; files.has(file) || pass.files.has(file); n++) file = toFile(pass, `${head.path} (${n})`);
    plannedFiles.push({ head, file });
    files.add(file);
  }
  if (plannedFiles.length === 0) return [];
  return pass.database.atomic(() =>
    plannedFiles.flatMap(({ head, file }) => planFile(pass, head, file) ?? []),
  );
}

/**
 * Returns a function that tests whether a page belongs to another folder, because it was imported from there or is
 * synchronised with it. A folder without notes also gets pages that were imported from other folders.
 */
function createElsewhereTest(pass: Pass): (head: PageHead) => boolean {
  const { known, vault, ledger, scan } = pass;
  const pagesElsewhere = new Set<string>();
  const otherVaults = known.vaults().filter(({ n }) => n !== vault.n);
  for (const { n } of otherVaults) for (const { page } of known.all(n)) pagesElsewhere.add(page);
  if (scan.listing.pages.length > 0)
    for (const { vault: n, root } of ledger.vaults()) {
      if (root === vault.root || !existsSync(root)) continue;
      for (const file of ledger.files(n).pages) pagesElsewhere.add(ledger.page(n, file)!.page);
    }
  const innerVaults = otherVaults.filter(({ into }) => into !== '' && into.length > vault.into.length);
  return ({ id, path }) =>
    pagesElsewhere.has(id) || innerVaults.some(({ into }) => path === into || path.startsWith(`${into}/`));
}
