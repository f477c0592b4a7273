/** What the runs of a conversation have read, looked up where they are kept: the word of no model is taken for it. */
import { isSondeError, type LoggedEvent } from '../../core/index.ts';
import { openStoreIn, type RunRow, type Store } from '../../store/index.ts';
import type { RunTrails } from '../../tools/index.ts';
import { threadOf } from '../agent/thread-runs.ts';
import type { OpenWorkspace } from '../workspace/workspace.ts';

/** Runs that are looked through, the newest first. */
const maxTurns = 1_000;

export function runTrails({
  database,
  world,
  path,
}: Pick<OpenWorkspace, 'database' | 'world' | 'path'>): RunTrails {
  let opened: Store | undefined;
  const store = (): Store => {
    opened ??= openStoreIn(database);
    return opened;
  };
  const isThere = (id: string): boolean => world.page(id)?.id === id || world.block(id) !== null;

  /** What its kind reports as read; otherwise the sources of its evidence, by the paths of the pages. */
  async function readIn({ root, shape }: RunRow, log: readonly LoggedEvent[]): Promise<readonly string[]> {
    const { findKind } = await import('../kinds/kind-of.ts');
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
      // By its path only: a page that has the path of a moved page as an alias was not read.
      return page?.path === name ? [page.id] : [];
    });

  /** By the ids of its reads, where it kept them: a page may have moved since. Nothing beyond what it read. */
  async function listCited(row: RunRow, log: readonly LoggedEvent[]): Promise<readonly string[]> {
    const end = log.at(-1)?.event;
    if (end?.kind !== 'run_finished') return [];
    const paths = new Set(end.result.citations.map(({ path }) => path));
    const reads = end.investigation?.read_trail ?? [];
    const kept = reads.filter(({ path, content }) => paths.has(path) && content !== undefined);
    for (const { path } of kept) paths.delete(path);
    const read = new Set(await readIn(row, log));
    const ids = [...kept.map(({ content }) => content!.id), ...pagesAt([...paths])];
    return [...new Set(ids)].filter((id) => read.has(id));
  }

  /** Null where it is no finished run of that conversation. */
  async function logOf(
    run: string,
    thread: string | null,
  ): Promise<readonly [RunRow, readonly LoggedEvent[]] | null> {
    const row = await rowOf(store(), run);
    if (row === null || thread === null || row.status !== 'finished' || threadOf(row) !== thread) return null;
    return [row, await store().events(run)];
  }

  return {
    async readBy(run, { thread }) {
      const found = await logOf(run, thread);
      return found === null ? null : (await readIn(...found)).filter(isThere);
    },
    async turnsOf({ thread }) {
      if (thread === null) return [];
      const turns = (await store().runs.list(maxTurns)).filter(
        ({ shape, params }) => shape === 'turn' && params['thread'] === thread,
      );
      return turns.map(({ created }) => created).sort((one, other) => other - one);
    },
    async citedBy(run, { thread }) {
      const found = await logOf(run, thread);
      return found === null ? null : (await listCited(...found)).filter(isThere);
    },
  };
}

/** Of this very id: a beginning of one names nothing. */
async function rowOf({ runs }: Store, run: string): Promise<RunRow | null> {
  try {
    const row = await runs.get(run);
    return row.id === run ? row : null;
  } catch (error) {
    if (isSondeError(error, 'not_found')) return null;
    throw error;
  }
}
