/**
 * Steps of all runs, for clients that follow the whole workspace. Other processes write the runs. Their logs are read
 * while a client listens, and later from where reading stopped.
 */
import { type Clock, type RunEvent, shortLine } from '../../../core/index.ts';
import { threadOf } from '../../agent/thread-runs.ts';
import type { VisibleRun, VisibleRuns } from '../visible-runs.ts';
import type { FedStep, FeedRecords } from './feed-records.ts';

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
/** A log without events for this long is read again when its run is listed as changed. Milliseconds. */
const quietMs = 10_000;
const listed = 50;
const maxListed = 3_200;

export function openRunFeed({ records, runs, clock }: RunFeedOptions): RunFeed {
  const born = records.bornAt(clock.now());
  /** The time of change of each run when its log was last read. */
  const seen = new Map<string, number>();
  const lively = new Map<string, { readonly run: VisibleRun; at: number }>();
  let listedAt = Number.NEGATIVE_INFINITY;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;

  function isChanged({ row: { id, updated } }: VisibleRun): boolean {
    const before = seen.get(id);
    // Not a strict comparison: events of the same millisecond may be committed at different times.
    return updated >= born && (before === undefined || updated > before || updated > clock.now() - listMs);
  }

  async function list(): Promise<void> {
    for (let count = listed; ; count *= 4) {
      const found = await runs.newest(count);
      const changed = found.filter(isChanged);
      // If all of them are new, there may be more.
      if (changed.length === found.length && found.length >= count && count < maxListed) continue;
      for (const run of changed)
        if (!lively.has(run.row.id)) lively.set(run.row.id, { run, at: clock.now() });
      for (const { row } of changed) seen.set(row.id, row.updated);
      return;
    }
  }

  async function read(): Promise<void> {
    if (clock.now() - listedAt >= listMs) {
      listedAt = clock.now();
      await list();
    }
    for (const [id, one] of lively) {
      const { row, store, isOwn } = one.run;
      const place = records.place(id) ?? 0;
      const fresh = await store.events(id, place);
      const last = fresh.at(-1);
      if (last !== undefined) {
        const thread = threadOf(row) ?? null;
        const steps = fresh.flatMap(({ seq, at, event }) => {
          const told = at < born ? null : toFeedEvent(event);
          if (told === null) return [];
          return [{ run: id, shape: row.shape, thread, seq, at, own: isOwn, event: told }];
        });
        records.keep(id, last.seq, steps);
        one.at = clock.now();
      } else if (clock.now() - one.at > quietMs) lively.delete(id);
    }
  }

  return {
    first: records.first,
    last: records.last,
    after: records.after,
    refresh() {
      if (reading !== null) return reading;
      if (clock.now() - readAt < readMs) return Promise.resolve();
      reading = read().finally(() => {
        readAt = clock.now();
        reading = null;
      });
      return reading;
    },
  };
}

/** Maximum characters of a line. */
const maxLength = 200;

/**
 * The event as the feed shows it: only the beginning and the end of each step. The details are in the log of the run.
 */
function toFeedEvent(event: RunEvent): FedStep['event'] | null {
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
