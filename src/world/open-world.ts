import { systemClock } from '../core/index.ts';
import type { Database } from '../store/index.ts';
import { checkWorld } from './check/check-world.ts';
import { recordAllShown } from './decide/content-as-shown.ts';
import { toDeviation } from './decide/deviations.ts';
import { listInbox } from './decide/inbox.ts';
import { openWorldReader, type WorldOptions } from './read/open-world-reader.ts';
import { toDerivation, toFlag } from './rows/derivations.ts';
import type { World } from './world.ts';
import { createSubmitter } from './write/submit.ts';

const inboxLength = 100;

/**
 * Opens the world of pages in a database, and creates its tables if needed. Any number of processes may open it. The
 * caller closes the database. Throws `store_version` if a newer version wrote it.
 */
export function openWorld(db: Database, options: WorldOptions = {}): World {
  const { clock = systemClock } = options;
  const reader = openWorldReader(db, options);
  const { submit, submitAll } = createSubmitter(db, clock);

  return Object.freeze({
    ...reader,
    submit: (write) => submit(write),
    submitAll: (writes) => submitAll(writes),
    derivedFrom: (source) =>
      db
        .all('SELECT * FROM world_derivations WHERE source = ? ORDER BY created, derived', source)
        .map(toDerivation),
    sourcesOf: (derived) =>
      db
        .all('SELECT * FROM world_derivations WHERE derived = ? ORDER BY created, source', derived)
        .map(toDerivation),
    flags({ content, open } = {}) {
      const sql = `SELECT * FROM world_flags WHERE (?1 IS NULL OR content = ?1)
        AND (?2 IS NULL OR (cleared IS NULL) = ?2) ORDER BY raised, id`;
      return db.all(sql, content ?? null, open === undefined ? null : Number(open)).map(toFlag);
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
      return rows.map((row) => toDeviation(db, row));
    },
    inbox: (limit = inboxLength) => listInbox(db, limit),
    check: () => checkWorld(db),
    shown: (person, what) => db.atomic(() => recordAllShown(db, person, what, clock.now())),
  } satisfies World);
}
