import { type Clock, systemClock } from '../../core/index.ts';
import type { Database } from '../../store/index.ts';
import { newId } from '../ids.ts';
import { fillFrontLinks, listLinksTo, listPageLinks, toLink } from '../rows/link-rows.ts';
import { findBlock, findPage } from '../rows/rows.ts';
import { worldSchema } from '../rows/schema.ts';
import type { WorldReader } from '../world.ts';
import { toEvent } from '../write/events.ts';
import { listNeighbours, readOutline } from './outlines.ts';
import { readPastPage } from './past-page.ts';
import { findPageByName, listPages, listTags, readBlock, readPageText } from './read-content.ts';

export interface WorldOptions {
  readonly clock?: Clock;
  /** The name of a new workspace; an existing one keeps its own. */
  readonly name?: string;
}

/** Default limits of events. */
const defaultEvents = 1000;
const historyLength = 50;

/**
 * Opens a workspace for reading, without the code that changes or merges pages. Like `openWorld`, it creates and
 * upgrades the tables, and throws `store_version` if a newer version wrote them.
 */
export function openWorldReader(db: Database, options: WorldOptions = {}): WorldReader {
  const { clock = systemClock, name = 'workspace' } = options;
  db.include(worldSchema);
  const workspace = readWorkspace(db, name, clock);
  fillFrontLinks(db);

  return Object.freeze({
    workspace,
    page: (wanted) => findPageByName(db, wanted),
    read: (id, view = 'canonical') => readPageText(db, id, view),
    block: (name) => readBlock(db, name),
    pages: (listing = {}) => listPages(db, listing),
    tags: (under, view = 'canonical') => listTags(db, under, view),
    links(id) {
      const page = findPage(db, id);
      return page === null ? [] : listPageLinks(db, page.n).map((link) => toLink(db, link));
    },
    backlinks(id) {
      const page = findPage(db, id);
      if (page === null || page.deleted) return [];
      return listLinksTo(db, page.n).map((link) => toLink(db, link));
    },
    neighbours: (paths) => listNeighbours(db, paths),
    outline: (path) => readOutline(db, path),
    attachments(id) {
      const columns = 'SELECT a.path, a.bytes, a.hash, p.id FROM world_attachments a';
      const joined = `${columns} LEFT JOIN world_pages p ON p.n = a.page`;
      const rows =
        id === undefined
          ? db.all(`${joined} ORDER BY a.path`)
          : db.all(`${joined} WHERE p.id = ? ORDER BY a.path`, id);
      return rows.map(({ path, bytes, hash, id: page }) => ({
        page: page === null ? null : String(page),
        path: String(path),
        bytes: Number(bytes),
        hash: String(hash),
      }));
    },
    textAt(id, seq) {
      const page = findPage(db, id);
      if (page === null) return null;
      const { front, blocks } = readPastPage(db, page, seq);
      const shown = blocks.filter((one) => page.lifecycle === 'Candidate' || one.lifecycle !== 'Candidate');
      return front + shown.map(({ text }) => text).join('');
    },
    history(id, limit = historyLength) {
      const block = findBlock(db, id);
      const page = findPage(db, block?.page_id ?? id);
      if (page === null) return [];
      const mine = block === null ? '' : 'AND EXISTS (SELECT 1 FROM json_each(e.content) WHERE value = ?3)';
      const sql = `
        SELECT e.* FROM world_event_pages x JOIN world_events e ON e.seq = x.seq
        WHERE x.page = ?1 ${mine} ORDER BY x.seq DESC LIMIT ?2`;
      return db.all(sql, page.n, limit, ...(block === null ? [] : [id])).map(toEvent);
    },
    events: (after, limit = defaultEvents) =>
      db.all('SELECT * FROM world_events WHERE seq > ? ORDER BY seq LIMIT ?', after, limit).map(toEvent),
    head: () => Number(db.get('SELECT coalesce(max(seq), 0) AS seq FROM world_events')!['seq']),
    // Nothing to close: statements and locks belong to the database.
    close: () => undefined,
  } satisfies WorldReader);
}

function readWorkspace(db: Database, name: string, clock: Clock): WorldReader['workspace'] {
  const known = db.get('SELECT id, name FROM world_about');
  const row =
    known ??
    db.atomic(() => {
      const now = clock.now();
      // Another process may have inserted the row meanwhile.
      db.run(
        `INSERT INTO world_about (id, name, created) SELECT ?, ?, ?
         WHERE NOT EXISTS (SELECT 1 FROM world_about)`,
        newId('ws', now),
        name,
        now,
      );
      return db.get('SELECT id, name FROM world_about')!;
    });
  return Object.freeze({ id: String(row['id']), name: String(row['name']) });
}
