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
  /** Once it is aborted, nothing is tried again. */
  readonly signal?: AbortSignal;
  /** Called once for each absence of the server. */
  readonly onAway?: () => void;
  /**
   * In whose name every transaction is sent, for those who don't own the tables: a team, or empty for those who run the
   * store. Absent: in nobody's, as workers do, who own them.
   */
  readonly team?: string;
  /** Connections that are shared with others, whatever their team; whoever opened them closes them. */
  readonly pool?: PostgresPool;
}

export type PostgresPool = pg.Pool;

/** How long to wait until the server takes a new connection. Milliseconds. */
export const connectMs = 3_000;

/** What connections call themselves that are opened in the name of somebody. */
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
    // Statements here are short: to compile one takes the server seconds where it guesses that many rows will come.
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

export function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `postgres://${hostname}${port === '' ? '' : `:${port}`}${pathname}`;
}
