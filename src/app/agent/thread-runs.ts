/** The runs of a conversation: its turns, and the work that they delegated. */
import type { RunEventKind } from '../../core/index.ts';
import type { RunRow, Sessions, Store } from '../../store/index.ts';

/** Undefined for a run outside of conversations. */
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
 * Events of work that is finished and never repeated. Others recur in each life of a run, such as its start, or a model
 * call whose reply was lost.
 */
const achievements: ReadonlySet<RunEventKind> = new Set([
  'model_replied',
  'action_finished',
  'helper_called',
  'cell_finished',
  'node_finished',
]);
/** Maximum runs that are searched, from the newest on. */
const maxRuns = 1_000;

/**
 * How much of a conversation's work is stored: replies, steps and checkpoints. It grows when a restarted process got
 * further.
 */
export function progressOf(
  { runs, events }: Pick<Store, 'runs' | 'events'>,
  { checkpoints }: Pick<Sessions, 'checkpoints'>,
): (thread: string) => Promise<number> {
  return async (thread) => {
    const runRows = (await runs.list(maxRuns)).filter((row) => threadOf(row) === thread);
    const log = (await Promise.all(runRows.map(({ id }) => events(id)))).flat();
    const loggedEvents = log.filter(({ event }) => achievements.has(event.kind));
    return loggedEvents.length + (await checkpoints.heads({ thread })).length;
  };
}
