/** Handles notes that are on one side only: files without a known page, and pages without a file. */
import { existsSync } from 'node:fs';
import type { Batch } from './batch.ts';
import { decideNote, type NoteAct } from './decide.ts';
import { firstBase } from './first-base.ts';
import { hashOf } from './folder.ts';
import { type NoteState, readFile } from './note.ts';
import { type PageHead, readPageNow } from './pages.ts';
import { addFile, fileOfPath, freePath, type Pass } from './pass.ts';
import { createPage, perform } from './perform.ts';
import { filePage, type Push } from './push.ts';

/** Handles a file without a known page: it belongs to the page at its path, or to a new one. */
export function syncNew(pass: Pass, file: string, pages: Set<string>, batch: Batch, pushes: Push[]): void {
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
  const note: NoteState = { known, file: read, page, base };
  // A candidate page has no text of a person.
  const act: NoteAct =
    page === null ? { kind: 'conflict' } : decideNote({ base, file: read.text, page: page.text });
  const push = perform(pass, note, act, batch);
  if (push !== null) pushes.push(push);
}

function pageAt(pass: Pass, file: string): PageHead | null {
  return pass.heads.byPath.get(freePath(pass, file, () => true)) ?? null;
}

/** Plans files for pages that have none. */
export function newPages(pass: Pass, pages: ReadonlySet<string>): readonly Push[] {
  const made = new Set([...pass.files.values()].map(({ page }) => page));
  const heads = [...pass.heads.byPath.values()].filter(
    ({ id, lifecycle }) => lifecycle !== 'Candidate' && !pages.has(id) && !made.has(id),
  );
  if (heads.length === 0) return [];
  const files = new Set([...pass.scan.stamps.keys(), ...pass.scan.listing.pages]);
  const elsewhere = pagesElsewhere(pass);
  const fresh: { readonly head: PageHead; readonly file: string }[] = [];
  for (const head of heads) {
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

/** Whether a page belongs to another folder. A folder without any notes gets all pages. */
function pagesElsewhere(pass: Pass): (head: PageHead) => boolean {
  const { known, vault, ledger, scan } = pass;
  const ids = new Set<string>();
  const otherVaults = known.vaults().filter(({ n }) => n !== vault.n);
  for (const { n } of otherVaults) for (const { page } of known.all(n)) ids.add(page);
  if (scan.listing.pages.length > 0)
    for (const { vault: n, root } of ledger.vaults()) {
      if (root === vault.root || !existsSync(root)) continue;
      for (const file of ledger.files(n).pages) ids.add(ledger.page(n, file)!.page);
    }
  const inner = otherVaults.filter(({ into }) => into !== '' && into.length > vault.into.length);
  return ({ id, path }) =>
    ids.has(id) || inner.some(({ into }) => path === into || path.startsWith(`${into}/`));
}
