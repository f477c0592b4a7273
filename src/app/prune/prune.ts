/** Removes finished runs and unused indexes. By default it only shows them. */
import { rmSync } from 'node:fs';
import { isSondeError } from '../../core/index.ts';
import type { Actor } from '../../store/index.ts';
import { type Configuration, storeAddress } from '../config/index.ts';
import { evidenceFolder } from '../incident/places.ts';
import { type IndexFolder, indexFolders, removeIndexFolder } from '../search/index-folders.ts';
import { type KeptRun, type PrunePlan, type PruneTerms, planPrune } from './kept.ts';
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
  /** The actor, for the audit. */
  readonly by?: Actor;
  /** False: skips a shared store, since its runs belong to several workspaces. */
  readonly shared?: boolean;
}

/** Throws if the store of runs cannot be used. */
export async function prune(
  configuration: Configuration,
  { terms, remove, now, by, shared: includeShared = true }: PruneOptions,
): Promise<PruneReport> {
  const places = await openPrunedStores(configuration);
  try {
    const notes = places.unreadable.map(
      ({ path, message }) =>
        `No run was pruned, since ${path} can't be read, and its pages may cite any run: ${message}`,
    );
    const shared = await pruneStore(includeShared ? configuration : null, {
      terms,
      remove,
      ...(by && { by }),
    });
    notes.push(...shared.notes);
    const all = places.unreadable.length > 0 ? [] : await places.runs();
    const indexes = await indexFolders(configuration.directories);
    const plan = planPrune({ runs: all, indexes }, terms, now);
    const runs = [];
    for (const run of plan.runs)
      runs.push({ run, bytes: await placeOf(places.places, run).store.runs.size(run.run_id) });
    const prunable = [];
    for (const each of runs)
      if (!remove || (await removeRun(placeOf(places.places, each.run), each.run, by))) prunable.push(each);
    if (remove)
      for (const { run } of prunable)
        rmSync(evidenceFolder(configuration, run.run_id), { recursive: true, force: true });
    const folders = remove ? await removeFolders(plan.indexes) : plan.indexes;
    if (remove)
      notes.push(
        ...(await compactFiles(
          places.places,
          prunable.map(({ run }) => run),
        )),
      );
    return {
      removed: remove,
      runs: [
        ...prunable.map(({ run: { run_id, workspace, created, question }, bytes }) => ({
          run_id,
          workspace,
          created: new Date(created).toISOString(),
          question,
          bytes,
        })),
        ...shared.runs,
      ],
      days: shared.days,
      indexes: folders.map(({ folder, root, used, bytes }) => ({
        folder,
        root,
        used: new Date(used).toISOString(),
        bytes,
      })),
      kept: {
        unfinished: plan.kept.unfinished + shared.kept.unfinished,
        behind_pages: plan.kept.behind_pages + shared.kept.behind_pages,
        recent: plan.kept.recent + runs.length - prunable.length + shared.kept.recent,
      },
      bytes: [...prunable, ...shared.runs, ...folders].reduce((sum, { bytes }) => sum + bytes, 0),
      notes,
    };
  } finally {
    await places.close();
  }
}

/** Prunes the shared store, if there is one. */
async function pruneStore(
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

const placeOf = (places: readonly PrunedStore[], { workspace }: KeptRun): PrunedStore =>
  places.find((place) => place.workspace === workspace)!;

/** False if the run was resumed in the meantime, or if an unfinished run uses its budget. */
async function removeRun(
  { store }: PrunedStore,
  { run_id }: KeptRun,
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

async function removeFolders(indexes: readonly IndexFolder[]): Promise<readonly IndexFolder[]> {
  const removed: IndexFolder[] = [];
  for (const index of indexes) if (await removeIndexFolder(index.folder)) removed.push(index);
  return removed;
}

async function compactFiles(
  places: readonly PrunedStore[],
  removedRuns: readonly KeptRun[],
): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const { workspace, store } of places)
    if (removedRuns.some((run) => run.workspace === workspace) && !(await store.runs.compact()))
      notes.push(
        `${store.path} is in use, so it was not compacted; its free space is used again, and the next prune compacts it.`,
      );
  return notes;
}
