/** The turns of conversations that wait for the hosts of workspaces, as people see them in the queue of a team. */
import type { Job, JobState, Queue } from '../../store/index.ts';
import { type DeskRequest, requestTopic } from '../agent/request-rows.ts';
import { type Configuration, storeAddress } from '../config/index.ts';

export interface QueuedTurn {
  /** As the schema is called that has the conversation. */
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

/** Those of all workspaces whose conversations are in the store, newest first. `dead`: failed ones instead. */
export async function listTurns(
  { values }: Pick<Configuration, 'values'>,
  { dead = false } = {},
): Promise<readonly QueuedTurn[]> {
  const { openPostgresExchange, openPostgresQueue, workspaceSchemas } = await import(
    '../../store/postgres/index.ts'
  );
  const url = storeAddress(values);
  const turns: QueuedTurn[] = [];
  for (const schema of await workspaceSchemas({ url })) {
    const queue = openPostgresQueue({ url, schema });
    const exchange = openPostgresExchange({ url, schema });
    try {
      turns.push(...(await turnsOf(queue, { schema, dead, hosted: (await exchange.host()) !== null })));
    } finally {
      await exchange.close();
      await queue.close();
    }
  }
  return turns;
}

export async function turnsOf(
  queue: Pick<Queue, 'list'>,
  { schema, dead, hosted }: { readonly schema: string; readonly dead: boolean; readonly hosted: boolean },
): Promise<readonly QueuedTurn[]> {
  const states: readonly JobState[] = dead ? ['failed'] : ['waiting', 'running'];
  const { jobs } = await queue.list({ topic: requestTopic, states, max });
  return jobs.map((job) => ({
    workspace: schema.replace(/^sonde_w_/, ''),
    ...{ thread: job.group ?? '', message: job.key, deaths: job.deaths },
    state: job.state === 'failed' ? 'dead' : job.state,
    text: textOf(job.payload as DeskRequest),
    created: new Date(job.created).toISOString(),
    why: job.state === 'waiting' ? whyTurnWaits(job, jobs, hosted) : (job.error?.message ?? null),
  }));
}

function whyTurnWaits(job: Job, all: readonly Job[], hosted: boolean): string {
  if (!hosted) return 'no worker has the workspace: sonde worker --workspaces';
  const isBefore = (other: Job): boolean =>
    other.state === 'running' || other.priority < job.priority || other.id < job.id;
  const before = all.some((other) => other.group === job.group && other.id !== job.id && isBefore(other));
  return before ? 'waits for its turn in the conversation' : 'waits for the agent';
}

const textOf = (request: DeskRequest): string =>
  request.kind === 'message' ? request.text : request.kind === 'answer' ? 'an answer' : 'goes on';
