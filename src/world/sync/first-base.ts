/** Finds the common text of a file and a page in their first sync, from the records of imports and exports. */
import { findRevisionEvent, readPastPage } from '../read/past-page.ts';
import { findPage } from '../rows/rows.ts';
import { wasEarlierText } from '../vault/exported-files.ts';
import { hashOf } from './folder.ts';
import type { PageNow } from './pages.ts';
import type { Pass } from './pass.ts';

export function findFirstBase(
  pass: Pass,
  file: string,
  read: { readonly text: string; readonly hash: string },
  id: string,
  page: PageNow,
): string | null {
  if (read.text === page.text) return read.text;
  const { database, ledger, vault, world } = pass;
  const imported = ledger.page(ledger.vault(vault.root, vault.into) ?? -1, file);
  if (imported?.page === id) {
    if (imported.hash === read.hash) return read.text;
    if (imported.hash === hashOf(page.text)) return page.text;
    const row = findPage(database, id)!;
    const seq = findRevisionEvent(database, row.n, imported.revision);
    if (seq !== null) {
      const { front, blocks } = readPastPage(database, row, seq);
      const shown = blocks.filter(({ lifecycle }) => lifecycle !== 'Candidate');
      return front + shown.map(({ text }) => text).join('');
    }
  }
  if (ledger.isOwn(vault.root, file, read.hash)) return read.text;
  if (ledger.isOwn(vault.root, file, hashOf(page.text))) return page.text;
  return wasEarlierText(database, world.page(id)!, Buffer.from(read.text, 'utf8')) ? read.text : null;
}
