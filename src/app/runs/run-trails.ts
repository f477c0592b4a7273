/** Finds what the runs of a conversation have read, from their logs. Claims of models don't count. */
import { isSondeError, type LoggedEvent } from '../../core/index.ts';
import type { RunRow, Store } from '../../store/index.ts';
import type { RunTrails } from '../../tools/index.ts';
import { threadOf } from '../agent/thread-runs.ts';
import type { OpenWorkspace } from '../workspace/workspace.ts';

/** Maximum runs that are searched, from the newest on. */
const maxTurns = 1_000;

export interface TrailPorts extends Pick<OpenWorkspace, 'world' | 'path'> {
  /** The store of the conversation's runs. */
  readonly store: () => Store;
}

export function runTrails({ world, path, store }: TrailPorts): RunTrails {
  const isThere = (id: string): boolean => world.page(id)?.id === id || world.block(id) !== null;

  /** The reads that the kind of run reports; otherwise the pages of its evidence. */
  async function readIn({ root, shape }: RunRow, log: readonly LoggedEvent[]): Promise<readonly string[]> {
    const { findKind } = await import('../kinds/find-kind.ts');
    const end = log.at(-1)?.event;
    const said = end?.kind === 'run_finished' ? findKind(shape)?.shown.reads?.(end) : null;
    if (said != null) return said;
    if (root !== path) return [];
    const paths = log.flatMap(({ event }) =>
      event.kind === 'evidence_registered' ? [event.evidence.file_path] : [],
    );
    return pagesAt(paths);
  }

  const pagesAt = (paths: readonly string[]): readonly string[] =>
    [...new Set(paths)].flatMap((name) => {
      const page = world.page(name);
      // Only by its path: a page with this path as an alias was not read.
      return page?.path === name ? [page.id] : [];
    });

  /** Uses the ids of the reads if they are stored, since a page may have been moved. */
  async function listCited(row: RunRow, log: readonly LoggedEvent[]): Promise<readonly string[]> {
    const end = log.at(-1)?.event;
    if (end?.kind !== 'run_finished') return [];
    const paths = new Set(end.result.citations.map(({ path }) => path));
    const reads = end.investigation?.read_trail ?? [];
    const readSpans = reads.filter(({ path, content }) => paths.has(path) && content !== undefined);
    for (const { path } of readSpans) paths.delete(path);
    const read = new Set(await readIn(row, log));
    const ids = [...readSpans.map(({ content }) => content!.id), ...pagesAt([...paths])];
    return [...new Set(ids)].filter((id) => read.has(id));
  }

  /** Null if there is no such finished run in that conversation. */
  async function logOf(
    run: string,
    thread: string | null,
  ): Promise<readonly [RunRow, readonly LoggedEvent[]] | null> {
    const row = await rowOf(store(), run);
    if (row === null || thread === null || row.status !== 'finished' || threadOf(row) !== thread) return null;
    return [row, await store().events(run)];
  }

  return {
    async findRead(run, { thread }) {
      const found = await logOf(run, thread);
      return found === null ? null : (await readIn(...found)).filter(isThere);
    },
    async listTurns({ thread }) {
      if (thread === null) return [];
      const turns = (await store().runs.list(maxTurns)).filter(
        ({ shape, params }) => shape === 'turn' && params['thread'] === thread,
      );
      return turns.map(({ created }) => created).sort((one, other) => other - one);
    },
    async findCited(run, { thread }) {
      const found = await logOf(run, thread);
      return found === null ? null : (await listCited(...found)).filter(isThere);
    },
  };
}

/** Exactly this id: the beginning of an id is not accepted. */
async function rowOf({ runs }: Store, run: string): Promise<RunRow | null> {
  try {
    const row = await runs.get(run);
    return row.id === run ? row : null;
  } catch (error) {
    if (isSondeError(error, 'not_found')) return null;
    throw error;
  }
}
