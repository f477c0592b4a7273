/**
 * The queue in PostgreSQL. A claim reads the waiting jobs, chooses among them with the code that all engines share, and
 * succeeds only if no job of the topic was claimed meanwhile. Times are those of the database's clock.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../core/index.ts';
import { throwLeaseLost } from '../../../core/pools.ts';
import type { ActName, Actor } from '../../audit.ts';
import { checkLiveness, type Holder, thisProcess } from '../../holder.ts';
import {
  chooseJobs,
  createTeamTurns,
  type QueuedCandidate,
  type RunningJob,
} from '../../queue/choose-jobs.ts';
import {
  type Claim,
  type ClaimRequest,
  type EnqueueResult,
  type Job,
  type JobState,
  jobStates,
  type NewJob,
  type Queue,
} from '../../queue/queue.ts';
import {
  createQueueAct,
  createRuleAct,
  isOver,
  throwNoJob,
  throwWrongState,
} from '../../queue/queue-rules.ts';
import type { PostgresDatabase, Row, Statement } from '../database.ts';
import { escapeNul } from '../escape-nul.ts';
import { writerVersion } from '../schema/schema.ts';
import { codeOf, raisedCodes } from '../store-errors.ts';
import { recordAct } from '../team/postgres-audit.ts';
import { queueEnds } from './queue-ends.ts';
import { queueReads, selectJobs, toStoredJob } from './queue-reads.ts';

export interface PostgresQueueOptions {
  readonly leaseMs?: number;
  /** Replaces the clock of the database in tests. */
  readonly clock?: Clock;
  readonly holder?: Holder;
}

export function postgresQueue(
  db: PostgresDatabase,
  { leaseMs = 30_000, clock, holder = thisProcess() }: PostgresQueueOptions = {},
): Queue {
  const teams = createTeamTurns();
  const thisHolder = JSON.stringify({ ...holder, name: randomUUID() });
  const now = (): number | null => clock?.now() ?? null;
  const reads = queueReads(db, now);
  const ends = queueEnds(db, { leaseMs, now });

  const isLost = ({ holder: jobHolder, late }: Row): boolean =>
    jobHolder !== thisHolder &&
    (jobHolder === null ||
      late === true ||
      checkLiveness(JSON.parse(String(jobHolder)) as Holder) === 'dead');

  /** Puts lost jobs back into the queue, each with a new fence. Returns those that were still running. */
  async function requeue(rows: readonly Row[]): Promise<readonly Row[]> {
    return db.ask({
      name: 'take jobs back',
      text: `UPDATE queue_jobs q SET state = 'waiting', holder = NULL, fence = q.fence + 1, deaths = deaths + 1,
          updated = coalesce($3::bigint, now_ms())
        FROM unnest($1::bigint[], $2::bigint[]) AS a (id, fence)
        WHERE q.id = a.id AND q.fence = a.fence AND q.state = 'running'
        RETURNING q.id, q.fence, q.topic, q.team, q.shape, q.deaths`,
      values: [rows.map(({ id }) => id), rows.map(({ fence }) => fence), now()],
    });
  }

  async function take(
    topic: string,
    version: number,
    jobs: readonly { readonly id: number; readonly fence: number }[],
  ): Promise<readonly Claim[] | null> {
    const values = [
      ...[topic, version, jobs.map(({ id }) => id), jobs.map(({ fence }) => fence), thisHolder, leaseMs],
      ...[randomUUID(), now(), writerVersion],
    ];
    const text = 'SELECT * FROM queue_take($1, $2, $3::bigint[], $4::bigint[], $5, $6, $7, $8, $9)';
    try {
      const [rows] = await db.transact([{ name: 'take jobs', text, values }]);
      const positions = new Map(jobs.map(({ id }, nth) => [id, nth]));
      return rows!
        .map((row): Claim => Object.freeze({ job: toStoredJob(row), fence: Number(row['fence']) }))
        .toSorted((a, b) => (positions.get(a.job.id) ?? 0) - (positions.get(b.job.id) ?? 0));
    } catch (thrown) {
      if (codeOf(thrown) === raisedCodes.decidedMeanwhile) return null;
      throw thrown;
    }
  }

  async function claim(request: ClaimRequest): Promise<readonly Claim[]> {
    const { topic, abandoned: onlyLost = false } = request;
    const max = Number.isFinite(request.max) ? request.max : 1_000;
    const requeuedIds = new Set<number>();
    for (;;) {
      const { version, running, rules, waiting } = await reads.readForClaim(topic, max);
      const lost = running.filter(isLost);
      if (lost.length > 0) {
        for (const { id } of await requeue(lost)) requeuedIds.add(Number(id));
        continue;
      }
      const chosen = onlyLost
        ? (await reads.filterWaiting([...requeuedIds])).slice(0, max)
        : chooseJobs(
            waiting as unknown as readonly (QueuedCandidate & { readonly fence: number })[],
            running as unknown as readonly RunningJob[],
            rules,
            { ...request, max },
            teams,
          );
      if (chosen.length === 0) return [];
      const claims = await take(topic, version, chosen as readonly { id: number; fence: number }[]);
      if (claims !== null) {
        for (const { job } of claims) teams.recordTurn(job.team);
        return claims;
      }
      await sleep(Math.random() * 10);
    }
  }

  /**
   * Changes a job if its fence is the one that was read, and otherwise reads it again. A retry finds the change of its
   * own attempt.
   */
  async function change(
    id: number,
    check: (job: Job) => void,
    set: string,
    { act, by }: { readonly act: ActName; readonly by: Actor | undefined },
  ): Promise<Job> {
    const attempt = randomUUID();
    for (;;) {
      const [row] = await db.ask(selectJobs.byId(id));
      if (row === undefined) return throwNoJob(id);
      check(toStoredJob(row));
      const ownChange = {
        name: 'own change of a job',
        test: 'EXISTS (SELECT 1 FROM queue_jobs WHERE id = $1::bigint AND attempt = $2::text)',
        values: [id, attempt],
      };
      const [[changed]] = (await db.transact([
        {
          name: `change a job: ${act}`,
          text: `UPDATE queue_jobs SET ${set}, attempt = $3, updated = coalesce($4::bigint, now_ms()),
            fence = CASE WHEN attempt IS NOT DISTINCT FROM $3 THEN fence ELSE fence + 1 END
          WHERE id = $1 AND (fence = $2 OR attempt IS NOT DISTINCT FROM $3) RETURNING *`,
          values: [id, Number(row['fence']), attempt, now()],
        },
        ...recordAct(by, { act, on: toStoredJob(row).key }, ownChange),
      ])) as unknown as [readonly Row[]];
      if (changed !== undefined) return toStoredJob(changed);
    }
  }

  async function enqueueIn(
    topic: string,
    jobs: readonly NewJob[],
    { maxWaiting = null, by }: { readonly maxWaiting?: number | null; readonly by?: Actor | undefined },
  ): Promise<readonly EnqueueResult[]> {
    const asked = jobs.map((job, nth) => ({
      nth,
      key: escapeNul(job.key),
      job_group: job.group === undefined ? null : escapeNul(job.group),
      in_turn: job.inTurn === true ? 1 : 0,
      priority: job.priority ?? 0,
      due: job.due ?? null,
      team: job.team ?? '',
      shape: job.shape ?? '',
      needs: job.needs ?? null,
      // Serialised twice, so that NUL is escaped, which `text` can't contain.
      payload: JSON.stringify(job.payload ?? null),
      quiet: job.quietMs ?? null,
    }));
    const attempt = randomUUID();
    const [made] = await db.transact([
      {
        name: 'add jobs',
        text: 'SELECT * FROM queue_add($1, $2, $3, $4, $5, $6)',
        values: [topic, JSON.stringify(asked), maxWaiting, attempt, now(), writerVersion],
      },
      ...jobs.flatMap((job, nth) =>
        recordAct(by, createQueueAct(job), {
          name: 'own job',
          test: "EXISTS (SELECT 1 FROM queue_jobs WHERE attempt = $1::text AND state = 'waiting')",
          values: [`${attempt} ${nth}`],
        }),
      ),
    ]);
    const ids = made!.flatMap(({ id }) => (id === null ? [] : [Number(id)]));
    const found = new Map(
      (await db.ask(selectJobs.byIds(ids))).map((row) => [Number(row['id']), toStoredJob(row)]),
    );
    return made!.map(({ id, kind }) =>
      kind === 'full' ? { kind } : { kind: kind as 'added' | 'known', job: found.get(Number(id))! },
    );
  }

  return Object.freeze({
    async enqueue(jobs, { maxWaiting, by } = {}) {
      const results = new Map<NewJob, EnqueueResult>();
      for (const [topic, of] of Map.groupBy(jobs, (job) => job.topic)) {
        const enqueueResults = await enqueueIn(topic, of, { maxWaiting: maxWaiting ?? null, by });
        of.forEach((job, nth) => {
          results.set(job, enqueueResults[nth]!);
        });
      }
      return jobs.map((job) => results.get(job)!);
    },
    claim,
    async renew({ job: { id }, fence }, kept) {
      const renewed = await ends.renew({ id, fence, kept: kept === undefined ? null : JSON.stringify(kept) });
      if (!renewed) throwLostJob(id, fence);
    },
    async settle({ job, fence }, settlement) {
      const { id } = job;
      const settled = await ends.settle({ claim: { job, fence }, settlement });
      if (settled !== undefined) return toStoredJob(settled);
      const [row] = await db.ask(selectJobs.byId(id));
      if (row === undefined || Number(row['fence']) !== fence) return throwLostJob(id, fence);
      // The job is settled already: the answer was lost, and the statement was sent again.
      return toStoredJob(row);
    },
    cancel: (id, by) =>
      change(
        id,
        (job) => {
          if (isOver(job)) throwWrongState(job, 'waiting or running');
        },
        `state = 'cancelled', holder = NULL`,
        { act: 'job_cancelled', by },
      ),
    reopen: (id, by) =>
      change(
        id,
        (job) => {
          if (job.state !== 'failed') throwWrongState(job, 'failed');
        },
        `state = 'waiting', attempts = 0, deaths = 0, error = NULL, due = coalesce($4::bigint, now_ms())`,
        { act: 'job_retried', by },
      ),
    async hasten({ topic, group }) {
      await db.ask({
        name: 'hasten jobs',
        text: `UPDATE queue_jobs SET due = coalesce($3::bigint, now_ms())
          WHERE topic = $1 AND job_group = $2 AND state = 'waiting' AND due > coalesce($3::bigint, now_ms())`,
        values: [topic, escapeNul(group), now()],
      });
    },
    get: reads.findNewest,
    find: reads.find,
    list: reads.list,
    counts: async (topic) => {
      const counts = await reads.counts(topic);
      return Object.fromEntries(jobStates.map((state) => [state, counts.get(state) ?? 0])) as Record<
        JobState,
        number
      >;
    },
    nextDue: reads.nextDue,
    async setRule(rule, by) {
      const { topic, team, shape, max, paused } = rule;
      await db.transact([
        {
          name: 'set a rule',
          text: 'SELECT queue_rule($1, $2, $3, $4, $5, $6)',
          values: [
            ...[topic, JSON.stringify(team), JSON.stringify(shape), max, paused ? 1 : 0],
            writerVersion,
          ],
        },
        ...recordAct(by, createRuleAct(rule)),
      ]);
    },
    rules: reads.rules,
    async announce(worker, forMs) {
      await db.transact(announceStatements(JSON.stringify(worker), worker.id, forMs, now()));
    },
    workers: reads.workers,
    async close() {
      await db
        .ask({
          name: 'release jobs',
          text: `UPDATE queue_jobs SET state = 'waiting', holder = NULL, fence = fence + 1,
            updated = coalesce($2::bigint, now_ms()) WHERE state = 'running' AND holder = $1`,
          values: [thisHolder, now()],
        })
        .catch(() => {});
    },
  } satisfies Queue);
}

const announceStatements = (
  worker: string,
  id: string,
  forMs: number,
  at: number | null,
): readonly Statement[] => [
  {
    name: 'forget workers',
    text: 'DELETE FROM queue_workers WHERE until <= coalesce($1::bigint, now_ms())',
    values: [at],
  },
  {
    name: 'announce a worker',
    text: `INSERT INTO queue_workers (id, worker, seen, until)
      VALUES ($1, $2, coalesce($3::bigint, now_ms()), coalesce($3::bigint, now_ms()) + $4)
      ON CONFLICT (id) DO UPDATE SET worker = excluded.worker, seen = excluded.seen, until = excluded.until`,
    values: [id, worker, at, forMs],
  },
];

const throwLostJob = (id: number, fence: number): never => throwLeaseLost(`job ${id}`, fence);
