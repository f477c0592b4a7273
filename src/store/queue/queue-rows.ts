/**
 * The queue in SQLite, with synchronous calls, so that a schedule can add fires and set its next time in one
 * transaction.
 */
import type { Clock } from '../../core/index.ts';
import { throwLeaseLost } from '../../core/pools.ts';
import type { Actor } from '../audit.ts';
import type { Database, Row } from '../database.ts';
import { checkLiveness, type Holder } from '../holder.ts';
import { recordAct } from '../sqlite/sqlite-writes.ts';
import { chooseJobs, createTeamTurns, type QueuedCandidate, type RunningJob } from './choose-jobs.ts';
import type {
  Claim,
  ClaimRequest,
  EnqueueResult,
  EnqueueTerms,
  Job,
  NewJob,
  QueueRule,
  QueueWorker,
  Settlement,
} from './queue.ts';
import { queueReads, toJob } from './queue-reads.ts';
import {
  createQueueAct,
  createRuleAct,
  isKeyTaken,
  isOver,
  settleJob,
  throwWrongState,
} from './queue-rules.ts';

export interface QueueRowsOptions {
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly holder: Holder;
  /** Identifies the queue within its process, which may have several. */
  readonly name: string;
}

export type QueueRows = ReturnType<typeof queueRows>;

export function queueRows(db: Database, { clock, leaseMs, holder, name }: QueueRowsOptions) {
  const reads = queueReads(db);
  const { readRow, getJob, findNewest, countWaiting } = reads;
  const teams = createTeamTurns();
  const thisHolder = JSON.stringify({ ...holder, name });
  /** Ids of jobs that were claimed here and may be unsettled. */
  const claimedIds = new Set<number>();

  function insert(job: NewJob): Job {
    const now = clock.now();
    const { topic, key, group = null, inTurn = false, priority = 0, due = now, payload } = job;
    const { team = '', shape = '', needs = null } = job;
    const id = db.insert(
      `INSERT INTO queue_jobs (topic, key, job_group, in_turn, priority, due, team, shape, needs, payload, state, created, updated)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?, ?)`,
      topic,
      key,
      group,
      inTurn ? 1 : 0,
      priority,
      due,
      team,
      shape,
      needs,
      JSON.stringify(payload ?? null),
      now,
      now,
    );
    return getJob(id);
  }

  function enqueue(
    jobs: readonly NewJob[],
    { maxWaiting = Number.POSITIVE_INFINITY, by }: EnqueueTerms = {},
  ): readonly EnqueueResult[] {
    const roomByTopic = new Map<string, number>();
    const countLeft = (topic: string): number => {
      const left =
        roomByTopic.get(topic) ??
        maxWaiting - (maxWaiting === Number.POSITIVE_INFINITY ? 0 : countWaiting(topic));
      roomByTopic.set(topic, left);
      return left;
    };
    return db.atomic(() =>
      jobs.map((job): EnqueueResult => {
        const existing = findNewest(job.topic, job.key);
        if (existing !== null && isKeyTaken(existing, job, clock.now()))
          return { kind: 'known', job: existing };
        if (countLeft(job.topic) <= 0) return { kind: 'full' };
        roomByTopic.set(job.topic, countLeft(job.topic) - 1);
        recordAct(db, by, createQueueAct(job), clock.now());
        return { kind: 'added', job: insert(job) };
      }),
    );
  }

  const listRunning = (topic: string): readonly Row[] =>
    db.all(
      "SELECT id, deaths, team, shape, holder, expires FROM queue_jobs WHERE topic = ? AND state = 'running'",
      topic,
    );

  /** Whether the job's holder is gone. A queue never loses a job to itself, even if the lease has expired. */
  const isLost = ({ holder: jobHolder, expires }: Row): boolean =>
    jobHolder !== thisHolder &&
    (jobHolder === null ||
      Number(expires) <= clock.now() ||
      checkLiveness(JSON.parse(String(jobHolder)) as Holder) === 'dead');

  /** Puts jobs whose holder is gone back into the queue, with a new fence. Counts a death if the row names a holder. */
  function requeueLost(topic: string): readonly number[] {
    const lost = listRunning(topic).filter(isLost);
    for (const { id, holder: jobHolder } of lost) {
      db.run(
        "UPDATE queue_jobs SET state = 'waiting', holder = NULL, fence = fence + 1, deaths = deaths + ?, updated = ? WHERE id = ?",
        jobHolder === null ? 0 : 1,
        clock.now(),
        Number(id),
      );
      claimedIds.delete(Number(id));
    }
    return lost.map(({ id }) => Number(id));
  }

  const hasDueJob = (topic: string): boolean =>
    db.get(
      "SELECT 1 FROM queue_jobs WHERE topic = ? AND state = 'waiting' AND due <= ? LIMIT 1",
      topic,
      clock.now(),
    ) !== undefined;

  /** The first jobs of each kind that are due and whose turn in their group has come. */
  function listCandidates(topic: string, max: number): readonly QueuedCandidate[] {
    const kinds = db.all(
      "SELECT DISTINCT team, shape, needs FROM queue_jobs WHERE topic = ? AND state = 'waiting'",
      topic,
    );
    const buildSelect = (test: string) => `
      SELECT id, team, shape, needs, priority, due, deaths FROM queue_jobs AS job
      WHERE topic = ?1 AND state = 'waiting' AND team = ?2 AND shape = ?3 AND needs IS ?4 AND due <= ?5 AND ${test}
        AND (in_turn = 0 OR NOT EXISTS (
          SELECT 1 FROM queue_jobs AS other
          WHERE other.topic = job.topic AND other.job_group = job.job_group AND other.in_turn = 1
            AND (other.state = 'running'
              OR (other.state = 'waiting' AND (other.priority, other.id) < (job.priority, job.id)))))
      ORDER BY priority, due, id LIMIT ?6`;
    return kinds.flatMap(({ team, shape, needs }) =>
      ['deaths = 0', 'deaths > 0'].flatMap(
        (test) =>
          db.all(
            buildSelect(test),
            topic,
            String(team),
            String(shape),
            needs as string | null,
            clock.now(),
            max,
          ) as unknown as readonly QueuedCandidate[],
      ),
    );
  }

  function take(id: number): Claim {
    db.run(
      "UPDATE queue_jobs SET state = 'running', holder = ?, expires = ?, fence = fence + 1, updated = ? WHERE id = ?",
      thisHolder,
      clock.now() + leaseMs,
      clock.now(),
      id,
    );
    claimedIds.add(id);
    const row = readRow(id)!;
    teams.recordTurn(String(row['team']));
    return Object.freeze({ job: toJob(row), fence: Number(row['fence']) });
  }

  function claim(request: ClaimRequest): readonly Claim[] {
    const { topic, max, abandoned: onlyLost = false } = request;
    // Polling starts no transaction if there is nothing to claim.
    if (!listRunning(topic).some(isLost) && (onlyLost || !hasDueJob(topic))) return [];
    return db.atomic(() => {
      const lost = requeueLost(topic);
      if (onlyLost) return lost.slice(0, max).map(take);
      // LIMIT -1 means no limit in SQLite.
      const limit = Number.isFinite(max) ? max : -1;
      const atWork = listRunning(topic) as unknown as readonly RunningJob[];
      return chooseJobs(listCandidates(topic, limit), atWork, reads.rules(topic), request, teams).map(
        ({ id }) => take(id),
      );
    });
  }

  function renew({ job: { id }, fence }: Claim, kept?: unknown): void {
    const sql = `UPDATE queue_jobs SET expires = ? ${kept === undefined ? '' : ', kept = ?'} WHERE id = ? AND fence = ? AND state = 'running'`;
    const values = kept === undefined ? [] : [JSON.stringify(kept)];
    if (db.run(sql, clock.now() + leaseMs, ...values, id, fence) === 0) throwLostJob(id, fence);
  }

  function settle({ job: { id }, fence }: Claim, settlement: Settlement): Job {
    return db.atomic(() => {
      const row = readRow(id);
      if (row === undefined || Number(row['fence']) !== fence) return throwLostJob(id, fence);
      const job = toJob(row);
      // A repeated call: the job is settled already.
      if (job.state !== 'running') return job;
      const { state, due, attempts, deaths, kept, result, error } = settleJob(job, settlement, clock.now());
      db.run(
        `UPDATE queue_jobs SET state = ?, due = ?, attempts = ?, deaths = ?, kept = ?, result = ?, error = ?, holder = NULL, updated = ?
         WHERE id = ?`,
        state,
        due,
        attempts,
        deaths,
        toJson(kept),
        toJson(result),
        toJson(error),
        clock.now(),
        id,
      );
      claimedIds.delete(id);
      return getJob(id);
    });
  }

  function cancel(id: number, by?: Actor): Job {
    return db.atomic(() => {
      const job = getJob(id);
      if (isOver(job)) throwWrongState(job, 'waiting or running');
      db.run(
        "UPDATE queue_jobs SET state = 'cancelled', holder = NULL, fence = fence + 1, updated = ? WHERE id = ?",
        clock.now(),
        id,
      );
      recordAct(db, by, { act: 'job_cancelled', on: job.key }, clock.now());
      return getJob(id);
    });
  }

  function reopen(id: number, by?: Actor): Job {
    return db.atomic(() => {
      const job = getJob(id);
      if (job.state !== 'failed') throwWrongState(job, 'failed');
      db.run(
        `UPDATE queue_jobs SET state = 'waiting', attempts = 0, deaths = 0, error = NULL, fence = fence + 1, due = ?, updated = ?
         WHERE id = ?`,
        clock.now(),
        clock.now(),
        id,
      );
      recordAct(db, by, { act: 'job_retried', on: job.key }, clock.now());
      return getJob(id);
    });
  }

  function hasten({ topic, group }: { readonly topic: string; readonly group: string }): void {
    const notDueYet = "topic = ? AND job_group = ? AND state = 'waiting' AND due > ?";
    const values = [topic, group, clock.now()] as const;
    if (db.get(`SELECT 1 FROM queue_jobs WHERE ${notDueYet}`, ...values) === undefined) return;
    db.run(`UPDATE queue_jobs SET due = ? WHERE ${notDueYet}`, clock.now(), ...values);
  }

  return {
    enqueue,
    claim,
    renew,
    settle,
    cancel,
    reopen,
    hasten,
    findNewest,
    find: reads.find,
    list: reads.list,
    counts: reads.counts,
    nextDue: reads.nextDue,
    rules: reads.rules,
    workers: () => reads.workers(clock.now()),
    setRule(rule: QueueRule, by?: Actor): void {
      const { topic, team, shape, max, paused } = rule;
      const ruleKey = [topic, JSON.stringify(team), JSON.stringify(shape)] as const;
      db.atomic(() => {
        if (max === null && !paused)
          db.run('DELETE FROM queue_rules WHERE topic = ? AND team = ? AND shape = ?', ...ruleKey);
        else
          db.run(
            'INSERT OR REPLACE INTO queue_rules VALUES (?, ?, ?, ?, ?)',
            ...ruleKey,
            max,
            paused ? 1 : 0,
          );
        recordAct(db, by, createRuleAct(rule), clock.now());
      });
    },
    announce(worker: Omit<QueueWorker, 'seen'>, forMs: number): void {
      const now = clock.now();
      db.atomic(() => {
        db.run('DELETE FROM queue_workers WHERE until <= ?', now);
        db.run(
          'INSERT OR REPLACE INTO queue_workers VALUES (?, ?, ?, ?)',
          worker.id,
          JSON.stringify(worker),
          now,
          now + forMs,
        );
      });
    },
    /** Removes the jobs of a group in any state; a worker of one of them gets `lease_lost`. */
    removeGroup(topic: string, group: string): void {
      db.run('DELETE FROM queue_jobs WHERE topic = ? AND job_group = ?', topic, group);
    },
    releaseAll(): void {
      if (claimedIds.size === 0) return;
      claimedIds.clear();
      db.run(
        "UPDATE queue_jobs SET state = 'waiting', holder = NULL, fence = fence + 1, updated = ? WHERE state = 'running' AND holder = ?",
        clock.now(),
        thisHolder,
      );
    },
  };
}

const throwLostJob = (id: number, fence: number): never => throwLeaseLost(`job ${id}`, fence);

const toJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
