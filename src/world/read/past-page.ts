/** Reads earlier states of pages, by undoing events from the present backwards. */
import type { Database } from '../../store/index.ts';
import { type BlockRow, findBlock, listBlocks, type PageRow } from '../rows/rows.ts';
import type { ContentFields, ContentId, Lifecycle } from '../world.ts';

export interface PastPage {
  readonly path: string;
  readonly front: string;
  /** The blocks of the page in order, without deleted ones. */
  readonly blocks: readonly {
    readonly id: ContentId;
    readonly text: string;
    readonly lifecycle: Lifecycle;
  }[];
}

/** The number of the last event at which a page had a revision; null if it is not recorded. */
export function findRevisionEvent(db: Database, page: number, revision: number): number | null {
  const row = db.get(
    'SELECT max(seq) AS seq FROM world_event_pages WHERE page = ? AND revision = ?',
    page,
    revision,
  );
  const seq = row?.['seq'] ?? null;
  return seq === null ? null : Number(seq);
}

/** The number of the event after which a block had a revision; null if there is none. */
export function findBlockRevisionEvent(db: Database, block: BlockRow, revision: number): number | null {
  let left = block.revision - revision;
  for (const { seq, after } of listChanges(db, block.page, 0)) {
    const fields = after[block.id];
    if (fields === undefined) continue;
    if (left === 0) return seq;
    if (fields.text !== undefined || fields.lifecycle !== undefined || fields.deleted !== undefined)
      left -= 1;
  }
  return null;
}

/** A page right after an event. */
export function readPastPage(db: Database, page: PageRow, seq: number): PastPage {
  const state = new Map<ContentId, ContentFields>([[page.id, { path: page.path, front: page.front }]]);
  for (const { id, text, place, lifecycle } of listBlocks(db, page.n))
    state.set(id, { text, place, lifecycle, page: page.id });
  for (const { before, after } of listChanges(db, page.n, seq)) {
    for (const [id, fields] of Object.entries(after)) {
      const previous = before[id];
      if (previous === undefined && fields.page !== undefined) state.delete(id);
      else state.set(id, { ...(state.get(id) ?? readDeletedFields(db, id)), ...previous });
    }
  }
  const { path = page.path, front = page.front } = state.get(page.id)!;
  const blocks = [...state]
    .filter(([id, fields]) => id.startsWith('bl-') && fields.page === page.id && fields.deleted !== true)
    .map(([id, { text = '', place = 0, lifecycle = 'Canonical' }]) => ({ id, text, place, lifecycle }))
    .sort((a, b) => a.place - b.place);
  return { path, front, blocks };
}

/** The lifecycle of a deleted block, which events don't record. */
function readDeletedFields(db: Database, id: ContentId): ContentFields {
  const lifecycle = findBlock(db, id)?.lifecycle;
  return lifecycle === undefined ? {} : { lifecycle };
}

interface Change {
  readonly seq: number;
  readonly before: Readonly<Record<ContentId, ContentFields>>;
  readonly after: Readonly<Record<ContentId, ContentFields>>;
}

/** The changes of a page since an event, newest first. */
function listChanges(db: Database, page: number, since: number): readonly Change[] {
  const sql = `SELECT e.seq, e.before, e.after FROM world_event_pages x JOIN world_events e ON e.seq = x.seq
    WHERE x.page = ? AND x.seq > ? ORDER BY x.seq DESC`;
  const parseFields = (value: unknown) => (value === null ? {} : JSON.parse(String(value)));
  return db.all(sql, page, since).map((row) => ({
    seq: Number(row['seq']),
    before: parseFields(row['before']),
    after: parseFields(row['after']),
  }));
}
