/** A run that waits for a worker, as a job of the queue: what to ask about which repository. */
import { z } from 'zod';
import { runId, SondeError, systemClock } from '../../core/index.ts';
import type { Job, NewJob } from '../../store/index.ts';

export const runTopic = 'runs';

export const queuedRun = z.strictObject({
  /** The command for the question. */
  kind: z.enum(['ask', 'investigate']),
  question: z.string().min(1),
  repository: z.string().min(1),
  /** A commit, branch or tag; null: the repository's HEAD when the first worker takes the job. */
  commit: z.string().nullable(),
  scope: z.string().optional(),
  /** As the flags of the command. */
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
export function jobFor({
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
    key: runId(systemClock.now()),
    team,
    shape: kind,
    priority,
    needs: rest.repository,
    payload: payload.data,
  };
}

/**
 * Orders to return what a cancelled run holds of its team's budget: whoever cancels it may have no worker, and the
 * worker that had it may be dead.
 */
export const returnTopic = 'returns';

export const returnOrder = z.strictObject({ job: z.number() });

export const returnFor = ({ id }: Pick<Job, 'id'>): NewJob => ({
  topic: returnTopic,
  key: String(id),
  payload: { job: id },
  // Who cancels again, since the first try failed, makes a new order.
  quietMs: 0,
});

/** What a worker records for the next one. */
const left = z.object({
  /** The commit that the first worker resolved. */
  commit: z.string(),
  /** See `DeathsKept`; progress is the number of events of the run. */
  progress: z.number().nullable(),
  deaths: z.number(),
  crashes: z.number().default(0),
  /** What the run has drawn from the pool of its team. */
  pool: z.object({ nth: z.number(), drawn: z.number().nullable(), settled: z.number() }).optional(),
  /** How often it has waited for what other runs hold of its team's budget. */
  waits: z.number().optional(),
});
export type WorkerHandover = z.output<typeof left>;

export const readLeft = ({ kept }: Pick<Job, 'kept'>): WorkerHandover | null =>
  left.safeParse(kept).data ?? null;
