/** Opens all stores of runs on this machine: the user's own, and the one in each workspace. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import { threadOf } from '../agent/thread-runs.ts';
import { type Configuration, databaseFile, workspaceFile } from '../config/index.ts';
import type { KeptRun } from './kept.ts';

export interface PrunedStore {
  /** The file of a workspace; null: the runs of this user. */
  readonly workspace: string | null;
  readonly store: Store;
}

export interface RunPlaces {
  readonly places: readonly PrunedStore[];
  /** Workspaces that cannot be read. Since their pages may cite any run, no run is removed then. */
  readonly unreadable: readonly { readonly path: string; readonly message: string }[];
  runs(): Promise<readonly KeptRun[]>;
  close(): Promise<void>;
}

const busyMs = 10_000;

/** Creates no file and no table. */
export async function openPrunedStores({ directories, values }: Configuration): Promise<RunPlaces> {
  const [{ openDatabase, openStoreIn, runsSchema }, { findReferencedRuns }] = await Promise.all([
    import('../../store/index.ts'),
    import('../../world/index.ts'),
  ]);
  const closers: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const each of closers.toReversed()) await each();
  };
  const places: PrunedStore[] = [];
  const unreadable: { path: string; message: string }[] = [];
  const runs = new Set<string>();
  const threads = new Map<string, ReadonlySet<string>>();
  const user = databaseFile(directories);
  for (const path of [user, ...workspaceFiles(directories, values.workspace)]) {
    if (!existsSync(path)) continue;
    try {
      const database = openDatabase({
        path,
        schemas: [],
        busyMs,
        holds: path === user ? 'runs' : 'workspace',
      });
      closers.push(() => database.close());
      const behind = findReferencedRuns(database);
      for (const id of behind.runs) runs.add(id);
      threads.set(path, behind.threads);
      const holdsRuns = database.get("SELECT 1 FROM sqlite_schema WHERE name = 'runs'") !== undefined;
      if (!holdsRuns) continue;
      database.include(runsSchema);
      const store = openStoreIn(database);
      closers.push(() => store.close());
      places.push({ workspace: path === user ? null : path, store });
    } catch (error) {
      if (path === user) {
        await close();
        throw error;
      }
      unreadable.push({ path, message: messageOf(error) });
    }
  }
  return {
    places,
    unreadable,
    async runs() {
      const keptRuns: KeptRun[] = [];
      for (const { workspace, store } of places)
        for (const row of await store.runs.list(Number.MAX_SAFE_INTEGER)) {
          const thread = threadOf(row) ?? null;
          const wrote = thread !== null && threads.get(workspace ?? user)?.has(thread) === true;
          keptRuns.push({
            run_id: row.id,
            workspace,
            thread,
            question: row.question,
            created: row.created,
            updated: row.updated,
            finished: row.status === 'finished' && !(await store.runs.isHeld(row.id)),
            behindPages: wrote || runs.has(row.id),
          });
        }
      return keptRuns;
    },
    close,
  };
}

/** Workspaces with a name, and the configured one. */
export function workspaceFiles(
  directories: Configuration['directories'],
  workspace: string,
): readonly string[] {
  const folder = join(directories.data, 'workspaces');
  const named = existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.db'))
        .map((name) => join(folder, name))
    : [];
  return [...new Set([...named, workspaceFile(directories, workspace)])];
}
