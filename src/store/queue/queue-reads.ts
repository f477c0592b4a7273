/** Reads jobs from the queue in SQLite. */
import type { Database, Row } from '../database.ts';
import type { Job, JobQuery, QueueRule, QueueWorker } from './queue.ts';
import { throwNoJob } from './queue-rules.ts';

const columns =
  'id, topic, key, job_group, in_turn, priority, due, team, shape, needs, payload, state, attempts, deaths, kept, result, error, created, updated, fence, holder, expires';

export function queueReads(db: Database) {
  const readRow = (id: number): Row | undefined =>
    db.get(`SELECT ${columns} FROM queue_jobs WHERE id = ?`, id);
  const getJob = (id: number): Job => toJob(readRow(id) ?? throwNoJob(id));

  function findNewest(topic: string, key: string): Job | null {
    const row = db.get(
      `SELECT ${columns} FROM queue_jobs WHERE topic = ? AND key = ? ORDER BY id DESC LIMIT 1`,
      topic,
      key,
    );
    return row === undefined ? null : toJob(row);
  }

  const countWaiting = (topic: string): number =>
    Number(
      db.get("SELECT count(*) AS n FROM queue_jobs WHERE topic = ? AND state = 'waiting'", topic)?.['n'],
    );

  function list({ topic, states, group, max }: JobQuery): {
    readonly jobs: readonly Job[];
    readonly more: number;
  } {
    const where = [
      'topic = ?',
      ...(states === undefined ? [] : [`state IN (${states.map(() => '?').join(', ')})`]),
      ...(group === undefined ? [] : ['job_group = ?']),
    ].join(' AND ');
    const values = [topic, ...(states ?? []), ...(group === undefined ? [] : [group])];
    const jobs = db
      .all(`SELECT ${columns} FROM queue_jobs WHERE ${where} ORDER BY id DESC LIMIT ?`, ...values, max)
      .map(toJob);
    const total =
      jobs.length < max
        ? jobs.length
        : Number(db.get(`SELECT count(*) AS n FROM queue_jobs WHERE ${where}`, ...values)?.['n']);
    return { jobs, more: total - jobs.length };
  }

  return {
    readRow,
    getJob,
    findNewest,
    find(id: number): Job | null {
      const row = readRow(id);
      return row === undefined ? null : toJob(row);
    },
    countWaiting,
    list,
    counts: (topic: string): ReadonlyMap<string, number> =>
      new Map(
        db
          .all('SELECT state, count(*) AS n FROM queue_jobs WHERE topic = ? GROUP BY state', topic)
          .map(({ state, n }) => [String(state), Number(n)]),
      ),
    rules: (topic: string): readonly QueueRule[] =>
      db.all('SELECT * FROM queue_rules WHERE topic = ?', topic).map(toRule),
    workers: (now: number): readonly QueueWorker[] =>
      db.all('SELECT worker, seen FROM queue_workers WHERE until > ? ORDER BY id', now).map(toWorker),
    nextDue(topic: string): number | null {
      const due = db.get(
        "SELECT min(due) AS due FROM queue_jobs WHERE topic = ? AND state = 'waiting'",
        topic,
      )?.['due'];
      return due === null || due === undefined ? null : Number(due);
    },
  };
}

export const toRule = (row: Readonly<Record<string, unknown>>): QueueRule =>
  Object.freeze({
    topic: String(row['topic']),
    team: JSON.parse(String(row['team'])) as string | null,
    shape: JSON.parse(String(row['shape'])) as string | null,
    max: row['max'] === null ? null : Number(row['max']),
    paused: Number(row['paused']) === 1,
  });

export const toWorker = ({ worker, seen }: Readonly<Record<string, unknown>>): QueueWorker =>
  Object.freeze({ ...(JSON.parse(String(worker)) as QueueWorker), seen: Number(seen) });

const parseColumn = (value: unknown): unknown =>
  value === null || value === undefined ? null : JSON.parse(String(value));

export function toJob(row: Readonly<Record<string, unknown>>): Job {
  return Object.freeze({
    id: Number(row['id']),
    topic: String(row['topic']),
    key: String(row['key']),
    group: row['job_group'] === null ? null : String(row['job_group']),
    inTurn: Number(row['in_turn']) === 1,
    priority: Number(row['priority']),
    due: Number(row['due']),
    team: String(row['team']),
    shape: String(row['shape']),
    needs: row['needs'] === null ? null : String(row['needs']),
    payload: parseColumn(row['payload']),
    state: String(row['state']) as Job['state'],
    attempts: Number(row['attempts']),
    deaths: Number(row['deaths']),
    kept: parseColumn(row['kept']),
    result: parseColumn(row['result']),
    error: parseColumn(row['error']) as Job['error'],
    created: Number(row['created']),
    updated: Number(row['updated']),
  });
}
