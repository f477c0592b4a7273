import { type Clock, systemClock } from '../core/index.ts';
import type { Database } from '../store/index.ts';
import { checkWorld } from './check/check-world.ts';
import { deviationRow } from './decide/deviations.ts';
import { inbox } from './decide/inbox.ts';
import { keepShown } from './decide/sights.ts';
import { newId } from './ids.ts';
import { neighbours, outlineAt } from './read/outlines.ts';
import { pageAt } from './read/past.ts';
import { findNamed, listPages, listTags, readBlock, readPageText } from './read/read-content.ts';
import { derivationRow, flagRow } from './rows/derivations.ts';
import { fillFrontLinks, linkOf, linksOnPage, linksTo } from './rows/link-rows.ts';
import { findBlock, findPage } from './rows/rows.ts';
import { worldSchema } from './rows/schema.ts';
import type { World } from './world.ts';
import { eventRow } from './write/events.ts';
import { submitter } from './write/submit.ts';

export interface WorldOptions {
  readonly clock?: Clock;
  /** Of a workspace that is made now; an old one keeps its own. */
  readonly name?: string;
}

/** How many events a call returns where it does not say. */
const someEvents = 1000;
const historyLength = 50;
const inboxLength = 100;

/**
 * The workspace in a database, made where there is none. Any number of processes may have it open. The database
 * stays its owner's, who closes it. Throws what `Database.include` throws.
 */
export function openWorld(db: Database, options: WorldOptions = {}): World {
  const { clock = systemClock, name = 'workspace' } = options;
  db.include(worldSchema);
  const workspace = about(db, name, clock);
  fillFrontLinks(db);
  const { submit, submitAll } = submitter(db, clock);

  return Object.freeze({
    workspace,
    submit: (write) => submit(write),
    submitAll: (writes) => submitAll(writes),
    page: (wanted) => findNamed(db, wanted),
    read: (id, view = 'canonical') => readPageText(db, id, view),
    block: (name) => readBlock(db, name),
    pages: (listing = {}) => listPages(db, listing),
    tags: (under, view = 'canonical') => listTags(db, under, view),
    links(id) {
      const page = findPage(db, id);
      return page === null ? [] : linksOnPage(db, page.n).map((link) => linkOf(db, link));
    },
    backlinks(id) {
      const page = findPage(db, id);
      if (page === null || page.deleted) return [];
      return linksTo(db, page.n).map((link) => linkOf(db, link));
    },
    neighbours: (paths) => neighbours(db, paths),
    outline: (path) => outlineAt(db, path),
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
      const { front, blocks } = pageAt(db, page, seq);
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
      return db.all(sql, page.n, limit, ...(block === null ? [] : [id])).map(eventRow);
    },
    events: (after, limit = someEvents) =>
      db.all('SELECT * FROM world_events WHERE seq > ? ORDER BY seq LIMIT ?', after, limit).map(eventRow),
    head: () => Number(db.get('SELECT coalesce(max(seq), 0) AS seq FROM world_events')!['seq']),
    derivedFrom: (source) =>
      db
        .all('SELECT * FROM world_derivations WHERE source = ? ORDER BY created, derived', source)
        .map(derivationRow),
    sourcesOf: (derived) =>
      db
        .all('SELECT * FROM world_derivations WHERE derived = ? ORDER BY created, source', derived)
        .map(derivationRow),
    flags({ content, open: unanswered } = {}) {
      const sql = `SELECT * FROM world_flags WHERE (?1 IS NULL OR content = ?1)
        AND (?2 IS NULL OR (cleared IS NULL) = ?2) ORDER BY raised, id`;
      return db.all(sql, content ?? null, unanswered === undefined ? null : Number(unanswered)).map(flagRow);
    },
    deviations({ content, status, type, before } = {}) {
      const about =
        content === undefined
          ? ''
          : 'AND id IN (SELECT deviation FROM world_deviation_content WHERE content = ?4)';
      const sql = `SELECT * FROM world_deviations WHERE (?1 IS NULL OR status = ?1)
        AND (?2 IS NULL OR type = ?2) AND (?3 IS NULL OR created < ?3) ${about} ORDER BY created, rowid`;
      const values = [status ?? null, type ?? null, before ?? null];
      const rows = db.all(sql, ...values, ...(content === undefined ? [] : [content]));
      return rows.map((row) => deviationRow(db, row));
    },
    inbox: (limit = inboxLength) => inbox(db, limit),
    check: () => checkWorld(db),
    shown: (person, what) => db.atomic(() => keepShown(db, person, what, clock.now())),
    // It holds nothing of its own: statements and locks are the database's.
    close: () => undefined,
  } satisfies World);
}

function about(db: Database, name: string, clock: Clock): World['workspace'] {
  const known = db.get('SELECT id, name FROM world_about');
  const row =
    known ??
    db.atomic(() => {
      const now = clock.now();
      // Asked again: another process may have made it in the meantime.
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
