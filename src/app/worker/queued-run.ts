/** A run as a job of the queue, with its question and the name of its repository. */
import { z } from 'zod';
import { createRunId, SondeError, systemClock } from '../../core/index.ts';
import type { Job, NewJob } from '../../store/index.ts';

export const runTopic = 'runs';

export const queuedRun = z.strictObject({
  /** The command that asks the question. */
  kind: z.enum(['ask', 'investigate']),
  question: z.string().min(1),
  repository: z.string().min(1),
  /** A commit, branch or tag; null: the repository's HEAD when the first worker takes the job. */
  commit: z.string().nullable(),
  scope: z.string().optional(),
  /** The flags of the command and their values. */
  settings: z.partialRecord(z.enum(['model', 'max_tokens', 'max_usd', 'max_time', 'steps']), z.string()),
});
export type QueuedRun = z.output<typeof queuedRun>;

export interface RunOrder extends Omit<QueuedRun, 'settings' | 'commit' | 'kind'> {
  readonly kind?: QueuedRun['kind'];
  readonly commit?: string;
  readonly settings?: QueuedRun['settings'];
  readonly team?: string;
  /** Lower numbers come first. */
  readonly priority?: number;
}

/** The key of the job is the run's id. Throws `bad_argument`. */
export function createRunJob({
  team = '',
  priority = 0,
  kind = 'ask',
  commit,
  settings = {},
  ...rest
}: RunOrder): NewJob {
  const payload = queuedRun.safeParse({ ...rest, kind, settings, commit: commit ?? null });
  if (!payload.success)
    throw new SondeError('bad_argument', {
      message: `The run can't be queued: ${z.prettifyError(payload.error).split('\n')[0]}`,
      remedy: 'Give a question and the name of a repository.',
    });
  return {
    topic: runTopic,
    key: createRunId(systemClock.now()),
    team,
    shape: kind,
    priority,
    needs: rest.repository,
    payload: payload.data,
  };
}

/**
 * Jobs that return the unspent budget of a cancelled run to its team. They are queued, since the worker of the run may be
 * dead.
 */
export const returnTopic = 'returns';

export const returnOrder = z.strictObject({ job: z.number() });

export const createReturnJob = ({ id }: Pick<Job, 'id'>): NewJob => ({
  topic: returnTopic,
  key: String(id),
  payload: { job: id },
  // 0, so that a second cancel queues a new job if the job of the first one has failed.
  quietMs: 0,
});

/** The data that a worker records with a job for the next worker. */
const handover = z.object({
  /** The commit that the first worker resolved. */
  commit: z.string(),
  /** See `DeathRecord`; progress is the number of events of the run. */
  progress: z.number().nullable(),
  deaths: z.number(),
  crashes: z.number().default(0),
  /** The amounts that the run has drawn from the budget of its team. */
  pool: z.object({ nth: z.number(), drawn: z.number().nullable(), settled: z.number() }).optional(),
  /** How often it has waited for budget that other runs have reserved. */
  waits: z.number().optional(),
});
export type WorkerHandover = z.output<typeof handover>;

export const readHandover = ({ kept }: Pick<Job, 'kept'>): WorkerHandover | null =>
  handover.safeParse(kept).data ?? null;
