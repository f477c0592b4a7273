/**
 * The statistics of MySQL and MariaDB. Each question opens a connection of its own, with one read-only transaction, a
 * time limit on the server's side, and a fixed text: no SQL comes from outside, and if the server asks for a file, none
 * is sent.
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
  /** `identity`: the certificate must be good, and one of this host; `verify`: good; `any`: encrypted to whoever answers. */
  readonly tls: 'off' | 'any' | 'verify' | 'identity';
  /** Texts in PEM. */
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

  const read = async (
    sql: string | Diagnostic['sql'],
    values: readonly number[],
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Rows | SignalFailure> => {
    // Loaded when it is asked for first: most investigations have no database to ask.
    const { createConnection } = await import('mysql2/promise');
    if (signal.aborted) return failure('cancelled', `${source} was not asked.`);
    let stop = (): void => {};
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
      stop = () => connection.destroy();
      signal.addEventListener('abort', stop, { once: true });
      // A connection that breaks later also fails the statement that waits on it.
      connection.on('error', () => {});
      const [[about]] = (await connection.query('SELECT @@version AS version')) as unknown as [Rows];
      const flavour: Flavour = /mariadb/i.test(String(about?.['version'])) ? 'mariadb' : 'mysql';
      const limit = Math.max(1, Math.floor(timeoutMs));
      await connection.query(
        flavour === 'mariadb'
          ? `SET SESSION max_statement_time = ${limit / 1_000}`
          : `SET SESSION max_execution_time = ${limit}`,
      );
      await connection.query(`SET SESSION lock_wait_timeout = 1, time_zone = '+00:00'`);
      await connection.query('START TRANSACTION READ ONLY');
      const text = typeof sql === 'string' ? sql : sql[flavour];
      const [rows] = (await connection.query(text, text.includes('?') ? [...values] : [])) as unknown as [
        Rows,
      ];
      return rows.map(plainRow);
    } catch (thrown) {
      return signal.aborted
        ? failure('cancelled', `${source} was given up.`)
        : toFailure(source, address, thrown);
    } finally {
      signal.removeEventListener('abort', stop);
      stop();
    }
  };

  const ask = ({ name, description, cost, sql }: Diagnostic) =>
    question(place, {
      name,
      topic: 'database',
      description,
      parameters: z.object({}),
      cost,
      reach: 'now',
      async read(_, { limits, signal }) {
        const rows = await read(sql, [limits.rows + 1], limits.timeoutMs, signal);
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
    questions: Object.freeze(diagnostics.map(ask)),
    health: (signal, mask) =>
      checkHealth(
        async (within) => {
          const rows = await read('SELECT @@version AS version', [], connectMs, within);
          return 'kind' in rows ? rows : { kind: 'healthy', version: String(rows[0]?.['version'] ?? '') };
        },
        signal,
        mask,
      ),
    async inspect(within) {
      const before = clock.now();
      const times = await read('SELECT UNIX_TIMESTAMP(NOW(3)) AS now_s', [], inspectMs, within);
      const there = 'kind' in times ? Number.NaN : Number(times[0]?.['now_s']) * 1_000;
      const clockMs = Number.isFinite(there) ? Math.round(there - (before + clock.now()) / 2) : null;
      const grants = await read('SHOW GRANTS', [], inspectMs, within);
      if ('kind' in grants) return { rights: 'unknown', clockMs };
      return { rights: rightsOf(grants.flatMap((row) => Object.values(row).map(String))), clockMs };
    },
    close: async () => {},
  } satisfies Signal);
}

/** Replies that arrive after the deadline are dropped. */
async function orAborted<Value extends { destroy(): void }>(
  work: Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  const given = Promise.withResolvers<never>();
  const giveUp = (): void => given.reject(new Error('given up'));
  signal.addEventListener('abort', giveUp, { once: true });
  work.then(
    (value) => signal.aborted && value.destroy(),
    () => {},
  );
  try {
    return await Promise.race([work, given.promise]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** Converts columns of bytes into text, and drops columns that are empty or too long. */
const plainRow = (row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      Buffer.isBuffer(value) ? value.toString('utf8') : value,
    ]),
  );

/** Throws `bad_config`; the address itself is in no message, since it may hold a password. */
export function mysqlAddress(url: string): MysqlAddress {
  const found = URL.canParse(url) ? new URL(url) : null;
  if (found === null || !/^(?:mysql|mariadb):$/.test(found.protocol) || found.hostname === '')
    throw new SondeError('bad_config', {
      message: 'The address of MySQL cannot be read.',
      remedy: 'Write it as mysql://user:password@host:3306/database.',
    });
  const password = decodeURIComponent(found.password);
  const mode = (found.searchParams.get('ssl-mode') ?? 'disabled').toLowerCase();
  return Object.freeze({
    host: found.hostname.replace(/^\[|\]$/g, ''),
    port: Number(found.port || 3_306),
    database: decodeURIComponent(found.pathname.slice(1)) || null,
    user: decodeURIComponent(found.username) || 'root',
    password: Object.freeze({ reveal: () => password }),
    tls: tlsOf(mode),
  });
}

/** As the clients of MySQL call them; `verify-full` is PostgreSQL's name for the same. */
function tlsOf(mode: string): MysqlAddress['tls'] {
  if (/^verify[-_](identity|full)$/.test(mode)) return 'identity';
  return /^verify/.test(mode) ? 'verify' : mode === 'required' ? 'any' : 'off';
}

const isNumber = /^\d{1,3}(\.\d{1,3}){3}$|:/;

/**
 * Whoever names a certificate wants it checked: without a mode in the address it is checked with the name of the
 * host. Throws `bad_config` for a number in place of a name, which the client would not check.
 */
export function trusting(address: MysqlAddress, trust: ClusterTrust): MysqlAddress {
  const tls = address.tls === 'off' && Object.keys(trust).length > 0 ? 'identity' : address.tls;
  if (tls === 'identity' && isNumber.test(address.host))
    throw new SondeError('bad_config', {
      message: `The certificate of MySQL at ${address.host} can't be checked by a number.`,
      remedy: 'Write the name that stands in the certificate, or add ?ssl-mode=verify_ca to the address.',
    });
  return Object.freeze({ ...address, tls, ...(Object.keys(trust).length > 0 && { trust }) });
}

const reasons: Readonly<Record<string, SignalFailure['reason']>> = {
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
  const known = typeof code === 'string' ? reasons[code] : undefined;
  const reason = known ?? (typeof code === 'string' && code.startsWith('ER_') ? 'bad_query' : 'unreachable');
  return failure(reason, withoutCredentials(`${source}: ${messageOf(thrown)}`, [password]));
}
