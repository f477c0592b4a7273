/** Rules that all engines of the queue share. */
import { SondeError } from '../../core/index.ts';
import type { Act } from '../audit.ts';
import type { Job, NewJob, QueueRule, Settlement } from './queue.ts';

type JobEnd = Pick<Job, 'state' | 'due' | 'attempts' | 'deaths' | 'kept' | 'result' | 'error'>;

/** The fields of a job after a settlement. */
export function settleJob(job: Job, settlement: Settlement, now: number): JobEnd {
  const { due, attempts, deaths, result, error } = job;
  const kept = settlement.kept === undefined ? job.kept : settlement.kept;
  const unchanged = { due, attempts, deaths, kept, result, error };
  switch (settlement.kind) {
    case 'done':
      return { ...unchanged, state: 'done', result: settlement.result ?? null, error: null };
    case 'failed':
      return { ...unchanged, state: 'failed', error: settlement.error };
    case 'retry': {
      const { afterMs } = settlement;
      return {
        ...unchanged,
        state: 'waiting',
        due: now + afterMs,
        attempts: attempts + 1,
        error: settlement.error,
      };
    }
    case 'release': {
      const { afterMs, error: why = error } = settlement;
      return { ...unchanged, state: 'waiting', due: afterMs === undefined ? due : now + afterMs, error: why };
    }
    case 'died':
      return { ...unchanged, state: 'waiting', deaths: deaths + 1 };
  }
}

/** Whether the key's newest job, in this state, keeps a new job with the key from being added. */
export function isKeyTaken(
  { state, updated }: Pick<Job, 'state' | 'updated'>,
  job: NewJob,
  now: number,
): boolean {
  switch (state) {
    case 'waiting':
    case 'running':
      return true;
    case 'cancelled':
      return false;
    case 'done':
      return job.quietMs === undefined || updated > now - job.quietMs;
    case 'failed':
      return job.quietMs === undefined;
  }
}

export const isOver = ({ state }: Pick<Job, 'state'>): boolean => state !== 'waiting' && state !== 'running';

export function throwNoJob(id: number): never {
  throw new SondeError('not_found', {
    message: `There is no job ${id}`,
    remedy: 'List the jobs there are.',
  });
}

export function throwWrongState({ id, state }: Pick<Job, 'id' | 'state'>, wanted: string): never {
  throw new SondeError('run_state', {
    message: `The job ${id} is ${state}, not ${wanted}`,
    remedy: 'Look at the job, and decide then.',
    details: { id, state },
  });
}

/** The act for the audit. The key of a run's job is the id of the run. */
export const createQueueAct = ({ key }: Pick<NewJob, 'key'>): Act => ({ act: 'run_queued', on: key });

export const createRuleAct = ({ team, shape, max, paused }: QueueRule): Act => ({
  act: 'queue_rule_set',
  on: `${team === null ? 'each team' : `team ${team}`}${shape === null ? '' : `, ${shape}`}`,
  result: paused ? 'paused' : max === null ? 'no limit' : `${max} at once`,
});
