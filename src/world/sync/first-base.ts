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
  fileNow: { readonly text: string; readonly hash: string },
  id: string,
  page: PageNow,
): string | null {
  if (fileNow.text === page.text) return fileNow.text;
  const { database, ledger, vault, world } = pass;
  const imported = ledger.page(ledger.vault(vault.root, vault.into) ?? -1, file);
  if (imported?.page === id) {
    if (imported.hash === fileNow.hash) return fileNow.text;
    if (imported.hash === hashOf(page.text)) return page.text;
    const pageRow = findPage(database, id)!;
    const seq = findRevisionEvent(database, pageRow.n, imported.revision);
    if (seq !== null) {
      const { front, blocks } = readPastPage(database, pageRow, seq);
      const visibleBlocks = blocks.filter(({ lifecycle }) => lifecycle !== 'Candidate');
      return front + visibleBlocks.map(({ text }) => text).join('');
    }
  }
  if (ledger.isOwn(vault.root, file, fileNow.hash)) return fileNow.text;
  if (ledger.isOwn(vault.root, file, hashOf(page.text))) return page.text;
  return wasEarlierText(database, world.page(id)!, Buffer.from(fileNow.text, 'utf8')) ? fileNow.text : null;
}
