/**
 * Steps of all runs, for clients that follow the whole workspace. Other processes write the logs of runs. The logs are
 * read only while a client listens; the next client continues where reading stopped.
 */
import { type Clock, type RunEvent, shortLine } from '../../../core/index.ts';
import { threadOf } from '../../agent/thread-runs.ts';
import type { VisibleRun, VisibleRuns } from '../visible-runs.ts';
import type { FeedRecords, FeedStep } from './feed-records.ts';

export interface RunFeed extends Pick<FeedRecords, 'first' | 'last' | 'after'> {
  /** Reads the events that were written since the last call. Simultaneous calls share one reading. */
  refresh(): Promise<void>;
}

export interface RunFeedOptions {
  readonly records: FeedRecords;
  readonly runs: Pick<VisibleRuns, 'newest'>;
  readonly clock: Clock;
}

/** The wait between two readings of the logs, and between two searches for new runs. Milliseconds. */
const readMs = 100;
const listMs = 500;
/** A log without events for this long is no longer read, until its run is listed as changed. Milliseconds. */
const inactiveMs = 10_000;
const firstCount = 50;
const maxListed = 3_200;

export function openRunFeed({ records, runs, clock }: RunFeedOptions): RunFeed {
  const feedStart = records.startedAt(clock.now());
  /** `updated` of each run, from when the run was last listed as changed. */
  const lastSeen = new Map<string, number>();
  const activeRuns = new Map<string, { readonly run: VisibleRun; at: number }>();
  let listedAt = Number.NEGATIVE_INFINITY;
  let readAt = Number.NEGATIVE_INFINITY;
  let currentReading: Promise<void> | null = null;

  function isChanged({ row: { id, updated } }: VisibleRun): boolean {
    const lastUpdated = lastSeen.get(id);
    // A run counts as changed for `listMs`: events of the same millisecond may be committed at different times.
    return (
      updated >= feedStart &&
      (lastUpdated === undefined || updated > lastUpdated || updated > clock.now() - listMs)
    );
  }

  async function findChangedRuns(): Promise<void> {
    for (let count = firstCount; ; count *= 4) {
      const newestRuns = await runs.newest(count);
      const changedRuns = newestRuns.filter(isChanged);
      // If all of them are new, there may be more.
      if (changedRuns.length === newestRuns.length && newestRuns.length >= count && count < maxListed)
        continue;
      for (const run of changedRuns)
        if (!activeRuns.has(run.row.id)) activeRuns.set(run.row.id, { run, at: clock.now() });
      for (const { row } of changedRuns) lastSeen.set(row.id, row.updated);
      return;
    }
  }

  async function readLogs(): Promise<void> {
    if (clock.now() - listedAt >= listMs) {
      listedAt = clock.now();
      await findChangedRuns();
    }
    for (const [id, activeRun] of activeRuns) {
      const { row, store, isOwn } = activeRun.run;
      const lastRead = records.position(id) ?? 0;
      const newEvents = await store.events(id, lastRead);
      const lastEvent = newEvents.at(-1);
      if (lastEvent !== undefined) {
        const thread = threadOf(row) ?? null;
        const steps = newEvents.flatMap(({ seq, at, event }) => {
          const feedEvent = at < feedStart ? null : toFeedEvent(event);
          if (feedEvent === null) return [];
          return [{ run: id, shape: row.shape, thread, seq, at, own: isOwn, event: feedEvent }];
        });
        records.store(id, lastEvent.seq, steps);
        activeRun.at = clock.now();
      } else if (clock.now() - activeRun.at > inactiveMs) activeRuns.delete(id);
    }
  }

  return {
    first: records.first,
    last: records.last,
    after: records.after,
    refresh() {
      if (currentReading !== null) return currentReading;
      if (clock.now() - readAt < readMs) return Promise.resolve();
      currentReading = readLogs().finally(() => {
        readAt = clock.now();
        currentReading = null;
      });
      return currentReading;
    },
  };
}

/** Maximum characters of a line. */
const maxLength = 200;

/**
 * The event as the feed shows it: only the beginning and the end of each step. The details are in the log of the run.
 */
function toFeedEvent(event: RunEvent): FeedStep['event'] | null {
  switch (event.kind) {
    case 'run_started':
      return { kind: event.kind, question: shortLine(event.question, maxLength) };
    case 'run_resumed':
      return { kind: event.kind };
    case 'step_started':
      return { kind: event.kind, step: event.step };
    case 'model_called':
      return { kind: event.kind, step: event.step, call: event.call, model: event.model };
    case 'model_replied':
      return { kind: event.kind, step: event.step, call: event.call };
    case 'action_started':
      return { kind: event.kind, step: event.step, action: event.action };
    case 'action_finished': {
      const { kind, step, action, outcome, summary } = event;
      return { kind, step, action, outcome, summary: shortLine(summary, maxLength) };
    }
    case 'node_started':
      return {
        kind: event.kind,
        step: event.step,
        node: event.node,
        prompt: shortLine(event.prompt, maxLength),
      };
    case 'node_finished':
      return { kind: event.kind, step: event.step, node: event.node, status: event.status };
    case 'cell_started':
      return { kind: event.kind, step: event.step, node: event.node, cell: event.cell };
    case 'cell_finished': {
      const { kind, step, node, cell, outcome } = event;
      return { kind, step, node, cell, outcome };
    }
    case 'run_finished': {
      const { kind, result } = event;
      return { kind, status: result.status, stop_reason: result.stop_reason };
    }
    default:
      return null;
  }
}
