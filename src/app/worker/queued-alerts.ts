/** The groups of alerts that wait for a worker, as people see them in the queue of a team. */
import type { Job, JobState, Queue } from '../../store/index.ts';
import { groupOf, groupTopic } from '../alerts/groups.ts';

export interface QueuedAlerts {
  /** The number of the group, as `sonde alerts ls` has it. */
  readonly id: number;
  /** Null: no run was begun. */
  readonly run: string | null;
  readonly state: JobState | 'dead';
  readonly title: string;
  readonly deaths: number;
  /** ISO 8601, UTC. */
  readonly created: string;
  /** Why it waits or failed; null: neither. */
  readonly why: string | null;
}

const max = 200;

/** Newest first. `dead`: failed groups instead. */
export async function listQueuedAlerts(
  queue: Pick<Queue, 'list' | 'workers'>,
  { dead = false } = {},
): Promise<readonly QueuedAlerts[]> {
  const states: readonly JobState[] = dead ? ['failed'] : ['waiting', 'running'];
  const { jobs } = await queue.list({ topic: groupTopic, states, max });
  const isTaken = (await queue.workers()).some(({ topics }) => topics.includes(groupTopic));
  return jobs.map((job) => ({
    ...{ id: job.id, run: groupOf(job).run, title: groupOf(job).title, deaths: job.deaths },
    state: job.state === 'failed' ? 'dead' : job.state,
    created: new Date(job.created).toISOString(),
    why: job.state === 'waiting' ? whyAlertsWait(job, isTaken) : (job.error?.message ?? null),
  }));
}

function whyAlertsWait({ error }: Job, isTaken: boolean): string {
  if (!isTaken) return 'no worker takes alerts: sonde worker --signals';
  return error === null ? 'waits for a worker' : `is tried again later, since ${error.message}`;
}
