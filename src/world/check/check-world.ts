/**
 * Checks a workspace for damage. The log contains every write, so each page is compared with it: a change that another
 * program made to the file shows as a difference.
 */
import { messageOf } from '../../core/index.ts';
import type { Database } from '../../store/index.ts';
import { findIndexDamage } from './index-damage.ts';
import { findPageDamage } from './page-damage.ts';

export interface Damage {
  /** Path of the damaged page; null if the damage belongs to no single page. */
  readonly page: string | null;
  /** Id of the damaged block; null if the damage is not in a block. */
  readonly block: string | null;
  /** A description for people. */
  readonly what: string;
}

export interface WorldCheck {
  readonly ok: boolean;
  /** The number of pages checked. */
  readonly pages: number;
  readonly damaged: readonly Damage[];
}

/** Maximum number of SQLite's own findings that are reported. */
const maxFindings = 20;

/** Checks the whole workspace, and writes nothing. Unreadable parts count as damage, and the check goes on. */
export function checkWorld(db: Database): WorldCheck {
  const damaged: Damage[] = [];
  const recordFailure = <Value>(otherwise: Value, work: () => Value): Value => {
    try {
      return work();
    } catch (error) {
      damaged.push({ page: null, block: null, what: messageOf(error) });
      return otherwise;
    }
  };
  recordFailure(undefined, () => damaged.push(...findFileDamage(db)));
  const pages = recordFailure([], () => db.all('SELECT n, id, path FROM world_pages ORDER BY path'));
  for (const { n, path } of pages)
    recordFailure(undefined, () =>
      damaged.push(...findPageDamage(db, Number(n)), ...findIndexDamage(db, Number(n), String(path))),
    );
  recordFailure(undefined, () =>
    damaged.push(...findLostPages(db, new Set(pages.map(({ id }) => String(id))))),
  );
  return { ok: damaged.length === 0, pages: pages.length, damaged: removeDuplicates(damaged) };
}

function findFileDamage(db: Database): readonly Damage[] {
  const found = db.all(`PRAGMA integrity_check(${maxFindings})`).map((row) => String(Object.values(row)[0]));
  const danglingRows = db.all('PRAGMA foreign_key_check').slice(0, maxFindings);
  return [
    ...found.filter((what) => what !== 'ok'),
    ...danglingRows.map(
      ({ table, parent }) => `a row of ${table} belongs to a row of ${parent} that does not exist`,
    ),
  ].map((what) => ({ page: null, block: null, what }));
}

/** Finds pages that are in the log and not in the table of pages, in which even deleted pages stay. */
function findLostPages(db: Database, existing: ReadonlySet<string>): readonly Damage[] {
  const damaged: Damage[] = [];
  for (const { after } of db.each('SELECT after FROM world_events WHERE after IS NOT NULL')) {
    const fields = parseFields(String(after));
    for (const [id, { path }] of Object.entries(fields))
      if (id.startsWith('pg-') && path !== undefined && !existing.has(id))
        damaged.push({ page: path, block: null, what: `${id} is missing, though the log names it` });
  }
  return damaged;
}

function parseFields(json: string): Readonly<Record<string, { readonly path?: string }>> {
  try {
    return JSON.parse(json);
  } catch {
    // Reported as damage of the page to which this part of the log belongs.
    return {};
  }
}

function removeDuplicates(damaged: readonly Damage[]): readonly Damage[] {
  return [...new Map(damaged.map((damage) => [JSON.stringify(damage), damage])).values()];
}
