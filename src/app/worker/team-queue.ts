/** Manages the queue of a team for commands: lists, shows, pauses, limits, cancels and retries jobs. */
import { SondeError } from '../../core/index.ts';
import {
  type Actor,
  findBlockingRule,
  type Job,
  type JobState,
  meetsNeeds,
  type Queue,
  type QueueRule,
  type QueueWorker,
  type Teams,
} from '../../store/index.ts';
import { groupTopic } from '../alerts/groups.ts';
import { type Configuration, storeAddress } from '../config/index.ts';
import { createReturnJob, createRunJob, type RunOrder, runTopic } from './queued-run.ts';

/** Throws `bad_config` if the store is not shared, and `forbidden` if the configured database role is that of fronts. */
export async function openTeamQueue(
  { values }: Pick<Configuration, 'values'>,
  options: { readonly leaseMs?: number } = {},
): Promise<Queue> {
  const url = await requireSharedStore(values);
  const { openPostgresQueue } = await import('../../store/postgres/index.ts');
  return openPostgresQueue({ url, ...options });
}

/** Opens the table of teams and their grants. Throws as `openTeamQueue` does. */
export async function openTeamRows({ values }: Pick<Configuration, 'values'>): Promise<Teams> {
  const url = await requireSharedStore(values);
  const { openPostgresTeams } = await import('../../store/postgres/index.ts');
  return openPostgresTeams({ url });
}

/** Returns the address of the shared store. Throws unless its database role can read all rows. */
async function requireSharedStore(values: Configuration['values']): Promise<string> {
  if (values.store === 'postgres') {
    const { requireWholeView } = await import('../../store/postgres/index.ts');
    const url = storeAddress(values);
    await requireWholeView({ url });
    return url;
  }
  throw new SondeError('bad_config', {
    message: 'Runs are kept in a local file, which other machines cannot reach',
    remedy: 'Set SONDE_STORE=postgres and SONDE_STORE_URL: workers and queues need a shared store.',
  });
}

export interface QueuedJob {
  readonly id: number;
  readonly run: string;
  readonly state: JobState | 'dead';
  readonly team: string;
  readonly shape: string;
  readonly repository: string | null;
  readonly question: string;
  readonly priority: number;
  readonly attempts: number;
  readonly deaths: number;
  /** ISO 8601, UTC. */
  readonly created: string;
  /** Why it waits or failed; null: neither. */
  readonly why: string | null;
}

export interface QueueListing {
  readonly jobs: readonly QueuedJob[];
  readonly more: number;
  readonly counts: Readonly<Record<JobState, number>>;
  readonly rules: readonly Omit<QueueRule, 'topic'>[];
  readonly workers: readonly Omit<QueueWorker, 'topics' | 'clock'>[];
}

const maxJobs = 200;
const openStates: readonly JobState[] = ['waiting', 'running'];

/** Lists waiting and running jobs. `dead`: failed jobs instead. */
export async function listQueue(queue: Queue, { dead = false } = {}): Promise<QueueListing> {
  const states: readonly JobState[] = dead ? ['failed'] : openStates;
  const [{ jobs, more }, running, counts, rules, workers] = await Promise.all([
    queue.list({ topic: runTopic, states, max: maxJobs }),
    queue.list({ topic: runTopic, states: ['running'], max: 10_000 }),
    queue.counts(runTopic),
    queue.rules(runTopic),
    queue.workers(),
  ]);
  const now = { running: running.jobs, rules, workers };
  return {
    jobs: jobs.map((job) => toQueuedJob(job, now)),
    more,
    counts,
    rules: rules.map(({ topic: _, ...rule }) => rule),
    workers: workers.map(({ topics: _, clock: __, ...worker }) => worker),
  };
}

interface QueueState {
  readonly running: readonly Job[];
  readonly rules: readonly QueueRule[];
  readonly workers: readonly QueueWorker[];
}

function toQueuedJob(job: Job, now: QueueState): QueuedJob {
  const { id, key, state, team, shape, needs, priority, attempts, deaths, created, error } = job;
  const { question = '' } = job.payload as { readonly question?: string };
  return {
    ...{ id, run: key, state: state === 'failed' ? 'dead' : state, team, shape, repository: needs },
    ...{ question, priority, attempts, deaths },
    created: new Date(created).toISOString(),
    why: state === 'waiting' ? explainWaiting(job, now) : (error?.message ?? null),
  };
}

/** Returns the first of the possible reasons why a waiting job does not start. */
export function explainWaiting(
  job: Pick<Job, 'team' | 'shape' | 'needs' | 'topic' | 'error' | 'due'>,
  { running, rules, workers }: QueueState,
  now = Date.now(),
): string {
  const rule = findBlockingRule(job, running, rules);
  if (rule?.paused) return 'paused';
  const capableWorkers = workers.filter(({ topics, slots }) => slots > 0 && topics.includes(job.topic));
  if (capableWorkers.length === 0) return 'no worker is running';
  if (!capableWorkers.some(({ offers }) => meetsNeeds(job.needs, offers)))
    return `no worker has ${job.needs}`;
  if (rule !== null) return `${formatRule(rule)} is at its limit of ${rule.max}`;
  if (job.due > now) return `will be tried again later${job.error === null ? '' : `: ${job.error.message}`}`;
  return 'waits for a slot';
}

export const formatRule = ({ team, shape }: Pick<QueueRule, 'team' | 'shape'>): string =>
  `${team === null ? 'each team' : team === '' ? 'runs without a team' : `team ${team}`}${shape === null ? '' : `, ${shape}`}`;

/** Throws `not_found`. */
export async function findJob(queue: Queue, id: string): Promise<Job> {
  const job = /^\d{1,15}$/.test(id) ? await queue.find(Number(id)) : await queue.get(runTopic, id);
  if (job?.topic === runTopic) return job;
  throw new SondeError('not_found', {
    message: `There is no job ${id}`,
    remedy: 'sonde queue ls lists waiting and running jobs, with --dead failed ones.',
  });
}

export async function showJob(
  queue: Queue,
  id: string,
): Promise<QueuedJob & Pick<Job, 'payload' | 'result'>> {
  const job = await findJob(queue, id);
  const runningJobs = await queue.list({ topic: runTopic, states: ['running'], max: 10_000 });
  const now = {
    running: runningJobs.jobs,
    rules: await queue.rules(runTopic),
    workers: await queue.workers(),
  };
  return { ...toQueuedJob(job, now), payload: job.payload, result: job.result };
}

export interface Scope {
  readonly team?: string;
  readonly shape?: string;
}

/** Changes the given fields of the rule for a team and a kind of run, and keeps the others. */
export async function changeRule(
  queue: Queue,
  { team, shape }: Scope,
  change: Partial<Pick<QueueRule, 'max' | 'paused'>>,
  actor?: Actor,
): Promise<QueueRule> {
  const ruleScope = { topic: runTopic, team: team ?? null, shape: shape ?? null };
  const existingRule = (await queue.rules(runTopic)).find(
    (rule) => rule.team === ruleScope.team && rule.shape === ruleScope.shape,
  );
  const rule = { max: null, paused: false, ...existingRule, ...ruleScope, ...change };
  await queue.setRule(rule, actor);
  return rule;
}

/** Cancels a job, even a running one. A worker returns the unspent budget to the team. */
export async function cancelJob(queue: Queue, id: string, actor?: Actor): Promise<Job> {
  const job = await findJob(queue, id);
  // The return job is queued first: if this process dies before the cancel, it has no effect on the open run.
  if (job.team !== '' && openStates.includes(job.state)) await queue.enqueue([createReturnJob(job)]);
  return queue.cancel(job.id, actor);
}

/**
 * Queues a failed run or group of alerts again; without an id all failed ones. Throws `not_found`, and `run_state` if it
 * has not failed.
 */
export async function retryJobs(
  queue: Queue,
  id: string | undefined,
  actor?: Actor,
): Promise<readonly Job[]> {
  if (id !== undefined) {
    const jobById = /^\d{1,15}$/.test(id) ? await queue.find(Number(id)) : null;
    const job = jobById?.topic === groupTopic ? jobById : await findJob(queue, id);
    return [await queue.reopen(job.id, actor)];
  }
  const reopenedJobs: Job[] = [];
  for (const topic of [runTopic, groupTopic]) {
    const { jobs } = await queue.list({ topic, states: ['failed'], max: 100_000 });
    for (const job of jobs) reopenedJobs.push(await queue.reopen(job.id, actor));
  }
  return reopenedJobs;
}

/** Adds a job and returns it. Its key is the id of the run that a worker will start. */
export async function addRun(queue: Queue, order: RunOrder, actor?: Actor): Promise<Job> {
  const [added] = await queue.enqueue([createRunJob(order)], actor && { by: actor });
  if (added !== undefined && added.kind !== 'full') return added.job;
  throw new SondeError('run_state', { message: 'The queue is full', remedy: 'Try again later.' });
}
