/**
 * The statistics of MySQL and MariaDB. Each question opens its own connection, and runs a fixed query in a read-only
 * transaction with a time limit on the server. No SQL comes from outside, and the client never sends a file to the
 * server.
 */
import { z } from 'zod';
import { type Clock, messageOf, type Signal, type SignalFailure, SondeError } from '../../core/index.ts';
import { checkHealth } from '../health.ts';
import { type Credential, withoutCredentials } from '../http.ts';
import type { ClusterTrust } from '../kubernetes/kubeconfig.ts';
import { failure, question } from '../question.ts';
import { type Diagnostic, diagnostics, type Flavour } from './queries.ts';
import { rightsOf } from './rights.ts';

export interface MysqlAddress {
  readonly host: string;
  readonly port: number;
  /** Null: no database is selected, since the questions need none. */
  readonly database: string | null;
  readonly user: string;
  readonly password: Credential;
  /**
   * `off`: not encrypted; `any`: encrypted, but the certificate is not checked; `verify`: the certificate is checked;
   * `identity`: the certificate and the host name in it are checked.
   */
  readonly tls: 'off' | 'any' | 'verify' | 'identity';
  /** Certificates and key, in PEM format. */
  readonly trust?: ClusterTrust;
}

export interface MysqlOptions {
  readonly address: MysqlAddress;
  readonly clock: Clock;
}

type Rows = readonly Readonly<Record<string, unknown>>[];

const connectMs = 5_000;
const inspectMs = 5_000;

export function openMysql({ address, clock }: MysqlOptions): Signal {
  const { host, port, user, database } = address;
  const source = `mysql ${user}@${host}:${port}${database === null ? '' : `/${database}`}`;
  const place = { system: 'mysql', source, clock };

  const runQuery = async (
    sql: string | Diagnostic['sql'],
    values: readonly number[],
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Rows | SignalFailure> => {
    // Loaded by the first query, since most investigations query no database.
    const { createConnection } = await import('mysql2/promise');
    if (signal.aborted) return failure('cancelled', `${source} was not asked.`);
    let closeConnection = (): void => {};
    try {
      const connecting = createConnection({
        ...{ host, port, user, password: address.password.reveal() },
        ...(database !== null && { database }),
        ...(address.tls !== 'off' && {
          ssl: {
            rejectUnauthorized: address.tls !== 'any',
            verifyIdentity: address.tls === 'identity',
            ...address.trust,
          },
        }),
        connectTimeout: Math.min(connectMs, timeoutMs),
        ...{ dateStrings: true, supportBigNumbers: true, decimalNumbers: true, timezone: 'Z' },
        flags: ['-LOCAL_FILES'],
      });
      const connection = await orAborted(connecting, signal);
      closeConnection = () => connection.destroy();
      signal.addEventListener('abort', closeConnection, { once: true });
      // If the connection breaks, the pending statement fails; without a listener the error would also end the process.
      connection.on('error', () => {});
      const [[versionRow]] = (await connection.query('SELECT @@version AS version')) as unknown as [Rows];
      const flavour: Flavour = /mariadb/i.test(String(versionRow?.['version'])) ? 'mariadb' : 'mysql';
      const limitMs = Math.max(1, Math.floor(timeoutMs));
      await connection.query(
        flavour === 'mariadb'
          ? `SET SESSION max_statement_time = ${limitMs / 1_000}`
          : `SET SESSION max_execution_time = ${limitMs}`,
      );
      await connection.query(`SET SESSION lock_wait_timeout = 1, time_zone = '+00:00'`);
      await connection.query('START TRANSACTION READ ONLY');
      const sqlText = typeof sql === 'string' ? sql : sql[flavour];
      const [rows] = (await connection.query(
        sqlText,
        sqlText.includes('?') ? [...values] : [],
      )) as unknown as [Rows];
      return rows.map(plainRow);
    } catch (thrown) {
      return signal.aborted
        ? failure('cancelled', `${source} was given up.`)
        : toFailure(source, address, thrown);
    } finally {
      signal.removeEventListener('abort', closeConnection);
      closeConnection();
    }
  };

  const diagnosticQuestion = ({ name, description, cost, sql }: Diagnostic) =>
    question(place, {
      name,
      topic: 'database',
      description,
      parameters: z.object({}),
      cost,
      reach: 'now',
      async read(_, { limits, signal }) {
        const rows = await runQuery(sql, [limits.rows + 1], limits.timeoutMs, signal);
        if ('kind' in rows) return rows;
        return {
          kind: 'reading',
          query: `${name} as of now`,
          rows: { kind: 'table', rows: rows.slice(0, limits.rows) },
          ...(rows.length > limits.rows && { total: null }),
          notes: ['This is the state of now, not of the incident window.'],
        };
      },
    });

  return Object.freeze({
    system: place.system,
    source,
    offers: 'connections, transactions, locks, costly statements, tables and replication, as they are now',
    questions: Object.freeze(diagnostics.map(diagnosticQuestion)),
    health: (signal, mask) =>
      checkHealth(
        async (healthSignal) => {
          const rows = await runQuery('SELECT @@version AS version', [], connectMs, healthSignal);
          return 'kind' in rows ? rows : { kind: 'healthy', version: String(rows[0]?.['version'] ?? '') };
        },
        signal,
        mask,
      ),
    async inspect(signal) {
      const startedAt = clock.now();
      const timeRows = await runQuery('SELECT UNIX_TIMESTAMP(NOW(3)) AS now_s', [], inspectMs, signal);
      const serverTime = 'kind' in timeRows ? Number.NaN : Number(timeRows[0]?.['now_s']) * 1_000;
      const clockMs = Number.isFinite(serverTime)
        ? Math.round(serverTime - (startedAt + clock.now()) / 2)
        : null;
      const grantRows = await runQuery('SHOW GRANTS', [], inspectMs, signal);
      if ('kind' in grantRows) return { rights: 'unknown', clockMs };
      return { rights: rightsOf(grantRows.flatMap((row) => Object.values(row).map(String))), clockMs };
    },
    close: async () => {},
  } satisfies Signal);
}

/** Settles as `work` does, but rejects once `signal` aborts. A connection that opens after that is closed. */
async function orAborted<Value extends { destroy(): void }>(
  work: Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  const aborted = Promise.withResolvers<never>();
  const giveUp = (): void => aborted.reject(new Error('given up'));
  signal.addEventListener('abort', giveUp, { once: true });
  work.then(
    (value) => signal.aborted && value.destroy(),
    () => {},
  );
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** Converts columns of bytes into text. */
const plainRow = (row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      Buffer.isBuffer(value) ? value.toString('utf8') : value,
    ]),
  );

/** Parses an address. Throws `bad_config`; no message contains the address, since it may contain a password. */
export function mysqlAddress(url: string): MysqlAddress {
  const parsedUrl = URL.canParse(url) ? new URL(url) : null;
  if (parsedUrl === null || !/^(?:mysql|mariadb):$/.test(parsedUrl.protocol) || parsedUrl.hostname === '')
    throw new SondeError('bad_config', {
      message: 'The address of MySQL cannot be read.',
      remedy: 'Write it as mysql://user:password@host:3306/database.',
    });
  const password = decodeURIComponent(parsedUrl.password);
  const mode = (parsedUrl.searchParams.get('ssl-mode') ?? 'disabled').toLowerCase();
  return Object.freeze({
    host: parsedUrl.hostname.replace(/^\[|\]$/g, ''),
    port: Number(parsedUrl.port || 3_306),
    database: decodeURIComponent(parsedUrl.pathname.slice(1)) || null,
    user: decodeURIComponent(parsedUrl.username) || 'root',
    password: Object.freeze({ reveal: () => password }),
    tls: tlsOf(mode),
  });
}

/** Modes have the names that MySQL's clients use; `verify-full`, PostgreSQL's name for `verify_identity`, works too. */
function tlsOf(mode: string): MysqlAddress['tls'] {
  if (/^verify[-_](identity|full)$/.test(mode)) return 'identity';
  return /^verify/.test(mode) ? 'verify' : mode === 'required' ? 'any' : 'off';
}

const ipAddressPattern = /^\d{1,3}(\.\d{1,3}){3}$|:/;

/**
 * Adds certificates to an address. If the address sets no TLS mode, the server's certificate and host name are then
 * checked. Throws `bad_config` if the host is an IP address, which the client would not compare with the certificate.
 */
export function withTrust(address: MysqlAddress, trust: ClusterTrust): MysqlAddress {
  const tls = address.tls === 'off' && Object.keys(trust).length > 0 ? 'identity' : address.tls;
  if (tls === 'identity' && ipAddressPattern.test(address.host))
    throw new SondeError('bad_config', {
      message: `The certificate of MySQL at ${address.host} can't be checked by a number.`,
      remedy: 'Write the name that stands in the certificate, or add ?ssl-mode=verify_ca to the address.',
    });
  return Object.freeze({ ...address, tls, ...(Object.keys(trust).length > 0 && { trust }) });
}

const failureReasons: Readonly<Record<string, SignalFailure['reason']>> = {
  ER_ACCESS_DENIED_ERROR: 'refused',
  ER_DBACCESS_DENIED_ERROR: 'refused',
  ER_SPECIFIC_ACCESS_DENIED_ERROR: 'refused',
  ER_TABLEACCESS_DENIED_ERROR: 'refused',
  ER_HOST_IS_BLOCKED: 'refused',
  ER_HOST_NOT_PRIVILEGED: 'refused',
  ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION: 'refused',
  ER_BAD_DB_ERROR: 'not_found',
  ER_NO_SUCH_TABLE: 'not_found',
  ER_UNKNOWN_TABLE: 'not_found',
  ER_STATEMENT_TIMEOUT: 'timeout',
  ER_QUERY_TIMEOUT: 'timeout',
  ER_LOCK_WAIT_TIMEOUT: 'timeout',
  ER_CON_COUNT_ERROR: 'unreachable',
  ETIMEDOUT: 'unreachable',
  ECONNREFUSED: 'unreachable',
};

function toFailure(source: string, { password }: MysqlAddress, thrown: unknown): SignalFailure {
  const code = (thrown as { code?: unknown })?.code;
  const knownReason = typeof code === 'string' ? failureReasons[code] : undefined;
  const reason =
    knownReason ?? (typeof code === 'string' && code.startsWith('ER_') ? 'bad_query' : 'unreachable');
  return failure(reason, withoutCredentials(`${source}: ${messageOf(thrown)}`, [password]));
}
