/** Decides what to do with a file, from what is recorded of it and the state of the world. Writes nothing. */
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
  const known = ledger === null || vault === null ? null : ledger.page(vault, file.path);
  const page = known === null ? atPath(world, file.pagePath) : world.page(known.page);
  if (known === null && page === null) return { state: 'new', page, base: null, before: null };
  if (page === null || page.deleted) return { state: 'deleted_here', page, base: null, before: null };
  return { page, ...ofPage(world, page, known ?? fromElsewhere(ledger, page), file) };
}

function ofPage(
  world: World,
  page: Page,
  known: KnownPage | null,
  { pagePath, hash, text }: { readonly pagePath: string; readonly hash: string; readonly text: string },
): Omit<Decision, 'page'> {
  const base = known?.revision ?? null;
  const atBase = known !== null && page.revision === known.revision;
  if (atBase && known.hash === hash) return { state: 'unchanged', base, before: null };
  const now = world.read(page.id);
  const before = now === null ? null : wholeText(now);
  // A promotion gives the page another revision, and leaves its place and its text as they were imported.
  const isAsImported = page.path === pagePath && before !== null && sha256(before) === known?.hash;
  const same = atBase || isAsImported;
  if (known?.hash === hash) return { state: same ? 'unchanged' : 'edited_here', base, before: null };
  return { state: stateOf(page, known, same, before, hash, text), base, before };
}

function stateOf(
  page: Page,
  known: KnownPage | null,
  same: boolean,
  before: string | null,
  hash: string,
  text: string,
): FileState {
  if (before === text) return 'adopted';
  if (known?.told === hash) return 'told';
  if (page.lifecycle === 'Canonical') return same ? 'promoted' : 'conflicting';
  // A candidate that an agent wrote there, or a page of another import that is no longer known.
  if (known === null) return 'taken';
  return same ? 'changed' : 'conflicting';
}

/** Uses a listing, since a lookup would also search the aliases. */
function atPath(world: World, path: string): Page | null {
  const [page] = world.pages({ under: path, view: 'all', limit: 1 });
  return page?.path === path ? page : null;
}

/** The same vault may have been imported from another place before it was moved. */
function fromElsewhere(ledger: Ledger | null, page: Page): KnownPage | null {
  const known = page.origin === 'Imported' ? (ledger?.ofPage(page.id) ?? null) : null;
  return known === null ? null : { ...known, hash: '', told: null };
}
