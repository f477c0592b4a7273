/** The pages of a world as documents; their changes have the numbers of its events. */
import type { DocumentChange, DocumentSource, IndexedDocument } from '../../search/index.ts';
import type { ContentId, WorldEvent, WorldReader } from '../world.ts';
import { toDocumentPath, toDocumentText, toPagePath } from './page-document.ts';

/** Number of pages or events that are read from the world at once. */
const batch = 1_000;

export function createPageSource(world: WorldReader): DocumentSource {
  function readDocument(page: ContentId): IndexedDocument | null {
    const text = world.read(page, 'all');
    if (text === null || text.deleted) return null;
    return { path: toDocumentPath(text.path), content: toDocumentText(text) };
  }

  return {
    id: `pages of ${world.workspace.id}, 1`,
    head: () => world.head(),
    *all() {
      for (let after: string | undefined; ; ) {
        const pages = world.pages({ view: 'all', limit: batch, ...(after !== undefined && { after }) });
        for (const { id } of pages) {
          const found = readDocument(id);
          if (found !== null) yield found;
        }
        if (pages.length < batch) return;
        after = pages.at(-1)!.path;
      }
    },
    changes: (after) => listChangesAfter(world, after, readDocument),
    read(path) {
      const page = world.page(toPagePath(path));
      const found = page === null ? null : readDocument(page.id);
      return found?.path === path ? found.content : null;
    },
  };
}

/**
 * The changes after an event: the present document of each changed page, and the removal of each path that a page has
 * left.
 */
function* listChangesAfter(
  world: WorldReader,
  after: number,
  readDocument: (page: ContentId) => IndexedDocument | null,
): Generator<DocumentChange> {
  const pages = new Set<ContentId>();
  const left = new Set<string>();
  for (let from = after; ; ) {
    const events = world.events(from, batch);
    for (const event of events) {
      for (const page of listChangedPages(world, event)) pages.add(page);
      for (const fields of Object.values(event.before ?? {})) {
        if (fields.path !== undefined) left.add(toDocumentPath(fields.path));
      }
    }
    if (events.length < batch) break;
    from = events.at(-1)!.seq;
  }
  for (const page of pages) {
    const { path, deleted } = world.page(page) ?? { path: '', deleted: true };
    if (deleted) left.add(toDocumentPath(path));
  }
  // Removals come first, since another page may have the path by now.
  for (const path of left) yield { path, content: null };
  for (const page of pages) {
    const now = readDocument(page);
    if (now !== null) yield now;
  }
}

function* listChangedPages(world: WorldReader, { before, after }: WorldEvent): Generator<ContentId> {
  for (const changed of [before, after]) {
    for (const [id, { page }] of Object.entries(changed ?? {})) {
      const own = id.startsWith('pg-') ? id : (page ?? world.block(id)?.page);
      if (own !== undefined) yield own;
    }
  }
}
