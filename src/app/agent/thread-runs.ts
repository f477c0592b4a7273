/** The runs of a conversation: its turns, and the work that they delegated. */
import type { RunEventKind } from '../../core/index.ts';
import type { RunRow, Sessions, Store } from '../../store/index.ts';

/** The thread of a run; undefined for a run outside of conversations. */
export function threadOf({ params }: Pick<RunRow, 'params'>): string | undefined {
  const { thread, extra } = params as {
    readonly thread?: string;
    readonly extra?: { readonly thread?: string };
  };
  return thread ?? extra?.thread;
}

/** Whether the run was delegated by a turn of a conversation. */
export const isDelegated = ({ params }: Pick<RunRow, 'params'>): boolean =>
  params['thread'] === undefined && threadOf({ params }) !== undefined;

/**
 * Events of work that is finished and never repeated. Other events occur again after each restart, such as the start of
 * the run, or a model call whose reply was lost.
 */
const lastingEvents: ReadonlySet<RunEventKind> = new Set([
  'model_replied',
  'action_finished',
  'helper_called',
  'cell_finished',
  'node_finished',
]);
/** Maximum number of runs to search, newest first. */
const maxRuns = 1_000;

/**
 * The number of stored records of a conversation's work: replies, steps and checkpoints. It grows if a restarted process
 * makes progress.
 */
export function progressCounter(
  { runs, events }: Pick<Store, 'runs' | 'events'>,
  { checkpoints }: Pick<Sessions, 'checkpoints'>,
): (thread: string) => Promise<number> {
  return async (thread) => {
    const runRows = (await runs.list(maxRuns)).filter((row) => threadOf(row) === thread);
    const log = (await Promise.all(runRows.map(({ id }) => events(id)))).flat();
    const loggedEvents = log.filter(({ event }) => lastingEvents.has(event.kind));
    return loggedEvents.length + (await checkpoints.heads({ thread })).length;
  };
}
