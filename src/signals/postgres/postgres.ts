/**
 * The statistics of PostgreSQL. Each question opens its own connection, and runs a fixed query in a read-only transaction
 * with a time limit on the server. No SQL comes from outside.
 */
import { z } from 'zod';
import { type Clock, messageOf, type Signal, type SignalFailure, SondeError } from '../../core/index.ts';
import { checkHealth } from '../health.ts';
import { type Credential, withoutCredentials } from '../http.ts';
import { failure, question } from '../question.ts';
import { type Diagnostic, diagnostics } from './queries.ts';
import { rightsOf, rightsQuery } from './rights.ts';

export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: Credential;
  /** `off`: not encrypted; `any`: encrypted, but the certificate is not checked; `verify`: the certificate is checked. */
  readonly tls: 'off' | 'any' | 'verify';
}

export interface PostgresOptions {
  readonly address: PostgresAddress;
  readonly clock: Clock;
}

const connectMs = 5_000;

export function openPostgres({ address, clock }: PostgresOptions): Signal {
  const { host, port, database, user } = address;
  const source = `postgres ${user}@${host}:${port}/${database}`;
  const place = { system: 'postgres', source, clock };

  const runQuery = async (
    sql: string,
    values: readonly unknown[],
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<readonly Record<string, unknown>[] | SignalFailure> => {
    // Loaded by the first query, since most investigations query no database.
    const { default: pg } = await import('pg');
    if (signal.aborted) return failure('cancelled', `${source} was not asked.`);
    const client = new pg.Client({
      host,
      port,
      database,
      user,
      // Passed as a function: for an empty text the library would look for a password in the environment and in files.
      password: () => address.password.reveal(),
      ssl: address.tls === 'off' ? false : { rejectUnauthorized: address.tls === 'verify' },
      application_name: 'sonde',
      connectionTimeoutMillis: Math.min(connectMs, timeoutMs),
      options: '-c default_transaction_read_only=on',
    });
    // If the connection breaks, the pending query fails; without a listener the error would also end the process.
    client.on('error', () => {});
    const closeConnection = () => void client.end().catch(() => {});
    signal.addEventListener('abort', closeConnection, { once: true });
    try {
      await client.connect();
      await client.query('BEGIN TRANSACTION READ ONLY');
      await client.query(`SET LOCAL statement_timeout = ${Math.max(1, Math.floor(timeoutMs))}`);
      await client.query(`SET LOCAL lock_timeout = ${Math.max(1, Math.min(1_000, Math.floor(timeoutMs)))}`);
      const { rows } = await client.query<Record<string, unknown>>(sql, [...values]);
      await client.query('ROLLBACK');
      return rows;
    } catch (thrown) {
      return toFailure(source, address, thrown);
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
          rows: { kind: 'table', rows },
          ...(rows.length > limits.rows && { total: null }),
          notes: ['This is the state of now, not of the incident window.'],
        };
      },
    });

  return Object.freeze({
    system: place.system,
    source,
    offers: 'connections, locks, costly statements, tables and replication, as they are now',
    questions: Object.freeze(diagnostics.map(diagnosticQuestion)),
    health: (signal, mask) =>
      checkHealth(
        async (healthSignal) => {
          const rows = await runQuery(
            "SELECT current_setting('server_version') AS version",
            [],
            2_500,
            healthSignal,
          );
          return 'kind' in rows ? rows : { kind: 'healthy', version: String(rows[0]?.['version'] ?? '') };
        },
        signal,
        mask,
      ),
    async inspect(signal) {
      const startedAt = clock.now();
      const rows = await runQuery(rightsQuery, [], 5_000, signal);
      if ('kind' in rows) return { rights: 'unknown', clockMs: null };
      const serverTime = Number(rows[0]?.['now_ms']);
      return {
        rights: rightsOf(rows[0] ?? {}),
        clockMs: Number.isFinite(serverTime) ? Math.round(serverTime - (startedAt + clock.now()) / 2) : null,
      };
    },
    close: async () => {},
  } satisfies Signal);
}

/** Parses an address. Throws `bad_config`; no message contains the address, since it may contain a password. */
export function postgresAddress(url: string): PostgresAddress {
  const parsedUrl = URL.canParse(url) ? new URL(url) : null;
  if (parsedUrl === null || !/^postgres(ql)?:$/.test(parsedUrl.protocol) || parsedUrl.hostname === '')
    throw new SondeError('bad_config', {
      message: 'The address of PostgreSQL cannot be read.',
      remedy: 'Write it as postgres://user:password@host:5432/database.',
    });
  const password = decodeURIComponent(parsedUrl.password);
  const mode = parsedUrl.searchParams.get('sslmode') ?? 'disable';
  const user = decodeURIComponent(parsedUrl.username) || 'postgres';
  return Object.freeze({
    host: parsedUrl.hostname.replace(/^\[|\]$/g, ''),
    port: Number(parsedUrl.port || 5_432),
    database: decodeURIComponent(parsedUrl.pathname.slice(1)) || user,
    user,
    password: Object.freeze({ reveal: () => password }),
    tls: /^verify/.test(mode) ? 'verify' : mode === 'require' ? 'any' : 'off',
  });
}

/** Reasons by the SQLSTATE code of the error. */
const failureReasons: Readonly<Record<string, SignalFailure['reason']>> = {
  '28P01': 'refused',
  '28000': 'refused',
  '42501': 'refused',
  '3D000': 'not_found',
  '42P01': 'not_found',
  '57014': 'timeout',
  '55P03': 'timeout',
  '25006': 'refused',
  '53300': 'unreachable',
  '57P03': 'unreachable',
};

function toFailure(source: string, { password }: PostgresAddress, thrown: unknown): SignalFailure {
  const code = (thrown as { code?: unknown })?.code;
  const knownReason = typeof code === 'string' ? failureReasons[code] : undefined;
  const cause = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  const message = withoutCredentials(messageOf(cause), [password]);
  const isExtensionMissing = code === '42P01' && message.includes('pg_stat_statements');
  if (isExtensionMissing)
    return failure('not_found', `${source}: the extension pg_stat_statements is not there.`);
  return failure(
    knownReason ?? (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? 'bad_query' : 'unreachable'),
    `${source}: ${message}`,
  );
}
