/** What the processes that share a store left in it, for whoever looks after them. It is only read. */
import pg from 'pg';
import type { HostBackup } from '../exchange.ts';
import type { QueueWorker } from '../queue/queue.ts';
import { type PostgresOptions, placeOf, poolOptions } from './connection.ts';
import { schemaState, workspaceSchemas } from './migrate.ts';
import { schemaSteps } from './schema.ts';
import { toStoreError } from './trouble.ts';

export interface TopicState {
  readonly topic: string;
  /** Those that could be taken now. */
  readonly waiting: number;
  /** How long the oldest of them could have been. Milliseconds; null: none waits. */
  readonly oldestMs: number | null;
  /** Paused by a rule for everything of the topic. */
  readonly paused: boolean;
  readonly running: number;
  /** Running, and nobody has renewed them in time; and for how long the first of them, in milliseconds. */
  readonly expired: number;
  readonly oldestExpiredMs: number | null;
  /** Failed for good, within the last day. */
  readonly dead: number;
}

export interface PlaceState {
  /** The schema. */
  readonly schema: string;
  readonly version: number;
  readonly pending: readonly string[];
  /** Empty where its schema is older than this program. */
  readonly topics: readonly TopicState[];
  /** Runs that somebody has taken. */
  readonly runs: { readonly held: number; readonly expired: number; readonly oldestExpiredMs: number | null };
}

export interface HostState extends PlaceState {
  /**
   * Null: nobody ever was its host. `worker`: the last that was. `overMs`: how long its lease is over; negative while it
   * holds; null: it was given back.
   */
  readonly host: { readonly worker: string; readonly overMs: number | null } | null;
  readonly backup: (HostBackup & { readonly ageMs: number }) | null;
}

export interface ClusterState {
  readonly place: string;
  /** This program's. */
  readonly needs: number;
  readonly team: PlaceState;
  readonly workspaces: readonly HostState[];
  /** `clockMs`: how far the clock of its machine was ahead of the database's; null: it did not say. */
  readonly workers: readonly (QueueWorker & { readonly clockMs: number | null })[];
  /** How far the clock here is ahead of the database's, and how much of that may be the way there. Milliseconds. */
  readonly clock: { readonly aheadMs: number; readonly sureMs: number };
}

/** `schemas`: only these workspaces. Throws `store_away` and the other errors of a store. */
export async function clusterState(
  options: PostgresOptions,
  schemas?: readonly string[],
): Promise<ClusterState> {
  const team = await placeState(options, 'sonde', readPlace);
  const workspaces: HostState[] = [];
  for (const schema of schemas ?? (await workspaceSchemas(options)))
    workspaces.push(await placeState(options, schema, readHost));
  const { workers, clock } = await reading(options, 'sonde', async (client) => ({
    clock: await readClock(client),
    workers: team.version === 0 ? [] : await readWorkers(client),
  }));
  return { place: placeOf(options.url), needs: schemaSteps.length, team, workspaces, workers, clock };
}

const unread = { topics: [], runs: { held: 0, expired: 0, oldestExpiredMs: null } };

async function placeState<Read extends object>(
  { url }: PostgresOptions,
  schema: string,
  read: (client: pg.Client) => Promise<Read>,
) {
  const { version, pending } = await schemaState({ url, schema });
  const found = pending.length > 0 ? null : await reading({ url }, schema, read);
  return { schema, version, pending, host: null, backup: null, ...unread, ...found };
}

async function readPlace(client: pg.Client) {
  const topics = await client.query(
    `SELECT topic,
       count(*) FILTER (WHERE state = 'waiting' AND due <= now_ms()) AS waiting,
       now_ms() - min(greatest(due, created)) FILTER (WHERE state = 'waiting' AND due <= now_ms()) AS oldest,
       count(*) FILTER (WHERE state = 'running') AS running,
       count(*) FILTER (WHERE state = 'running' AND expires < now_ms()) AS expired,
       now_ms() - min(expires) FILTER (WHERE state = 'running' AND expires < now_ms()) AS oldest_expired,
       count(*) FILTER (WHERE state = 'failed' AND updated > now_ms() - 86400000) AS dead,
       EXISTS (SELECT 1 FROM queue_rules r WHERE r.topic = j.topic AND r.team = 'null' AND r.shape = 'null'
         AND r.paused = 1) AS paused
     FROM queue_jobs j WHERE state IN ('waiting', 'running', 'failed') GROUP BY topic ORDER BY topic`,
  );
  const { rows } = await client.query(
    `SELECT count(*) AS held, count(*) FILTER (WHERE expires < now_ms()) AS expired,
       now_ms() - min(expires) FILTER (WHERE expires < now_ms()) AS oldest
     FROM leases JOIN runs ON runs.id = leases.run
     WHERE leases.host IS NOT NULL AND runs.status = 'running'`,
  );
  return {
    topics: topics.rows.map((row) => ({
      topic: String(row.topic),
      waiting: Number(row.waiting),
      oldestMs: row.oldest === null ? null : Number(row.oldest),
      paused: row.paused === true,
      running: Number(row.running),
      expired: Number(row.expired),
      oldestExpiredMs: row.oldest_expired === null ? null : Number(row.oldest_expired),
      dead: Number(row.dead),
    })),
    runs: {
      held: Number(rows[0].held),
      expired: Number(rows[0].expired),
      oldestExpiredMs: rows[0].oldest === null ? null : Number(rows[0].oldest),
    },
  };
}

async function readHost(client: pg.Client) {
  // What a host says of itself holds a key, which stays where it is.
  const seat = await client.query(
    `SELECT host IS NOT NULL AS held, now_ms() - expires AS over, about::json ->> 'worker' AS worker
     FROM leases LEFT JOIN host_about ON true WHERE run = 'host'`,
  );
  const copy = await client.query('SELECT backup, now_ms() - at AS age FROM host_backup');
  const [held] = seat.rows;
  const [newest] = copy.rows;
  return {
    ...(await readPlace(client)),
    host:
      held === undefined
        ? null
        : { worker: String(held.worker), overMs: held.held ? Number(held.over) : null },
    backup:
      newest === undefined
        ? null
        : { ...(JSON.parse(newest.backup) as HostBackup), ageMs: Number(newest.age) },
  };
}

async function readWorkers(client: pg.Client): Promise<ClusterState['workers']> {
  const { rows } = await client.query(
    'SELECT worker, seen FROM queue_workers WHERE until > now_ms() ORDER BY id',
  );
  return rows.map((row) => {
    const worker = JSON.parse(row.worker) as QueueWorker;
    const seen = Number(row.seen);
    return { ...worker, seen, clockMs: worker.clock === undefined ? null : worker.clock - seen };
  });
}

async function readClock(client: pg.Client): Promise<ClusterState['clock']> {
  const before = Date.now();
  const { rows } = await client.query('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now');
  const after = Date.now();
  return { aheadMs: Math.round((before + after) / 2 - Number(rows[0].now)), sureMs: after - before };
}

export async function reading<Value>(
  options: PostgresOptions,
  schema: string,
  work: (client: pg.Client) => Promise<Value>,
): Promise<Value> {
  const client = new pg.Client(poolOptions({ ...options, schema }));
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } catch (thrown) {
    throw toStoreError(placeOf(options.url), thrown);
  } finally {
    await client.end().catch(() => {});
  }
}
