/** The pages of a world as documents whose changes are numbered by its events. */
import type { DocumentChange, DocumentSource, IndexedDocument } from '../../search/index.ts';
import type { ContentId, WorldEvent, WorldReader } from '../world.ts';
import { documentPath, pageDocument, pagePath } from './page-document.ts';

/** Number of pages or events that are read from the world at once. */
const batch = 1_000;

export function pageSource(world: WorldReader): DocumentSource {
  function document(page: ContentId): IndexedDocument | null {
    const text = world.read(page, 'all');
    if (text === null || text.deleted) return null;
    return { path: documentPath(text.path), content: pageDocument(text) };
  }

  return {
    id: `pages of ${world.workspace.id}, 1`,
    head: () => world.head(),
    *all() {
      for (let after: string | undefined; ; ) {
        const pages = world.pages({ view: 'all', limit: batch, ...(after !== undefined && { after }) });
        for (const { id } of pages) {
          const found = document(id);
          if (found !== null) yield found;
        }
        if (pages.length < batch) return;
        after = pages.at(-1)!.path;
      }
    },
    changes: (after) => changesAfter(world, after, document),
    read(path) {
      const page = world.page(pagePath(path));
      const found = page === null ? null : document(page.id);
      return found?.path === path ? found.content : null;
    },
  };
}

/** The present path of each page that the events touched, and every path that a page has left. */
function* changesAfter(
  world: WorldReader,
  after: number,
  document: (page: ContentId) => IndexedDocument | null,
): Generator<DocumentChange> {
  const pages = new Set<ContentId>();
  const left = new Set<string>();
  for (let from = after; ; ) {
    const events = world.events(from, batch);
    for (const event of events) {
      for (const page of pagesOf(world, event)) pages.add(page);
      for (const fields of Object.values(event.before ?? {})) {
        if (fields.path !== undefined) left.add(documentPath(fields.path));
      }
    }
    if (events.length < batch) break;
    from = events.at(-1)!.seq;
  }
  for (const page of pages) {
    const { path, deleted } = world.page(page) ?? { path: '', deleted: true };
    if (deleted) left.add(documentPath(path));
  }
  // Paths that were left come first: a path that one page has left may belong to another by now.
  for (const path of left) yield { path, content: null };
  for (const page of pages) {
    const now = document(page);
    if (now !== null) yield now;
  }
}

function* pagesOf(world: WorldReader, { before, after }: WorldEvent): Generator<ContentId> {
  for (const changed of [before, after]) {
    for (const [id, { page }] of Object.entries(changed ?? {})) {
      const own = id.startsWith('pg-') ? id : (page ?? world.block(id)?.page);
      if (own !== undefined) yield own;
    }
  }
}
