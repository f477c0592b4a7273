/** The queue without a disk, for tests: several opened on one list of jobs are several workers of one queue. */
import type { Clock } from '../../core/index.ts';
import { throwLeaseLost } from '../../core/pools.ts';
import { choose } from '../queue/choice.ts';
import {
  type Claim,
  type Job,
  type JobState,
  jobStates,
  type NewJob,
  type Queue,
  type QueueRule,
  type QueueWorker,
} from '../queue/queue.ts';
import { isOver, isSame, noJob, settleJob, wrongState } from '../queue/queue-rules.ts';

interface ClaimedJob {
  job: Job;
  fence: number;
  /** Null: not claimed. */
  holder: object | null;
  expires: number;
}

export type HeldJobs = ClaimedJob[] & {
  rules?: QueueRule[];
  workers?: Map<string, { readonly worker: QueueWorker; readonly until: number }>;
};

export interface MemoryQueueOptions {
  readonly clock: Clock;
  readonly leaseMs?: number;
  readonly jobs?: HeldJobs;
  /** Whether its holder has died. */
  readonly isDead?: () => boolean;
}

interface Worker {
  readonly isDead: () => boolean;
}

export function memoryQueue({
  clock,
  leaseMs = 30_000,
  jobs = [],
  isDead = () => false,
}: MemoryQueueOptions): Queue {
  const me: Worker = { isDead };
  jobs.rules ??= [];
  jobs.workers ??= new Map();
  const { rules, workers } = jobs;
  const of = (topic: string): ClaimedJob[] => jobs.filter(({ job }) => job.topic === topic);
  const inState = (topic: string, state: JobState): ClaimedJob[] =>
    of(topic).filter(({ job }) => job.state === state);
  const at = (id: number): ClaimedJob => jobs.find(({ job }) => job.id === id) ?? noJob(id);
  const copy = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value ?? null)) as Value;

  function change(claimedJob: ClaimedJob, more: Partial<Job>): Job {
    claimedJob.job = Object.freeze({ ...claimedJob.job, ...copy(more), updated: clock.now() });
    if (claimedJob.job.state !== 'running') claimedJob.holder = null;
    return claimedJob.job;
  }

  function findOwned({ job: { id }, fence }: Claim): ClaimedJob {
    const claimedJob = jobs.find(({ job }) => job.id === id);
    if (claimedJob === undefined || claimedJob.fence !== fence) throwLeaseLost(`job ${id}`, fence);
    return claimedJob;
  }

  function add(job: NewJob): Job {
    const now = clock.now();
    const { topic, key, group = null, inTurn = false, priority = 0, due = now, payload } = job;
    const { team = '', shape = '', needs = null } = job;
    const fresh = {
      topic,
      key,
      group,
      inTurn,
      priority,
      due,
      team,
      shape,
      needs,
      payload: copy(payload),
      created: now,
      updated: now,
    };
    const rest = { state: 'waiting', attempts: 0, deaths: 0, kept: null, result: null, error: null } as const;
    const id = (jobs.at(-1)?.job.id ?? 0) + 1;
    jobs.push({ job: Object.freeze({ id, ...fresh, ...rest }), fence: 0, holder: null, expires: 0 });
    return jobs.at(-1)!.job;
  }

  const isLost = ({ holder, expires }: ClaimedJob): boolean =>
    holder !== me && (holder === null || expires <= clock.now() || (holder as Worker).isDead());

  const inTheWay = ({ job }: ClaimedJob): boolean =>
    job.inTurn &&
    of(job.topic).some(
      ({ job: other }) =>
        other.inTurn &&
        other.group === job.group &&
        (other.state === 'running' ||
          (other.state === 'waiting' && (other.priority - job.priority || other.id - job.id) < 0)),
    );

  function take(claimedJob: ClaimedJob): Claim {
    claimedJob.fence += 1;
    claimedJob.holder = me;
    claimedJob.expires = clock.now() + leaseMs;
    return Object.freeze({ job: change(claimedJob, { state: 'running' }), fence: claimedJob.fence });
  }

  const newest = (topic: string, key: string): Job | null =>
    of(topic).findLast(({ job }) => job.key === key)?.job ?? null;

  return Object.freeze({
    async enqueue(newJobs, { maxWaiting = Number.POSITIVE_INFINITY } = {}) {
      return newJobs.map((job) => {
        const there = newest(job.topic, job.key);
        if (there !== null && isSame(there, job, clock.now())) return { kind: 'known', job: there } as const;
        if (inState(job.topic, 'waiting').length >= maxWaiting) return { kind: 'full' } as const;
        return { kind: 'added', job: add(job) } as const;
      });
    },
    async claim(request) {
      const { topic, max, lost: onlyLost = false } = request;
      const lost = inState(topic, 'running').filter(isLost);
      for (const claimedJob of lost) {
        claimedJob.fence += 1;
        change(claimedJob, { state: 'waiting', deaths: claimedJob.job.deaths + 1 });
      }
      if (onlyLost) return lost.slice(0, max).map(take);
      const waiting = inState(topic, 'waiting').filter(
        (held) => held.job.due <= clock.now() && !inTheWay(held),
      );
      const chosen = choose(
        waiting.map(({ job }) => job),
        inState(topic, 'running').map(({ job }) => job),
        rules.filter((rule) => rule.topic === topic),
        request,
      );
      return chosen.map(({ id }) => take(at(id)));
    },
    async renew(claim, kept) {
      const claimedJob = findOwned(claim);
      if (claimedJob.job.state !== 'running') throwLeaseLost(`job ${claim.job.id}`, claim.fence);
      claimedJob.expires = clock.now() + leaseMs;
      if (kept !== undefined) claimedJob.job = Object.freeze({ ...claimedJob.job, kept: copy(kept) });
    },
    async settle(claim, settlement) {
      const claimedJob = findOwned(claim);
      return claimedJob.job.state === 'running'
        ? change(claimedJob, settleJob(claimedJob.job, settlement, clock.now()))
        : claimedJob.job;
    },
    async cancel(id) {
      const claimedJob = at(id);
      if (isOver(claimedJob.job)) wrongState(claimedJob.job, 'waiting or running');
      claimedJob.fence += 1;
      return change(claimedJob, { state: 'cancelled' });
    },
    async reopen(id) {
      const claimedJob = at(id);
      if (claimedJob.job.state !== 'failed') wrongState(claimedJob.job, 'failed');
      claimedJob.fence += 1;
      return change(claimedJob, { state: 'waiting', attempts: 0, deaths: 0, error: null, due: clock.now() });
    },
    async hasten({ topic, group }) {
      for (const claimedJob of inState(topic, 'waiting'))
        if (claimedJob.job.group === group && claimedJob.job.due > clock.now())
          claimedJob.job = Object.freeze({ ...claimedJob.job, due: clock.now() });
    },
    get: async (topic, key) => newest(topic, key),
    find: async (id) => jobs.find(({ job }) => job.id === id)?.job ?? null,
    async list({ topic, states, group, max }) {
      const all = of(topic)
        .map(({ job }) => job)
        .filter(
          (job) => states?.includes(job.state) !== false && (group === undefined || job.group === group),
        )
        .toReversed();
      return { jobs: all.slice(0, max), more: Math.max(0, all.length - max) };
    },
    counts: async (topic) =>
      Object.fromEntries(jobStates.map((state) => [state, inState(topic, state).length])) as Awaited<
        ReturnType<Queue['counts']>
      >,
    nextDue: async (topic) =>
      inState(topic, 'waiting').reduce<number | null>(
        (first, { job: { due } }) => (first === null || due < first ? due : first),
        null,
      ),
    async setRule(rule) {
      const queueRules = rules.filter(
        ({ topic, team, shape }) => topic !== rule.topic || team !== rule.team || shape !== rule.shape,
      );
      rules.splice(0, rules.length, ...queueRules, ...(rule.max === null && !rule.paused ? [] : [rule]));
    },
    rules: async (topic) => rules.filter((rule) => rule.topic === topic),
    async announce(worker, forMs) {
      workers.set(worker.id, { worker: { ...worker, seen: clock.now() }, until: clock.now() + forMs });
    },
    workers: async () =>
      [...workers.values()].filter(({ until }) => until > clock.now()).map(({ worker }) => worker),
    async close() {
      for (const claimedJob of jobs.filter(({ holder }) => holder === me)) {
        claimedJob.fence += 1;
        change(claimedJob, { state: 'waiting' });
      }
    },
  } satisfies Queue);
}
