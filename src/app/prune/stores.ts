/** Opens all stores of runs on this machine: the user's own, and the one in each workspace. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import { threadOf } from '../agent/thread-runs.ts';
import { type Configuration, databaseFile, workspaceFile } from '../config/index.ts';
import type { PrunableRun } from './plan.ts';

export interface PrunedStore {
  /** The file of the workspace; null: the store of this user's own runs. */
  readonly workspace: string | null;
  readonly store: Store;
}

export interface OpenPrunedStores {
  readonly places: readonly PrunedStore[];
  /** Workspaces that cannot be read. If there is one, no run is removed, since its pages may cite any run. */
  readonly unreadable: readonly { readonly path: string; readonly message: string }[];
  runs(): Promise<readonly PrunableRun[]>;
  close(): Promise<void>;
}

const busyMs = 10_000;

/** Opens existing files only. Creates no file and no table. */
export async function openPrunedStores({ directories, values }: Configuration): Promise<OpenPrunedStores> {
  const [{ openDatabase, openStoreIn, runsSchema }, { findReferencedRuns }] = await Promise.all([
    import('../../store/index.ts'),
    import('../../world/index.ts'),
  ]);
  const closers: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const closeOne of closers.toReversed()) await closeOne();
  };
  const places: PrunedStore[] = [];
  const unreadable: { path: string; message: string }[] = [];
  const citedRuns = new Set<string>();
  const citedThreads = new Map<string, ReadonlySet<string>>();
  const userFile = databaseFile(directories);
  for (const path of [userFile, ...listWorkspaceFiles(directories, values.workspace)]) {
    if (!existsSync(path)) continue;
    try {
      const database = openDatabase({
        path,
        schemas: [],
        busyMs,
        holds: path === userFile ? 'runs' : 'workspace',
      });
      closers.push(() => database.close());
      const cited = findReferencedRuns(database);
      for (const id of cited.runs) citedRuns.add(id);
      citedThreads.set(path, cited.threads);
      const holdsRuns = database.get("SELECT 1 FROM sqlite_schema WHERE name = 'runs'") !== undefined;
      if (!holdsRuns) continue;
      database.include(runsSchema);
      const store = openStoreIn(database);
      closers.push(() => store.close());
      places.push({ workspace: path === userFile ? null : path, store });
    } catch (error) {
      if (path === userFile) {
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
      const keptRuns: PrunableRun[] = [];
      for (const { workspace, store } of places)
        for (const row of await store.runs.list(Number.MAX_SAFE_INTEGER)) {
          const thread = threadOf(row) ?? null;
          const isThreadCited =
            thread !== null && citedThreads.get(workspace ?? userFile)?.has(thread) === true;
          keptRuns.push({
            run_id: row.id,
            workspace,
            thread,
            question: row.question,
            created: row.created,
            updated: row.updated,
            finished: row.status === 'finished' && !(await store.runs.isHeld(row.id)),
            isCitedByPage: isThreadCited || citedRuns.has(row.id),
          });
        }
      return keptRuns;
    },
    close,
  };
}

/** The files of the workspaces in the data folder, and the configured one. */
export function listWorkspaceFiles(
  directories: Configuration['directories'],
  workspace: string,
): readonly string[] {
  const folder = join(directories.data, 'workspaces');
  const namedFiles = existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.db'))
        .map((name) => join(folder, name))
    : [];
  return [...new Set([...namedFiles, workspaceFile(directories, workspace)])];
}
