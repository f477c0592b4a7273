/** Reads the pages of a workspace for a sync. */
import type { Database } from '../../store/index.ts';
import { renderPage } from '../read/page-text.ts';
import { listPagesWithBoundLinks } from '../rows/link-rows.ts';
import { findPage, listBlocks } from '../rows/rows.ts';

export interface PageHead {
  readonly id: string;
  readonly path: string;
  readonly revision: number;
  readonly lifecycle: string;
}

export interface PageHeads {
  readonly byId: ReadonlyMap<string, PageHead>;
  readonly byPath: ReadonlyMap<string, PageHead>;
  /** Ids of pages with links that are bound to other pages: their text may change when those pages move. */
  readonly bound: ReadonlySet<string>;
}

/** The pages below a path; all pages if it is empty. */
export function readHeads(db: Database, into: string): PageHeads {
  const rows = db.all(
    'SELECT id, path, revision, lifecycle FROM world_pages WHERE deleted = 0 ORDER BY path',
  );
  const heads = rows
    .map((row) => ({
      id: String(row['id']),
      path: String(row['path']),
      revision: Number(row['revision']),
      lifecycle: String(row['lifecycle']),
    }))
    .filter(({ path }) => into === '' || path.startsWith(`${into}/`));
  return {
    byId: new Map(heads.map((head) => [head.id, head])),
    byPath: new Map(heads.map((head) => [head.path, head])),
    bound: listPagesWithBoundLinks(db),
  };
}

export interface PageNow {
  readonly revision: number;
  readonly text: string;
  /** Whether only imports have written the page. */
  readonly draft: boolean;
}

/** The present state of a page. Null if it was deleted, or is a candidate. */
export function readPageNow(db: Database, id: string): PageNow | null {
  const page = findPage(db, id);
  if (page === null || page.deleted || page.lifecycle === 'Candidate') return null;
  const draft =
    page.lifecycle === 'Draft' && listBlocks(db, page.n).every(({ lifecycle }) => lifecycle !== 'Canonical');
  // The revision was read first, so that a later write is noticed in the next pass.
  return { revision: page.revision, text: renderPage(db, page, 'canonical'), draft };
}

/** Whether the page has the same revision as when it was read. */
export const isUnchangedSince = (db: Database, id: string, { revision }: PageNow): boolean =>
  findPage(db, id)?.revision === revision;
