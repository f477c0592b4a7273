/**
 * Creates the file of a workspace, copies it while it is in use, checks it, and saves what is left of a damaged one.
 */

import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { isSondeError, SondeError, systemClock } from '../../core/index.ts';
import type { SalvagedWorld, WorldCheck } from '../../world/index.ts';
import { createAtomically, existsError, unwritableError } from './create-atomically.ts';
import { openWorkspace } from './workspace.ts';

/** Throws `bad_argument` if the file exists already. */
export async function createWorkspace(path: string): Promise<{ readonly path: string; readonly id: string }> {
  if (existsSync(path)) throw existsError(path, 'Name another, or work with this one: --workspace.');
  const open = await openWorkspace(path);
  try {
    return { path, id: open.world.workspace.id };
  } finally {
    open.close();
  }
}

/**
 * Copies a workspace as it is at one instant, even while others write to it. The copy is a workspace of its own. Throws
 * `bad_argument` if `to` exists, `store_unusable` if it cannot be written, `store_corrupt`.
 */
export async function backupWorkspace(path: string, to: string): Promise<{ readonly pages: number }> {
  const target = resolve(to);
  return createAtomically(target, async (file) => {
    const open = await openWorkspace(path, { make: false });
    try {
      open.database.run('VACUUM INTO ?', file);
    } catch (error) {
      // The workspace is only read, so it is the copy that cannot be written.
      throw isSondeError(error, 'store_unusable') ? unwritableError(target, error) : error;
    } finally {
      open.close();
    }
    const copy = await openWorkspace(file, { make: false });
    try {
      return { pages: copy.world.pages({ view: 'all', limit: Number.MAX_SAFE_INTEGER }).length };
    } finally {
      copy.close();
    }
  });
}

/** A file that cannot even be opened counts as damaged. Throws `not_found` if there is no such workspace. */
export async function checkWorkspace(path: string): Promise<WorldCheck> {
  try {
    const open = await openWorkspace(path, { make: false });
    try {
      return open.world.check();
    } finally {
      open.close();
    }
  } catch (error) {
    if (!isSondeError(error, 'store_corrupt')) throw error;
    return { ok: false, pages: 0, damaged: [{ page: null, block: null, what: error.message }] };
  }
}

export interface SalvageReport {
  readonly to: string;
  readonly saved: Pick<SalvagedWorld, 'pages' | 'blocks' | 'events' | 'from_log'> & {
    /** Rows of conversations, memory, schedules and everything else that is not a page. */
    readonly other_rows: number;
  };
  readonly doubtful: readonly string[];
  readonly lost: {
    readonly events: number;
    /** Rows that cannot be read or belong to nothing, except those that were restored from the log. */
    readonly rows: number;
    /** Pages of the file (SQLite's, not the world's) that cannot be read. */
    readonly file_pages: number;
    /** Tables of another version of this program. */
    readonly tables: readonly string[];
  };
}

/**
 * Saves what can be read of a workspace file into a new file. The damaged file is only read. Throws `not_found`, and
 * `bad_argument` if `to` exists or the file holds nothing of a workspace.
 */
export async function salvageWorkspace(from: string, to: string): Promise<SalvageReport> {
  const target = resolve(to);
  const [store, { carve }, { restoreRows }, world, { salvageWorld }, memory, requests] = await Promise.all([
    import('../../store/index.ts'),
    import('../../store/carve/carve.ts'),
    import('../../store/carve/restore-rows.ts'),
    import('../../world/index.ts'),
    import('../../world/salvage/salvage-world.ts'),
    import('../../memory/index.ts'),
    import('../agent/requests/request-schema.ts'),
  ]);
  const carved = carve(resolve(from));
  const schemas = [
    ...world.worldSchemas,
    store.runsSchema,
    store.sessionSchema,
    memory.workspaceMemorySchema,
    requests.requestSchema,
  ];
  return createAtomically(target, async (file) => {
    const db = store.openDatabase({ path: file, schemas, busyMs: 0, holds: 'workspace' });
    try {
      const tables = db
        .all(
          "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'versions'",
        )
        .map(({ name }) => String(name));
      db.run('PRAGMA foreign_keys = OFF');
      const { restored, refused } = db.atomic(() => restoreRows(db, carved, tables));
      if ((restored['world_events'] ?? 0) + (restored['world_pages'] ?? 0) === 0)
        throw new SondeError('bad_argument', {
          message: `${from} holds no page of a workspace that could be read`,
          remedy: 'Name the file of a workspace, or restore a backup.',
        });
      const { doubtful, lost, ...saved } = salvageWorld(db, basename(from), systemClock);
      const other = Object.entries(restored).filter(([table]) => !/^(world|vault)_/.test(table));
      return {
        to: target,
        saved: { ...saved, other_rows: other.reduce((sum, [, count]) => sum + count, 0) },
        doubtful,
        lost: {
          events: lost.events,
          rows: Math.max(0, refused + carved.damagedRows + lost.rows - saved.from_log),
          file_pages: carved.damagedPages,
          tables: carved.tables.filter(
            (name) => !tables.includes(name) && !name.startsWith('sqlite_') && name !== 'versions',
          ),
        },
      };
    } finally {
      db.run('PRAGMA wal_checkpoint(TRUNCATE)');
      db.close();
    }
  });
}
