/**
 * A PostgreSQL database, for the engines. The statements of a transaction are sent at once, so that none stays open
 * while its caller works. The server ends the transaction of a client that stops responding.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { connectMs, type PostgresOptions, type PostgresPool, poolOptions } from './connection.ts';
import { ensureSchema } from './schema/migrate.ts';
import { codeOf, isPassing, toStoreError } from './store-errors.ts';

export type Row = Readonly<Record<string, unknown>>;

/** A statement. Each connection prepares it once, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

export interface PostgresDatabase {
  /** The name in errors, in place of the address, which only operators may see. */
  readonly path: string;
  /**
   * Sends the statements as one transaction, in one round trip, and returns the rows of each. It is sent again while
   * the server is unreachable or its answer is lost, so it must be safe to send twice. `onRefusal` gets the code of the
   * final error, and may throw another error.
   */
  transact(
    statements: readonly Statement[],
    onRefusal?: (code: string, thrown: unknown) => void,
  ): Promise<readonly (readonly Row[])[]>;
  /** Sends a statement as a transaction of its own. */
  ask(statement: Statement): Promise<readonly Row[]>;
  close(): Promise<void>;
}

const firstConnectMs = 5_000;
/** A shorter absence of the server is not reported. Milliseconds. */
const minReportedMs = 2_000;

/** Milliseconds to wait for a free connection of the pool. */
const maxWaitMs = 20_000;

/** A client with its own connection timeout: that of the pool also covers the wait for a free connection. */
class PooledClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: connectMs });
  }
}

/** Connections for several databases of the same schema. */
export function openPool(options: PostgresOptions): PostgresPool {
  const pool = new pg.Pool({
    ...poolOptions(options),
    ...{ pipeline: true, connectionTimeoutMillis: maxWaitMs, Client: PooledClient },
  } as pg.PoolConfig);
  // A connection that breaks while nobody uses it is replaced.
  pool.on('error', () => {});
  // The server may end a connection after its release: without a listener, that error would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Connects at the first statement, and sets up the database if it is empty. */
export function openPostgres(options: PostgresOptions): PostgresDatabase {
  const pool = options.pool ?? openPool(options);
  const teamStatements = setTeam(options, 'transaction');
  let prepared: Promise<void> | null = null;
  let closed: Promise<void> | null = null;

  async function sendOnce(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    const client = await pool.connect();
    let connectionError: Error | undefined;
    // The pool listens only to idle connections: without this listener, a broken connection would end the process.
    const onError = (error: Error): void => {
      connectionError = error;
    };
    client.on('error', onError);
    try {
      const { stream } = (client as unknown as Pick<pg.Client, 'connection'>).connection;
      // One write for all statements, so that the server wakes up once.
      stream.cork();
      let queries: readonly Promise<pg.QueryResult>[];
      try {
        queries = statements.map(({ name, text, values }) =>
          client.query({ name, text, values: [...values] }),
        );
      } finally {
        stream.uncork();
      }
      const results = await Promise.allSettled(queries);
      const failure = results.find((result) => result.status === 'rejected');
      if (failure !== undefined) throw failure.reason;
      return results.map((result) => (result as PromiseFulfilledResult<pg.QueryResult<Row>>).value.rows);
    } catch (thrown) {
      // After an error that the server reported, the transaction is over. After any other, the connection is closed.
      if (isPassing(thrown)) connectionError ??= thrown as Error;
      throw thrown;
    } finally {
      client.off('error', onError);
      client.release(connectionError);
    }
  }

  /** Whether `onAway` was called for the present outage. */
  let isReported = false;

  async function retryWhileAway<Value>(work: () => Promise<Value>, patienceMs: number): Promise<Value> {
    const startedAt = performance.now();
    for (let pauseMs = 20; ; pauseMs = Math.min(1_000, pauseMs * 2)) {
      try {
        const value = await work();
        isReported = false;
        return value;
      } catch (thrown) {
        const waited = performance.now() - startedAt;
        if (!isPassing(thrown) || waited > patienceMs || closed !== null || options.signal?.aborted)
          throw thrown;
        if (waited > minReportedMs && !isReported) {
          isReported = true;
          options.onAway?.();
        }
      }
      await sleep(pauseMs * (0.5 + Math.random()));
    }
  }

  function prepare(): Promise<void> {
    prepared ??= retryWhileAway(() => ensureSchema(options), firstConnectMs).catch((thrown) => {
      prepared = null;
      throw toStoreError(options.url, thrown);
    });
    return prepared;
  }

  async function sendStatements(
    statements: readonly Statement[],
    onRefusal: (code: string, thrown: unknown) => void = () => {},
  ): Promise<readonly (readonly Row[])[]> {
    await prepare();
    try {
      return await retryWhileAway(() => sendOnce(statements), options.patienceMs ?? 20_000);
    } catch (thrown) {
      onRefusal(codeOf(thrown), thrown);
      throw toStoreError(options.url, thrown);
    }
  }

  return {
    path: 'the store',
    async transact(statements, onRefusal) {
      const rows = await sendStatements([begin, ...teamStatements, ...statements, commit], onRefusal);
      return rows.slice(1 + teamStatements.length, -1);
    },
    async ask(statement) {
      if (teamStatements.length === 0) return (await sendStatements([statement]))[0]!;
      return (await sendStatements([begin, ...teamStatements, statement, commit]))[2]!;
    },
    close() {
      closed ??= options.pool === undefined ? pool.end() : Promise.resolve();
      return closed;
    },
  };
}

/**
 * Sets the team of the next statements: for one transaction, or for the connection.
 */
export function setTeam(
  { team, schema = 'sonde' }: PostgresOptions,
  until: 'transaction' | 'connection',
): readonly Statement[] {
  if (team === undefined) return [];
  const values = [team === '' ? `@${schema}` : team, until === 'transaction'];
  return [{ name: 'in the name of', text: `SELECT set_config('sonde.team', $1, $2)`, values }];
}

const begin: Statement = { name: 'begin', text: 'BEGIN', values: [] };
const commit: Statement = { name: 'commit', text: 'COMMIT', values: [] };
