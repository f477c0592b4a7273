/** Reads jobs in PostgreSQL. */
import type { Job, JobQuery, QueueRule } from '../../queue/queue.ts';
import { toJob, toRule, toWorker } from '../../queue/queue-reads.ts';
import type { PostgresDatabase, Row, Statement } from '../database.ts';
import { escapeNul, unescapeNul } from '../escape-nul.ts';

export function toStoredJob(row: Row): Job {
  const { key, job_group: group } = row;
  return toJob({
    ...row,
    key: unescapeNul(String(key)),
    job_group: group === null ? null : unescapeNul(String(group)),
  });
}

export const selectJobs = {
  byId: (id: number): Statement => ({
    name: 'job',
    text: 'SELECT *, now_ms() AS now FROM queue_jobs WHERE id = $1',
    values: [id],
  }),
  byIds: (ids: readonly number[]): Statement => ({
    name: 'jobs by id',
    text: 'SELECT * FROM queue_jobs WHERE id = ANY ($1::bigint[])',
    values: [ids],
  }),
};

const candidateColumns = 'id, team, shape, needs, priority, due, deaths, fence';

/** The kinds of waiting jobs: each is found by a jump in the index from the one before, however many jobs it has. */
const kindsSql = `kinds (team, shape, needs) AS (
    (SELECT team, shape, needs FROM queue_jobs WHERE topic = $1 AND state = 'waiting' ORDER BY 1, 2, 3 LIMIT 1)
    UNION ALL
    SELECT next.team, next.shape, next.needs FROM kinds, LATERAL (
      (SELECT 1 AS place, team, shape, needs FROM queue_jobs WHERE topic = $1 AND state = 'waiting'
        AND team = kinds.team AND shape = kinds.shape AND needs > kinds.needs ORDER BY needs LIMIT 1)
      UNION ALL (SELECT 2, team, shape, needs FROM queue_jobs WHERE topic = $1 AND state = 'waiting'
        AND team = kinds.team AND shape = kinds.shape AND needs IS NULL AND kinds.needs IS NOT NULL LIMIT 1)
      UNION ALL (SELECT 3, team, shape, needs FROM queue_jobs WHERE topic = $1 AND state = 'waiting'
        AND (team, shape) > (kinds.team, kinds.shape) ORDER BY team, shape, needs LIMIT 1)
      ORDER BY 1 LIMIT 1) AS next)`;

/**
 * The first due jobs of each kind whose turn in their group has come: some that were never lost, and some that were.
 * Each part reads only a few rows, in the order of an index.
 */
const candidatesSql = ['deaths = 0', 'deaths > 0']
  .flatMap((lost) => [`${lost} AND needs = kinds.needs`, `${lost} AND needs IS NULL AND kinds.needs IS NULL`])
  .map(
    (test) => `(SELECT first.* FROM kinds, LATERAL (
      SELECT ${candidateColumns} FROM queue_jobs AS job
      WHERE topic = $1 AND state = 'waiting' AND team = kinds.team AND shape = kinds.shape
        AND due <= (SELECT coalesce($2::bigint, now_ms())) AND ${test}
        AND (in_turn = 0 OR NOT EXISTS (
          SELECT 1 FROM queue_jobs AS other
          WHERE other.topic = job.topic AND other.job_group = job.job_group AND other.in_turn = 1
            AND (other.state = 'running'
              OR (other.state = 'waiting' AND (other.priority, other.id) < (job.priority, job.id)))))
      ORDER BY needs, priority, due, id LIMIT $3) AS first)`,
  )
  .join(' UNION ALL ');

export function queueReads(db: PostgresDatabase, now: () => number | null) {
  const selectRules = (topic: string): Statement => ({
    name: 'rules',
    text: 'SELECT * FROM queue_rules WHERE topic = $1',
    values: [topic],
  });

  return {
    /** Reads the version first: if a job is claimed during the other reads, the claim finds another version. */
    async readForClaim(topic: string, max: number) {
      const [versions, running, rules, waiting] = await db.transact([
        {
          name: 'version of a topic',
          text: 'SELECT version FROM queue_topics WHERE topic = $1',
          values: [topic],
        },
        {
          name: 'running jobs',
          text: `SELECT id, fence, team, shape, deaths, holder, expires <= coalesce($2::bigint, now_ms()) AS late
            FROM queue_jobs WHERE topic = $1 AND state = 'running' ORDER BY id`,
          values: [topic, now()],
        },
        selectRules(topic),
        {
          name: 'jobs that wait',
          text: `WITH RECURSIVE ${kindsSql} ${candidatesSql}`,
          values: [topic, now(), max],
        },
      ]);
      return {
        version: Number(versions?.[0]?.['version'] ?? 0),
        running: running!,
        rules: rules!.map(toRule),
        waiting: waiting!,
      };
    },
    async filterWaiting(ids: readonly number[]): Promise<readonly Row[]> {
      if (ids.length === 0) return [];
      return db.ask({
        name: 'waiting jobs by id',
        text: `SELECT ${candidateColumns} FROM queue_jobs WHERE id = ANY ($1::bigint[]) AND state = 'waiting' ORDER BY id`,
        values: [ids],
      });
    },
    async find(id: number): Promise<Job | null> {
      const [row] = await db.ask(selectJobs.byId(id));
      return row === undefined ? null : toStoredJob(row);
    },
    async findNewest(topic: string, key: string): Promise<Job | null> {
      const text = 'SELECT * FROM queue_jobs WHERE topic = $1 AND key = $2 ORDER BY id DESC LIMIT 1';
      const [row] = await db.ask({ name: 'newest job', text, values: [topic, escapeNul(key)] });
      return row === undefined ? null : toStoredJob(row);
    },
    async list({ topic, states, group, max }: JobQuery) {
      const where = `topic = $1 AND ($2::text[] IS NULL OR state = ANY ($2)) AND ($3::text IS NULL OR job_group = $3)`;
      const values = [topic, states ?? null, group === undefined ? null : escapeNul(group)];
      const [jobs, [count]] = (await db.transact([
        {
          name: 'list jobs',
          text: `SELECT * FROM queue_jobs WHERE ${where} ORDER BY id DESC LIMIT $4`,
          values: [...values, max],
        },
        { name: 'count jobs', text: `SELECT count(*) AS n FROM queue_jobs WHERE ${where}`, values },
      ])) as [readonly Row[], readonly Row[]];
      return { jobs: jobs.map(toStoredJob), more: Number(count?.['n']) - jobs.length };
    },
    async counts(topic: string): Promise<ReadonlyMap<string, number>> {
      const text = 'SELECT state, count(*) AS n FROM queue_jobs WHERE topic = $1 GROUP BY state';
      const rows = await db.ask({ name: 'job counts', text, values: [topic] });
      return new Map(rows.map(({ state, n }) => [String(state), Number(n)]));
    },
    async nextDue(topic: string): Promise<number | null> {
      const text = `SELECT min(due) AS due FROM queue_jobs WHERE topic = $1 AND state = 'waiting'`;
      const due = (await db.ask({ name: 'next due', text, values: [topic] }))[0]?.['due'];
      return due === null || due === undefined ? null : Number(due);
    },
    rules: async (topic: string): Promise<readonly QueueRule[]> =>
      (await db.ask(selectRules(topic))).map(toRule),
    async workers() {
      const text =
        'SELECT worker, seen FROM queue_workers WHERE until > coalesce($1::bigint, now_ms()) ORDER BY id';
      return (await db.ask({ name: 'workers', text, values: [now()] })).map(toWorker);
    },
  };
}
