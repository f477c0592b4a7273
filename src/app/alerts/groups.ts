/**
 * Groups of alerts, as jobs of a queue: which wait, and how each ended. A group under investigation names its holder,
 * so that several processes can share one database, and a dead process can be told from a busy one.
 */
import { isSondeError, SondeError } from '../../core/index.ts';
import type { AlertRecords, GroupAlerts, Job, Queue } from '../../store/index.ts';

export const groupTopic = 'alert groups';
export const groupStates = ['waiting', 'running', 'done', 'failed'] as const;
export type GroupState = (typeof groupStates)[number];

/** A group as the process that investigates it gets it. */
export interface Group {
  readonly id: number;
  readonly title: string;
  /** Null: no run was started. */
  readonly run: string | null;
  /** The text of the alert that opened the group. */
  readonly sent: string;
  /** The earlier investigation of the same problem; null: there was none, or an older version stored the group. */
  readonly before: string | null;
}

/** A group as it is listed. */
export interface GroupNote {
  readonly id: number;
  readonly title: string;
  readonly state: GroupState;
  /** Why the investigation failed. */
  readonly reason: string | null;
  readonly run: string | null;
  readonly alerts: number;
  /** Whether all of its alerts have ended. */
  readonly closed: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly opened: number;
  readonly updated: number;
}

export interface GroupCounts extends Readonly<Record<GroupState, number>> {
  readonly alerts: number;
}

export interface AlertGroups {
  /** Queues a failed group again. Rejects with `not_found`, and with `run_state` if it has not failed. */
  retry(id: number): Promise<GroupNote>;
  /** The newest groups, and how many more there are. */
  list(query: { readonly state?: GroupState | undefined; readonly max: number }): Promise<{
    readonly groups: readonly GroupNote[];
    readonly more: number;
  }>;
  counts(): Promise<GroupCounts>;
  /** When the oldest waiting group arrived; null: none waits. Milliseconds since the Unix epoch. */
  oldestWaiting(): Promise<number | null>;
}

/** The data stored for a group when its first alert arrives. */
export interface GroupPayload {
  /** The title to display; null: an older version stored the group. */
  readonly title: string | null;
  readonly sent: string | null;
  /** The run of the previous group with the same key. */
  readonly before?: string | null;
}

export const readRun = ({ kept }: Job): string | null =>
  (kept as { readonly run: string } | null)?.run ?? null;

export function toGroup(job: Job): Group {
  const { id, key, payload } = job;
  const { title, sent, before = null } = payload as GroupPayload;
  return {
    id,
    // Groups of older versions have no title: their key is shown without its separators.
    title: title ?? key.replaceAll('\u0000', ' ').trim(),
    run: readRun(job),
    sent: sent ?? '',
    before,
  };
}

export function alertGroups(records: AlertRecords, queue: Queue): AlertGroups {
  async function toNotes(jobs: readonly Job[]): Promise<readonly GroupNote[]> {
    const alerts = await records.summarizeGroups(jobs.map(({ id }) => id));
    return jobs.map((job) => toNote(job, alerts.get(job.id) ?? { alerts: 0, closed: false }));
  }

  return {
    async retry(id) {
      try {
        return (await toNotes([await queue.reopen(id)]))[0]!;
      } catch (thrown) {
        if (isSondeError(thrown, 'not_found'))
          throw new SondeError('not_found', {
            message: `There is no group of alerts ${id}`,
            remedy: 'sonde alerts ls lists them.',
          });
        if (isSondeError(thrown, 'run_state'))
          throw new SondeError('run_state', {
            message: `The group of alerts ${id} has not failed: it is ${thrown.details['state']}`,
            remedy: 'sonde alerts ls --state failed lists those that have.',
          });
        throw thrown;
      }
    },
    async list({ state, max }) {
      const states = state === undefined ? groupStates : [state];
      const { jobs, more } = await queue.list({ topic: groupTopic, states, max });
      return { groups: await toNotes(jobs), more };
    },
    async counts() {
      const { waiting, running, done, failed } = await queue.counts(groupTopic);
      return { alerts: await records.countAlerts(), waiting, running, done, failed };
    },
    // A group is due when it arrives, or later if it is retried.
    oldestWaiting: () => queue.nextDue(groupTopic),
  };
}

function toNote(job: Job, { alerts, closed }: GroupAlerts): GroupNote {
  const { id, title, run } = toGroup(job);
  const { state, error, created: opened, updated } = job;
  const reason = state === 'failed' && error !== null && error.message !== '' ? error.message : null;
  return { id, title, state: state as GroupState, reason, run, alerts, closed, opened, updated };
}
