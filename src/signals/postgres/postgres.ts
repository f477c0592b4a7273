/**
 * PostgreSQL's own statistics. Each question opens a connection of its own, with one read-only transaction, a time
 * limit on the server's side, and a fixed text: no SQL comes from outside.
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
  /** `verify`: the certificate must be good; `any`: encrypted to whoever answers. */
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

  const read = async (
    sql: string,
    values: readonly unknown[],
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<readonly Record<string, unknown>[] | SignalFailure> => {
    // Loaded when it is asked for first: most investigations have no database to ask.
    const { default: pg } = await import('pg');
    if (signal.aborted) return failure('cancelled', `${source} was not asked.`);
    const client = new pg.Client({
      host,
      port,
      database,
      user,
      // As a function: an empty text would make the library look for one in the environment and in files.
      password: () => address.password.reveal(),
      ssl: address.tls === 'off' ? false : { rejectUnauthorized: address.tls === 'verify' },
      application_name: 'sonde',
      connectionTimeoutMillis: Math.min(connectMs, timeoutMs),
      options: '-c default_transaction_read_only=on',
    });
    // A connection that breaks later also fails the query that waits on it.
    client.on('error', () => {});
    const stop = () => void client.end().catch(() => {});
    signal.addEventListener('abort', stop, { once: true });
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
    questions: Object.freeze(diagnostics.map(ask)),
    health: (signal, mask) =>
      checkHealth(
        async (within) => {
          const rows = await read("SELECT current_setting('server_version') AS version", [], 2_500, within);
          return 'kind' in rows ? rows : { kind: 'healthy', version: String(rows[0]?.['version'] ?? '') };
        },
        signal,
        mask,
      ),
    async inspect(within) {
      const before = clock.now();
      const rows = await read(rightsQuery, [], 5_000, within);
      if ('kind' in rows) return { rights: 'unknown', clockMs: null };
      const there = Number(rows[0]?.['now_ms']);
      return {
        rights: rightsOf(rows[0] ?? {}),
        clockMs: Number.isFinite(there) ? Math.round(there - (before + clock.now()) / 2) : null,
      };
    },
    close: async () => {},
  } satisfies Signal);
}

/** Throws `bad_config`; the address itself is in no message, since it may hold a password. */
export function postgresAddress(url: string): PostgresAddress {
  const found = URL.canParse(url) ? new URL(url) : null;
  if (found === null || !/^postgres(ql)?:$/.test(found.protocol) || found.hostname === '')
    throw new SondeError('bad_config', {
      message: 'The address of PostgreSQL cannot be read.',
      remedy: 'Write it as postgres://user:password@host:5432/database.',
    });
  const password = decodeURIComponent(found.password);
  const mode = found.searchParams.get('sslmode') ?? 'disable';
  const user = decodeURIComponent(found.username) || 'postgres';
  return Object.freeze({
    host: found.hostname.replace(/^\[|\]$/g, ''),
    port: Number(found.port || 5_432),
    database: decodeURIComponent(found.pathname.slice(1)) || user,
    user,
    password: Object.freeze({ reveal: () => password }),
    tls: /^verify/.test(mode) ? 'verify' : mode === 'require' ? 'any' : 'off',
  });
}

const states: Readonly<Record<string, SignalFailure['reason']>> = {
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
  const known = typeof code === 'string' ? states[code] : undefined;
  const inner = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  const message = withoutCredentials(messageOf(inner), [password]);
  const missing = code === '42P01' && message.includes('pg_stat_statements');
  if (missing) return failure('not_found', `${source}: the extension pg_stat_statements is not there.`);
  return failure(
    known ?? (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? 'bad_query' : 'unreachable'),
    `${source}: ${message}`,
  );
}
