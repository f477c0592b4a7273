/** Decides what to do with a file, by its record and the state of the world. Writes nothing. */
import { sha256 } from '../../core/index.ts';
import { wholeText } from '../read/page-lines.ts';
import type { Page, World } from '../world.ts';
import type { KnownPage, Ledger } from './ledger.ts';
import type { FileState } from './vault.ts';

export interface Decision {
  readonly state: FileState;
  readonly page: Page | null;
  /** The revision that the page had when the vault and the page were last the same. */
  readonly base: number | null;
  /** The text of the page, if it had to be compared. */
  readonly before: string | null;
}

export function decide(
  world: World,
  ledger: Ledger | null,
  vault: number | null,
  file: { readonly path: string; readonly pagePath: string; readonly hash: string; readonly text: string },
): Decision {
  const knownPage = ledger === null || vault === null ? null : ledger.page(vault, file.path);
  const page = knownPage === null ? findAtPath(world, file.pagePath) : world.page(knownPage.page);
  if (knownPage === null && page === null) return { state: 'new', page, base: null, before: null };
  if (page === null || page.deleted) return { state: 'deleted_here', page, base: null, before: null };
  return { page, ...decideForPage(world, page, knownPage ?? recordFromElsewhere(ledger, page), file) };
}

function decideForPage(
  world: World,
  page: Page,
  knownPage: KnownPage | null,
  { pagePath, hash, text }: { readonly pagePath: string; readonly hash: string; readonly text: string },
): Omit<Decision, 'page'> {
  const base = knownPage?.revision ?? null;
  const atBase = knownPage !== null && page.revision === knownPage.revision;
  if (atBase && knownPage.hash === hash) return { state: 'unchanged', base, before: null };
  const now = world.read(page.id);
  const before = now === null ? null : wholeText(now);
  // A promotion gives the page another revision, and leaves its place and its text as they were imported.
  const isAsImported = page.path === pagePath && before !== null && sha256(before) === knownPage?.hash;
  const same = atBase || isAsImported;
  if (knownPage?.hash === hash) return { state: same ? 'unchanged' : 'edited_here', base, before: null };
  return { state: stateOf(page, knownPage, same, before, hash, text), base, before };
}

function stateOf(
  page: Page,
  knownPage: KnownPage | null,
  same: boolean,
  before: string | null,
  hash: string,
  text: string,
): FileState {
  if (before === text) return 'adopted';
  if (knownPage?.told === hash) return 'told';
  if (page.lifecycle === 'Canonical') return same ? 'promoted' : 'conflicting';
  // A candidate that an agent wrote there, or a page of another import that is no longer known.
  if (knownPage === null) return 'taken';
  return same ? 'changed' : 'conflicting';
}

/** Uses a listing, since a lookup would also search the aliases. */
function findAtPath(world: World, path: string): Page | null {
  const [page] = world.pages({ under: path, view: 'all', limit: 1 });
  return page?.path === path ? page : null;
}

/** The same vault may have been imported from another place before it was moved. */
function recordFromElsewhere(ledger: Ledger | null, page: Page): KnownPage | null {
  const knownPage = page.origin === 'Imported' ? (ledger?.ofPage(page.id) ?? null) : null;
  return knownPage === null ? null : { ...knownPage, hash: '', told: null };
}
