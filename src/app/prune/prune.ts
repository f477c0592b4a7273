/** Lists finished runs and unused indexes, and removes them with `remove`. */
import { rmSync } from 'node:fs';
import { isSondeError } from '../../core/index.ts';
import type { Actor } from '../../store/index.ts';
import { type Configuration, storeAddress } from '../config/index.ts';
import { evidenceFolder } from '../incident/places.ts';
import { type IndexFolder, listIndexFolders, removeIndexFolder } from '../search/index-folders.ts';
import { type PrunableRun, type PrunePlan, type PruneTerms, planPrune } from './plan.ts';
import { openPrunedStores, type PrunedStore } from './stores.ts';

export interface PruneReport {
  /** False: only shows what would be removed. */
  readonly removed: boolean;
  readonly runs: readonly {
    readonly run_id: string;
    /**
     * If the run was a turn of a conversation, the file of the workspace, or its schema in a shared store; null for other
     * runs.
     */
    readonly workspace: string | null;
    /** ISO 8601, UTC. */
    readonly created: string;
    readonly question: string;
    readonly bytes: number;
  }[];
  /** Days of a shared store whose daily tables were dropped. */
  readonly days: readonly { readonly schema: string; readonly day: string }[];
  readonly indexes: readonly {
    readonly folder: string;
    /** The folder that is indexed, or the id of a workspace. */
    readonly root: string | null;
    /** ISO 8601, UTC. */
    readonly used: string;
    readonly bytes: number;
  }[];
  readonly kept: PrunePlan['kept'];
  readonly bytes: number;
  readonly notes: readonly string[];
}

export interface PruneOptions {
  readonly terms: PruneTerms;
  readonly remove: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** The user who prunes, for the audit log. */
  readonly by?: Actor;
  /** False: skips a shared store, since its runs belong to several workspaces. */
  readonly shared?: boolean;
}

/** Throws if the store of runs cannot be used. */
export async function prune(
  configuration: Configuration,
  { terms, remove, now, by, shared: includeShared = true }: PruneOptions,
): Promise<PruneReport> {
  const openStores = await openPrunedStores(configuration);
  try {
    const notes = openStores.unreadable.map(
      ({ path, message }) =>
        `No run was pruned, since ${path} can't be read, and its pages may cite any run: ${message}`,
    );
    const shared = await pruneSharedStore(includeShared ? configuration : null, {
      terms,
      remove,
      ...(by && { by }),
    });
    notes.push(...shared.notes);
    const storedRuns = openStores.unreadable.length > 0 ? [] : await openStores.runs();
    const indexes = await listIndexFolders(configuration.directories);
    const plan = planPrune({ runs: storedRuns, indexes }, terms, now);
    const sizedRuns = [];
    for (const run of plan.runs)
      sizedRuns.push({ run, bytes: await findStore(openStores.places, run).store.runs.size(run.run_id) });
    const prunedRuns = [];
    for (const sizedRun of sizedRuns)
      if (!remove || (await removeRun(findStore(openStores.places, sizedRun.run), sizedRun.run, by)))
        prunedRuns.push(sizedRun);
    if (remove)
      for (const { run } of prunedRuns)
        rmSync(evidenceFolder(configuration, run.run_id), { recursive: true, force: true });
    const prunedIndexes = remove ? await removeIndexes(plan.indexes) : plan.indexes;
    if (remove)
      notes.push(
        ...(await compactFiles(
          openStores.places,
          prunedRuns.map(({ run }) => run),
        )),
      );
    return {
      removed: remove,
      runs: [
        ...prunedRuns.map(({ run: { run_id, workspace, created, question }, bytes }) => ({
          run_id,
          workspace,
          created: new Date(created).toISOString(),
          question,
          bytes,
        })),
        ...shared.runs,
      ],
      days: shared.days,
      indexes: prunedIndexes.map(({ folder, root, used, bytes }) => ({
        folder,
        root,
        used: new Date(used).toISOString(),
        bytes,
      })),
      kept: {
        unfinished: plan.kept.unfinished + shared.kept.unfinished,
        behind_pages: plan.kept.behind_pages + shared.kept.behind_pages,
        recent: plan.kept.recent + sizedRuns.length - prunedRuns.length + shared.kept.recent,
      },
      bytes: [...prunedRuns, ...shared.runs, ...prunedIndexes].reduce((sum, { bytes }) => sum + bytes, 0),
      notes,
    };
  } finally {
    await openStores.close();
  }
}

/** Prunes the shared store, if there is one. */
async function pruneSharedStore(
  configuration: Configuration | null,
  { terms, remove, by }: Omit<PruneOptions, 'now'>,
): Promise<Pick<PruneReport, 'runs' | 'days' | 'kept' | 'notes'>> {
  if (configuration?.values.store !== 'postgres')
    return { runs: [], days: [], kept: { unfinished: 0, behind_pages: 0, recent: 0 }, notes: [] };
  const { pruneShared } = await import('../../store/postgres/index.ts');
  const { runs, ...report } = await pruneShared(
    { url: storeAddress(configuration.values) },
    { ...terms, remove, ...(by && { by }) },
  );
  return {
    ...report,
    runs: runs.map(({ schema, id, question, created, bytes }) => ({
      run_id: id,
      workspace: schema === 'sonde' ? null : schema,
      created: new Date(created).toISOString(),
      question,
      bytes,
    })),
  };
}

const findStore = (stores: readonly PrunedStore[], { workspace }: PrunableRun): PrunedStore =>
  stores.find((store) => store.workspace === workspace)!;

/** Returns false if the run was resumed in the meantime, or if an unfinished run shares its budget. */
async function removeRun(
  { store }: PrunedStore,
  { run_id }: PrunableRun,
  by: Actor | undefined,
): Promise<boolean> {
  try {
    await store.runs.remove(run_id, by);
    return true;
  } catch (error) {
    if (isSondeError(error, 'run_state') || isSondeError(error, 'not_found')) return false;
    throw error;
  }
}

async function removeIndexes(indexes: readonly IndexFolder[]): Promise<readonly IndexFolder[]> {
  const removed: IndexFolder[] = [];
  for (const index of indexes) if (await removeIndexFolder(index.folder)) removed.push(index);
  return removed;
}

async function compactFiles(
  stores: readonly PrunedStore[],
  removedRuns: readonly PrunableRun[],
): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const { workspace, store } of stores)
    if (removedRuns.some((run) => run.workspace === workspace) && !(await store.runs.compact()))
      notes.push(
        `${store.path} is in use, so it was not compacted; its free space is used again, and the next prune compacts it.`,
      );
  return notes;
}
