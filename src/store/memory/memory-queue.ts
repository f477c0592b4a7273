/** The queue in memory, for tests. Several queues on one list of jobs are several workers of one queue. */
import type { Clock } from '../../core/index.ts';
import { throwLeaseLost } from '../../core/pools.ts';
import { chooseJobs, createTeamTurns } from '../queue/choose-jobs.ts';
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
import { isKeyTaken, isOver, settleJob, throwNoJob, throwWrongState } from '../queue/queue-rules.ts';

/** A stored job and its holder. */
interface QueueEntry {
  job: Job;
  fence: number;
  /** Null: not claimed. */
  holder: object | null;
  expires: number;
}

export type MemoryJobs = QueueEntry[] & {
  rules?: QueueRule[];
  workers?: Map<string, { readonly worker: QueueWorker; readonly until: number }>;
};

export interface MemoryQueueOptions {
  readonly clock: Clock;
  readonly leaseMs?: number;
  readonly jobs?: MemoryJobs;
  /** Whether this queue's process counts as dead. */
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
  const teams = createTeamTurns();
  const thisWorker: Worker = { isDead };
  jobs.rules ??= [];
  jobs.workers ??= new Map();
  const { rules, workers } = jobs;
  const listEntries = (topic: string): QueueEntry[] => jobs.filter(({ job }) => job.topic === topic);
  const listInState = (topic: string, state: JobState): QueueEntry[] =>
    listEntries(topic).filter(({ job }) => job.state === state);
  const findEntry = (id: number): QueueEntry => jobs.find(({ job }) => job.id === id) ?? throwNoJob(id);
  const copy = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value ?? null)) as Value;

  function changeEntry(entry: QueueEntry, changes: Partial<Job>): Job {
    entry.job = Object.freeze({ ...entry.job, ...copy(changes), updated: clock.now() });
    if (entry.job.state !== 'running') entry.holder = null;
    return entry.job;
  }

  function findOwned({ job: { id }, fence }: Claim): QueueEntry {
    const entry = jobs.find(({ job }) => job.id === id);
    if (entry === undefined || entry.fence !== fence) throwLeaseLost(`job ${id}`, fence);
    return entry;
  }

  function addJob(job: NewJob): Job {
    const now = clock.now();
    const { topic, key, group = null, inTurn = false, priority = 0, due = now, payload } = job;
    const { team = '', shape = '', needs = null } = job;
    const newFields = {
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
    const initialState = {
      state: 'waiting',
      attempts: 0,
      deaths: 0,
      kept: null,
      result: null,
      error: null,
    } as const;
    const id = (jobs.at(-1)?.job.id ?? 0) + 1;
    jobs.push({
      job: Object.freeze({ id, ...newFields, ...initialState }),
      fence: 0,
      holder: null,
      expires: 0,
    });
    return jobs.at(-1)!.job;
  }

  const isLost = ({ holder, expires }: QueueEntry): boolean =>
    holder !== thisWorker && (holder === null || expires <= clock.now() || (holder as Worker).isDead());

  const isBlocked = ({ job }: QueueEntry): boolean =>
    job.inTurn &&
    listEntries(job.topic).some(
      ({ job: other }) =>
        other.inTurn &&
        other.group === job.group &&
        (other.state === 'running' ||
          (other.state === 'waiting' && (other.priority - job.priority || other.id - job.id) < 0)),
    );

  function claimEntry(entry: QueueEntry): Claim {
    entry.fence += 1;
    entry.holder = thisWorker;
    entry.expires = clock.now() + leaseMs;
    teams.recordTurn(entry.job.team);
    return Object.freeze({ job: changeEntry(entry, { state: 'running' }), fence: entry.fence });
  }

  const findNewest = (topic: string, key: string): Job | null =>
    listEntries(topic).findLast(({ job }) => job.key === key)?.job ?? null;

  return Object.freeze({
    async enqueue(newJobs, { maxWaiting = Number.POSITIVE_INFINITY } = {}) {
      return newJobs.map((job) => {
        const existing = findNewest(job.topic, job.key);
        if (existing !== null && isKeyTaken(existing, job, clock.now()))
          return { kind: 'known', job: existing } as const;
        if (listInState(job.topic, 'waiting').length >= maxWaiting) return { kind: 'full' } as const;
        return { kind: 'added', job: addJob(job) } as const;
      });
    },
    async claim(request) {
      const { topic, max, abandoned: onlyLost = false } = request;
      const lostEntries = listInState(topic, 'running').filter(isLost);
      for (const entry of lostEntries) {
        entry.fence += 1;
        changeEntry(entry, { state: 'waiting', deaths: entry.job.deaths + 1 });
      }
      if (onlyLost) return lostEntries.slice(0, max).map(claimEntry);
      const waiting = listInState(topic, 'waiting').filter(
        (entry) => entry.job.due <= clock.now() && !isBlocked(entry),
      );
      const chosen = chooseJobs(
        waiting.map(({ job }) => job),
        listInState(topic, 'running').map(({ job }) => job),
        rules.filter((rule) => rule.topic === topic),
        request,
        teams,
      );
      return chosen.map(({ id }) => claimEntry(findEntry(id)));
    },
    async renew(claim, kept) {
      const entry = findOwned(claim);
      if (entry.job.state !== 'running') throwLeaseLost(`job ${claim.job.id}`, claim.fence);
      entry.expires = clock.now() + leaseMs;
      if (kept !== undefined) entry.job = Object.freeze({ ...entry.job, kept: copy(kept) });
    },
    async settle(claim, settlement) {
      const entry = findOwned(claim);
      return entry.job.state === 'running'
        ? changeEntry(entry, settleJob(entry.job, settlement, clock.now()))
        : entry.job;
    },
    async cancel(id) {
      const entry = findEntry(id);
      if (isOver(entry.job)) throwWrongState(entry.job, 'waiting or running');
      entry.fence += 1;
      return changeEntry(entry, { state: 'cancelled' });
    },
    async reopen(id) {
      const entry = findEntry(id);
      if (entry.job.state !== 'failed') throwWrongState(entry.job, 'failed');
      entry.fence += 1;
      return changeEntry(entry, { state: 'waiting', attempts: 0, deaths: 0, error: null, due: clock.now() });
    },
    async hasten({ topic, group }) {
      for (const entry of listInState(topic, 'waiting'))
        if (entry.job.group === group && entry.job.due > clock.now())
          entry.job = Object.freeze({ ...entry.job, due: clock.now() });
    },
    get: async (topic, key) => findNewest(topic, key),
    find: async (id) => jobs.find(({ job }) => job.id === id)?.job ?? null,
    async list({ topic, states, group, max }) {
      const matchingJobs = listEntries(topic)
        .map(({ job }) => job)
        .filter(
          (job) => states?.includes(job.state) !== false && (group === undefined || job.group === group),
        )
        .toReversed();
      return { jobs: matchingJobs.slice(0, max), more: Math.max(0, matchingJobs.length - max) };
    },
    counts: async (topic) =>
      Object.fromEntries(jobStates.map((state) => [state, listInState(topic, state).length])) as Awaited<
        ReturnType<Queue['counts']>
      >,
    nextDue: async (topic) =>
      listInState(topic, 'waiting').reduce<number | null>(
        (first, { job: { due } }) => (first === null || due < first ? due : first),
        null,
      ),
    async setRule(rule) {
      const otherRules = rules.filter(
        ({ topic, team, shape }) => topic !== rule.topic || team !== rule.team || shape !== rule.shape,
      );
      rules.splice(0, rules.length, ...otherRules, ...(rule.max === null && !rule.paused ? [] : [rule]));
    },
    rules: async (topic) => rules.filter((rule) => rule.topic === topic),
    async announce(worker, forMs) {
      workers.set(worker.id, { worker: { ...worker, seen: clock.now() }, until: clock.now() + forMs });
    },
    workers: async () =>
      [...workers.values()].filter(({ until }) => until > clock.now()).map(({ worker }) => worker),
    async close() {
      for (const entry of jobs.filter(({ holder }) => holder === thisWorker)) {
        entry.fence += 1;
        changeEntry(entry, { state: 'waiting' });
      }
    },
  } satisfies Queue);
}
