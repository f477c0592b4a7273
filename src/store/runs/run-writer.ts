/** The writes of a worker to its run: its start, steps, other events, and end. */
import type { Journal, LoggedEvent, LogOnce, RunEvent, Step } from '../../core/index.ts';
import type { CommitOptions, Lease, Store } from '../store.ts';
import { openSteps, type StepPorts } from './steps.ts';

export interface RunWriter {
  /** All events of the run, also those that are not committed yet. */
  events(after?: number): readonly LoggedEvent[];
  readonly tell: LogOnce;
  /** The recorded values, read-only. */
  readonly recorded: Pick<Journal, 'recall'>;
  /** Logs the start or the resumption, and counts reservations that a crash left open as spent. One commit. */
  begin(started: Extract<RunEvent, { kind: 'run_started' }>): void;
  /** `commit`: replaces the writer's commit, for callers that need to know what was stored. */
  steps(ports: Pick<StepPorts, 'pool' | 'signal'> & Partial<Pick<StepPorts, 'commit'>>): Step;
  /** Logs the end and marks the run as finished, in one commit. */
  finish(ended: RunEvent): void;
  /** Resolves once all writes are durable, with the number of the last event in the log. */
  commit(options?: CommitOptions): Promise<number>;
}

export function writerOf(store: Store, lease: Lease): RunWriter {
  const { run, fence } = lease;
  const { atomic } = store;
  const log = store.log(lease);
  const journal = store.journal(lease);
  const commit = (options?: CommitOptions) => store.commit(lease, options);
  return {
    events: log.read,
    tell: log.append,
    recorded: { recall: journal.recall },
    begin(started) {
      atomic(() => {
        const recovered = store.ledger(lease).recover(run, fence);
        const begun = log.append('run-started', started);
        if (!begun) log.append(`run-resumed/${fence}`, { kind: 'run_resumed', fence, recovered });
      });
    },
    steps: ({ pool, signal, commit: commitStep = async (options) => void (await commit(options)) }) =>
      openSteps({ journal, log, pool, atomic, commit: commitStep, signal }),
    finish(ended) {
      atomic(() => {
        log.append('run-finished', ended);
        store.runs.finish(run, lease);
      });
    },
    commit,
  };
}
