/** Options of connections to a server, and their time limits. */
import pg from 'pg';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** The schema of the tables. Default `sonde`. */
  readonly schema?: string;
  readonly maxConnections?: number;
  /** Milliseconds to wait for an answer before the connection is closed. Default 5 s. */
  readonly answerMs?: number;
  /** Milliseconds of retries while the server is unreachable, before `store_away`. Default 20 s. */
  readonly patienceMs?: number;
  /** Ends retries once it is aborted. */
  readonly signal?: AbortSignal;
  /** Called once each time the server becomes unavailable. */
  readonly onAway?: () => void;
  /**
   * The team for which every transaction is sent, for a role that doesn't own the tables; empty: the operators of the
   * store. Absent for workers, whose role owns the tables.
   */
  readonly team?: string;
  /** Connections that are shared with other databases of the same schema; their opener closes them. */
  readonly pool?: PostgresPool;
}

export type PostgresPool = pg.Pool;

/** Milliseconds to wait for a new connection. */
export const connectMs = 3_000;

/** The application name of connections for a team. */
export const frontName = 'sonde front';

/** Reads 64-bit integers as numbers: all of them (units, times, counts) are safe integers. */
const types = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === 20 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

export function poolOptions({
  url,
  schema = 'sonde',
  maxConnections = 4,
  answerMs = 5_000,
  team,
}: PostgresOptions): pg.PoolConfig {
  return {
    connectionString: url,
    max: maxConnections,
    // JIT compilation can take seconds if the planner expects many rows, and these statements are short.
    options: `-c search_path=${schema} -c default_transaction_isolation=read\\ committed -c jit=off`,
    application_name: team === undefined ? 'sonde' : frontName,
    keepAlive: true,
    connectionTimeoutMillis: connectMs,
    idle_in_transaction_session_timeout: 5_000,
    statement_timeout: 2 * answerMs,
    lock_timeout: answerMs,
    query_timeout: answerMs,
    allowExitOnIdle: true,
    types,
  };
}

export function serverName(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `postgres://${hostname}${port === '' ? '' : `:${port}`}${pathname}`;
}
