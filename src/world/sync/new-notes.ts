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
  pages: Set<string>,
  batch: Batch,
  pushes: Push[],
): void {
  const read = readFile(pass, file);
  if (read === null || read === 'left') return;
  const head = findPageAt(pass, file);
  if (head === null || pages.has(head.id)) {
    createPage(pass, file, read, batch, null);
    return;
  }
  pages.add(head.id);
  batch.flush();
  const page = readPageNow(pass.database, head.id);
  const base = page === null ? null : findFirstBase(pass, file, read, head.id, page);
  const known = pass.database.atomic(() => {
    const fresh = { file, page: head.id, path: head.path, revision: 0, stamp: '' };
    return addFile(pass, { ...fresh, hash: base === null ? null : hashOf(base) }, base);
  });
  const note: NoteState = { known, file: read, page, base };
  // A candidate page is never written to a file.
  const act: NoteAct =
    page === null ? { kind: 'conflict' } : decideNote({ base, file: read.text, page: page.text });
  const push = perform(pass, note, act, batch);
  if (push !== null) pushes.push(push);
}

function findPageAt(pass: Pass, file: string): PageHead | null {
  return pass.heads.byPath.get(findFreePath(pass, file, () => true)) ?? null;
}

/** Plans the files of pages that have none. */
export function planNewFiles(pass: Pass, pages: ReadonlySet<string>): readonly Push[] {
  const made = new Set([...pass.files.values()].map(({ page }) => page));
  const heads = [...pass.heads.byPath.values()].filter(
    ({ id, lifecycle }) => lifecycle !== 'Candidate' && !pages.has(id) && !made.has(id),
  );
  if (heads.length === 0) return [];
  const files = new Set([...pass.scan.stamps.keys(), ...pass.scan.listing.pages]);
  const elsewhere = createElsewhereTest(pass);
  const fresh: { readonly head: PageHead; readonly file: string }[] = [];
  for (const head of heads) {
    if (elsewhere(head) || pass.scan.busy.has(toFile(pass, head.path))) continue;
    let file = toFile(pass, head.path);
    for (let n = 2; files.has(file) || pass.files.has(file); n++) file = toFile(pass, `${head.path} (${n})`);
    fresh.push({ head, file });
    files.add(file);
  }
  if (fresh.length === 0) return [];
  return pass.database.atomic(() => fresh.flatMap(({ head, file }) => planFile(pass, head, file) ?? []));
}

/**
 * Returns a test whether a page belongs to another folder. A folder without notes gets all pages that are not
 * synchronised elsewhere.
 */
function createElsewhereTest(pass: Pass): (head: PageHead) => boolean {
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
