/** Reads the state of a store that many processes share, for operators. Writes nothing. */
import type pg from 'pg';
import type { HostBackup } from '../../host-channel.ts';
import type { QueueWorker } from '../../queue/queue.ts';
import { frontName, type PostgresOptions, serverName } from '../connection.ts';
import { readDays } from '../runs/days.ts';
import { listWorkspaceSchemas, readSchemaState } from '../schema/migrate.ts';
import { schemaSteps } from '../schema/schema.ts';
import { withConnection } from '../with-connection.ts';
import { type ConnectedFront, listConnectedFronts } from './front-role.ts';

export interface TopicState {
  readonly topic: string;
  /** Waiting jobs that are due. */
  readonly waiting: number;
  /** How long the first of these has been due. Milliseconds; null: none waits. */
  readonly oldestMs: number | null;
  /** Whether a rule pauses all jobs of the topic. */
  readonly paused: boolean;
  readonly running: number;
  /** Running jobs whose lease has run out; `oldestExpiredMs`: how long ago the first lease ran out. */
  readonly expired: number;
  readonly oldestExpiredMs: number | null;
  /** Jobs that failed for good in the last 24 hours. */
  readonly dead: number;
}

export interface SchemaStatus {
  /** The name of the schema. */
  readonly schema: string;
  readonly version: number;
  readonly pending: readonly string[];
  /** Empty if the schema has pending steps, since its tables are not read then. */
  readonly topics: readonly TopicState[];
  /** Null if the schema has pending steps. */
  readonly days: DaysState | null;
  /** Unfinished runs that have a holder. */
  readonly runs: { readonly held: number; readonly expired: number; readonly oldestExpiredMs: number | null };
}

/** The days (UTC, as `2026-11-28`) that have tables of their own. */
export interface DaysState {
  readonly today: string;
  readonly made: readonly string[];
  /** Whether a run wrote on a day that had no tables. */
  readonly late: boolean;
}

export interface WorkspaceStatus extends SchemaStatus {
  /**
   * Null: the workspace never had a host. `worker`: its last host. `overMs`: how long ago the lease of this host ran
   * out; negative: the lease still holds; null: the host gave the lease back.
   */
  readonly host: { readonly worker: string; readonly overMs: number | null } | null;
  readonly backup: (HostBackup & { readonly ageMs: number }) | null;
}

export interface ClusterState {
  readonly place: string;
  /** The version of the schema that this program needs. */
  readonly needs: number;
  readonly team: SchemaStatus;
  readonly workspaces: readonly WorkspaceStatus[];
  /** The database roles of the connected fronts, and the number of teams, whose rows these roles must not mix. */
  readonly fronts: { readonly roles: readonly ConnectedFront[]; readonly teams: number };
  /** `clockMs`: how far the worker's clock was ahead of the database's; null: the worker did not report its clock. */
  readonly workers: readonly (QueueWorker & { readonly clockMs: number | null })[];
  /**
   * `aheadMs`: how far the clock here is ahead of the database's. `sureMs`: the duration of that query, and so the
   * maximum error of `aheadMs`.
   */
  readonly clock: { readonly aheadMs: number; readonly sureMs: number };
}

/** `schemas`: the workspaces to read; default: all. Throws `store_away` and the other errors of a store. */
export async function readClusterState(
  options: PostgresOptions,
  schemas?: readonly string[],
): Promise<ClusterState> {
  const team = await readSchemaStatus(options, 'sonde', readSchema);
  const workspaces: WorkspaceStatus[] = [];
  for (const schema of schemas ?? (await listWorkspaceSchemas(options)))
    workspaces.push(await readSchemaStatus(options, schema, readWorkspace));
  const isCurrent = team.version > 0 && team.pending.length === 0;
  const { workers, clock, fronts } = await withConnection(options, 'sonde', async (client) => ({
    clock: await readClock(client),
    workers: team.version === 0 ? [] : await readWorkers(client),
    fronts: {
      roles: await listConnectedFronts(client, frontName),
      teams: isCurrent ? Number((await client.query('SELECT count(*) AS n FROM teams')).rows[0].n) : 0,
    },
  }));
  return {
    place: serverName(options.url),
    needs: schemaSteps.length,
    team,
    workspaces,
    workers,
    clock,
    fronts,
  };
}

const unreadTables = { topics: [], days: null, runs: { held: 0, expired: 0, oldestExpiredMs: null } };

async function readSchemaStatus<Read extends object>(
  { url, team }: PostgresOptions,
  schema: string,
  read: (client: pg.Client) => Promise<Read>,
) {
  const { version, pending } = await readSchemaState({ url, schema });
  const tables =
    pending.length > 0
      ? null
      : await withConnection({ url, ...(team !== undefined && { team }) }, schema, read);
  return { schema, version, pending, host: null, backup: null, ...unreadTables, ...tables };
}

async function readSchema(client: pg.Client) {
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
  const dayRows = await client.query(
    'SELECT today()::text AS today, EXISTS (SELECT 1 FROM events_late WHERE run >= day_start(today())) AS late',
  );
  return {
    days: {
      today: String(dayRows.rows[0].today),
      made: (await readDays(client)).map(({ day }) => day),
      late: dayRows.rows[0].late === true,
    },
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

async function readWorkspace(client: pg.Client) {
  // `about` contains a key of the host, so only the worker's name is read from it.
  const hostLease = await client.query(
    `SELECT host IS NOT NULL AS held, now_ms() - expires AS over, about::json ->> 'worker' AS worker
     FROM leases LEFT JOIN host_about ON true WHERE run = 'host'`,
  );
  const backups = await client.query('SELECT backup, now_ms() - at AS age FROM host_backup');
  const [hostRow] = hostLease.rows;
  const [newestBackup] = backups.rows;
  return {
    ...(await readSchema(client)),
    host:
      hostRow === undefined
        ? null
        : { worker: String(hostRow.worker), overMs: hostRow.held ? Number(hostRow.over) : null },
    backup:
      newestBackup === undefined
        ? null
        : { ...(JSON.parse(newestBackup.backup) as HostBackup), ageMs: Number(newestBackup.age) },
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
  const sentAt = Date.now();
  const { rows } = await client.query('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now');
  const receivedAt = Date.now();
  return {
    aheadMs: Math.round((sentAt + receivedAt) / 2 - Number(rows[0].now)),
    sureMs: receivedAt - sentAt,
  };
}
