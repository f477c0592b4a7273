/** Finds in the logs of a conversation's runs what they have read and cited. */
import { isSondeError, type LoggedEvent } from '../../core/index.ts';
import type { RunRow, Store } from '../../store/index.ts';
import type { RunTrails } from '../../tools/index.ts';
import { threadOf } from '../agent/thread-runs.ts';
import type { OpenWorkspace } from '../workspace/workspace.ts';

/** Maximum runs that are searched for the turns of a thread, newest first. */
const maxTurns = 1_000;

export interface TrailPorts extends Pick<OpenWorkspace, 'world' | 'path'> {
  /** The store of the conversation's runs. */
  readonly store: () => Store;
}

export function openRunTrails({ world, path, store }: TrailPorts): RunTrails {
  const exists = (id: string): boolean => world.page(id)?.id === id || world.block(id) !== null;

  /** Returns the ids that the kind of run reports as read; otherwise those of the pages in its evidence. */
  async function listRead({ root, shape }: RunRow, log: readonly LoggedEvent[]): Promise<readonly string[]> {
    const { findKind } = await import('../kinds/find-kind.ts');
    const end = log.at(-1)?.event;
    const reportedReads = end?.kind === 'run_finished' ? findKind(shape)?.shown.reads?.(end) : null;
    if (reportedReads != null) return reportedReads;
    if (root !== path) return [];
    const paths = log.flatMap(({ event }) =>
      event.kind === 'evidence_registered' ? [event.evidence.file_path] : [],
    );
    return listPageIds(paths);
  }

  const listPageIds = (paths: readonly string[]): readonly string[] =>
    [...new Set(paths)].flatMap((name) => {
      const page = world.page(name);
      // A page that only has this path as an alias was not read.
      return page?.path === name ? [page.id] : [];
    });

  /** Returns ids of cited pages. Uses the ids that are stored with the reads, since a page may have been moved. */
  async function listCited(row: RunRow, log: readonly LoggedEvent[]): Promise<readonly string[]> {
    const end = log.at(-1)?.event;
    if (end?.kind !== 'run_finished') return [];
    const paths = new Set(end.result.citations.map(({ path }) => path));
    const reads = end.investigation?.read_trail ?? [];
    const readSpans = reads.filter(({ path, content }) => paths.has(path) && content !== undefined);
    for (const { path } of readSpans) paths.delete(path);
    const readIds = new Set(await listRead(row, log));
    const ids = [...readSpans.map(({ content }) => content!.id), ...listPageIds([...paths])];
    return [...new Set(ids)].filter((id) => readIds.has(id));
  }

  /** Returns the row and events of a finished run of this thread; null if there is none. */
  async function findLog(
    run: string,
    thread: string | null,
  ): Promise<readonly [RunRow, readonly LoggedEvent[]] | null> {
    const row = await findRow(store(), run);
    if (row === null || thread === null || row.status !== 'finished' || threadOf(row) !== thread) return null;
    return [row, await store().events(run)];
  }

  return {
    async findRead(run, { thread }) {
      const runAndLog = await findLog(run, thread);
      return runAndLog === null ? null : (await listRead(...runAndLog)).filter(exists);
    },
    async listTurns({ thread }) {
      if (thread === null) return [];
      const turnRows = (await store().runs.list(maxTurns)).filter(
        ({ shape, params }) => shape === 'turn' && params['thread'] === thread,
      );
      return turnRows.map(({ created }) => created).sort((a, b) => b - a);
    },
    async findCited(run, { thread }) {
      const runAndLog = await findLog(run, thread);
      return runAndLog === null ? null : (await listCited(...runAndLog)).filter(exists);
    },
  };
}

/** Finds a run by its whole id; the store also accepts the beginning of one. */
async function findRow({ runs }: Store, run: string): Promise<RunRow | null> {
  try {
    const row = await runs.get(run);
    return row.id === run ? row : null;
  } catch (error) {
    if (isSondeError(error, 'not_found')) return null;
    throw error;
  }
}
