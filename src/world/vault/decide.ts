/** Decides what an import does with a file, from its record and its page. Writes nothing. */
import { sha256 } from '../../core/index.ts';
import { joinPageText } from '../read/page-lines.ts';
import type { Page, World } from '../world.ts';
import type { KnownPage, Ledger } from './ledger.ts';
import type { FileState } from './vault.ts';

export interface Decision {
  readonly state: FileState;
  readonly page: Page | null;
  /** The revision of the page when file and page were last equal. */
  readonly base: number | null;
  /** The text of the page; null if it was not read, since records were enough to decide. */
  readonly before: string | null;
}

export function decideFile(
  world: World,
  ledger: Ledger | null,
  vaultId: number | null,
  file: { readonly path: string; readonly pagePath: string; readonly hash: string; readonly text: string },
): Decision {
  const knownPage = ledger === null || vaultId === null ? null : ledger.page(vaultId, file.path);
  const page = knownPage === null ? findAtPath(world, file.pagePath) : world.page(knownPage.page);
  if (knownPage === null && page === null) return { state: 'new', page, base: null, before: null };
  if (page === null || page.deleted) return { state: 'deleted_here', page, base: null, before: null };
  return { page, ...decideForPage(world, page, knownPage ?? findOtherRecord(ledger, page), file) };
}

function decideForPage(
  world: World,
  page: Page,
  knownPage: KnownPage | null,
  { pagePath, hash, text }: { readonly pagePath: string; readonly hash: string; readonly text: string },
): Omit<Decision, 'page'> {
  const base = knownPage?.revision ?? null;
  const isAtBase = knownPage !== null && page.revision === knownPage.revision;
  if (isAtBase && knownPage.hash === hash) return { state: 'unchanged', base, before: null };
  const pageText = world.read(page.id);
  const before = pageText === null ? null : joinPageText(pageText);
  // A promotion changes the revision of a page, and neither its path nor its text.
  const isAsImported = page.path === pagePath && before !== null && sha256(before) === knownPage?.hash;
  const isPageUnchanged = isAtBase || isAsImported;
  if (knownPage?.hash === hash)
    return { state: isPageUnchanged ? 'unchanged' : 'edited_here', base, before: null };
  return { state: decideState(page, knownPage, isPageUnchanged, before, hash, text), base, before };
}

function decideState(
  page: Page,
  knownPage: KnownPage | null,
  isPageUnchanged: boolean,
  before: string | null,
  hash: string,
  text: string,
): FileState {
  if (before === text) return 'adopted';
  if (knownPage?.told === hash) return 'told';
  if (page.lifecycle === 'Canonical') return isPageUnchanged ? 'promoted' : 'conflicting';
  // A candidate of an agent, or a page of an import without a record.
  if (knownPage === null) return 'taken';
  return isPageUnchanged ? 'changed' : 'conflicting';
}

/** The page at exactly this path. Uses a listing, since `world.page` also finds aliases. */
function findAtPath(world: World, path: string): Page | null {
  const [page] = world.pages({ under: path, view: 'all', limit: 1 });
  return page?.path === path ? page : null;
}

/** The record of the page in another vault: the folder may have been moved since its import. */
function findOtherRecord(ledger: Ledger | null, page: Page): KnownPage | null {
  const knownPage = page.origin === 'Imported' ? (ledger?.findByPage(page.id) ?? null) : null;
  return knownPage === null ? null : { ...knownPage, hash: '', told: null };
}
