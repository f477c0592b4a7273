/** Lists the groups of alerts in the queue of a team, for display. */
import type { Job, JobState, Queue } from '../../store/index.ts';
import { groupTopic, toGroup } from '../alerts/groups.ts';

export interface QueuedAlerts {
  /** The id of the group, as in `sonde alerts ls`. */
  readonly id: number;
  /** The id of the run that investigates the group; null: no run was started. */
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

/** Lists waiting and running groups, newest first. `dead`: failed groups instead. */
export async function listQueuedAlerts(
  queue: Pick<Queue, 'list' | 'workers'>,
  { dead = false } = {},
): Promise<readonly QueuedAlerts[]> {
  const states: readonly JobState[] = dead ? ['failed'] : ['waiting', 'running'];
  const { jobs } = await queue.list({ topic: groupTopic, states, max });
  const isTaken = (await queue.workers()).some(({ topics }) => topics.includes(groupTopic));
  return jobs.map((job) => ({
    ...{ id: job.id, run: toGroup(job).run, title: toGroup(job).title, deaths: job.deaths },
    state: job.state === 'failed' ? 'dead' : job.state,
    created: new Date(job.created).toISOString(),
    why: job.state === 'waiting' ? explainAlertWait(job, isTaken) : (job.error?.message ?? null),
  }));
}

function explainAlertWait({ error }: Job, isTaken: boolean): string {
  if (!isTaken) return 'no worker investigates alerts: start one with sonde worker --signals';
  return error === null ? 'waits for a worker' : `will be tried again later: ${error.message}`;
}
