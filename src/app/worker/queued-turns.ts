/** Lists and retries turns of conversations that wait for the hosts of their workspaces. */
import { SondeError } from '../../core/index.ts';
import type { Actor, Job, JobState, Queue } from '../../store/index.ts';
import { type QueuedRequest, requestTopic } from '../agent/requests/request-rows.ts';
import { type Configuration, storeAddress } from '../config/index.ts';

export interface QueuedTurn {
  /** The name of the workspace, from the schema of its conversations. */
  readonly workspace: string;
  readonly thread: string;
  /** The id of the message. */
  readonly message: string;
  readonly state: JobState | 'dead';
  readonly text: string;
  readonly deaths: number;
  /** ISO 8601, UTC. */
  readonly created: string;
  /** Why it waits or failed; null: neither. */
  readonly why: string | null;
}

const max = 200;

/** Lists waiting and running turns of all workspaces in the shared store, newest first. `dead`: failed ones instead. */
export async function listTurns(
  { values }: Pick<Configuration, 'values'>,
  { dead = false } = {},
): Promise<readonly QueuedTurn[]> {
  const { openPostgresHostChannel } = await import('../../store/postgres/index.ts');
  const url = storeAddress(values);
  return collectFromWorkspaces({ values }, async (queue, schema) => {
    const hostChannel = openPostgresHostChannel({ url, schema });
    try {
      return await listTurnsOf(queue, { schema, dead, isHosted: (await hostChannel.readAbout()) !== null });
    } finally {
      await hostChannel.close();
    }
  });
}

/** Queues the failed turn of this message again; without a message all failed turns. Throws as `reopen` does. */
export async function retryTurns(
  configuration: Pick<Configuration, 'values'>,
  message: string | undefined,
  by?: Actor,
): Promise<readonly QueuedTurn[]> {
  const reopened = await collectFromWorkspaces(configuration, (queue, schema) =>
    retryTurnsOf(queue, { schema, message, by }),
  );
  if (message === undefined || reopened.length > 0) return reopened;
  throw new SondeError('not_found', {
    message: `There is no job, group of alerts or message ${message}`,
    remedy: 'sonde queue ls --dead lists those that failed.',
  });
}

export async function retryTurnsOf(
  queue: Pick<Queue, 'list' | 'get' | 'reopen'>,
  {
    schema,
    message,
    by,
  }: { readonly schema: string; readonly message: string | undefined; readonly by?: Actor | undefined },
): Promise<readonly QueuedTurn[]> {
  const listFailed = async (): Promise<readonly Job[]> =>
    (await queue.list({ topic: requestTopic, states: ['failed'], max: 100_000 })).jobs;
  const foundJob = message === undefined ? null : await queue.get(requestTopic, message);
  const jobs = message === undefined ? await listFailed() : foundJob === null ? [] : [foundJob];
  const reopenedJobs: Job[] = [];
  for (const job of jobs) reopenedJobs.push(await queue.reopen(job.id, by));
  return reopenedJobs.map((job) => toQueuedTurn(job, schema, null));
}

async function collectFromWorkspaces<Row>(
  { values }: Pick<Configuration, 'values'>,
  collect: (queue: Queue, schema: string) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const { openPostgresQueue, listWorkspaceSchemas } = await import('../../store/postgres/index.ts');
  const url = storeAddress(values);
  const rows: Row[] = [];
  for (const schema of await listWorkspaceSchemas({ url })) {
    const queue = openPostgresQueue({ url, schema });
    try {
      rows.push(...(await collect(queue, schema)));
    } finally {
      await queue.close();
    }
  }
  return rows;
}

export async function listTurnsOf(
  queue: Pick<Queue, 'list'>,
  { schema, dead, isHosted }: { readonly schema: string; readonly dead: boolean; readonly isHosted: boolean },
): Promise<readonly QueuedTurn[]> {
  const states: readonly JobState[] = dead ? ['failed'] : ['waiting', 'running'];
  const { jobs } = await queue.list({ topic: requestTopic, states, max });
  return jobs.map((job) =>
    toQueuedTurn(
      job,
      schema,
      job.state === 'waiting' ? whyTurnWaits(job, jobs, isHosted) : (job.error?.message ?? null),
    ),
  );
}

const toQueuedTurn = (job: Job, schema: string, why: string | null): QueuedTurn => ({
  workspace: schema.replace(/^sonde_w_/, ''),
  ...{ thread: job.group ?? '', message: job.key, deaths: job.deaths },
  state: job.state === 'failed' ? 'dead' : job.state,
  text: toText(job.payload as QueuedRequest),
  created: new Date(job.created).toISOString(),
  why,
});

function whyTurnWaits(job: Job, allJobs: readonly Job[], isHosted: boolean): string {
  if (!isHosted) return 'no worker hosts the workspace: start one with sonde worker --workspaces';
  const isBefore = (other: Job): boolean =>
    other.state === 'running' || other.priority < job.priority || other.id < job.id;
  const hasEarlier = allJobs.some(
    (other) => other.group === job.group && other.id !== job.id && isBefore(other),
  );
  return hasEarlier ? 'waits for its turn in the conversation' : 'waits for the agent';
}

const toText = (request: QueuedRequest): string =>
  request.kind === 'message' ? request.text : request.kind === 'answer' ? 'an answer' : 'continue';
