/** The connection to a server, and the time limits for clients that stop responding. */
import pg from 'pg';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** The schema of the tables. Default `sonde`. */
  readonly schema?: string;
  readonly maxConnections?: number;
  /** Milliseconds to wait for one answer before its connection is closed. Default 5 s. */
  readonly answerMs?: number;
  /** How long to try again while the server is away, before `store_away`. Milliseconds; default 20 s. */
  readonly patienceMs?: number;
  /** After it is aborted, nothing is tried again. */
  readonly signal?: AbortSignal;
  /** Called once each time the server becomes unavailable. */
  readonly onAway?: () => void;
  /**
   * The team for which every transaction is sent, by roles that don't own the tables; empty for operators of the store.
   * Absent: no team, as for workers, whose role owns the tables.
   */
  readonly team?: string;
  /** Connections that are shared with others, whatever their team; whoever opened them closes them. */
  readonly pool?: PostgresPool;
}

export type PostgresPool = pg.Pool;

/** How long to wait until the server takes a new connection. Milliseconds. */
export const connectMs = 3_000;

/** The application name of connections that are opened for a team. */
export const frontName = 'sonde front';

/** All 64-bit numbers of the server are safe integers here: sums of units, times and counts. */
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
    // Statements here are short, but the server would compile one for seconds if it expects many rows.
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
