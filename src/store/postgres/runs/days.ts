/** Creates and lists the partitions by day. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { PostgresOptions } from '../connection.ts';
import type { dayTables } from '../schema/day-schema.ts';
import { listWorkspaceSchemas, readSchemaState } from '../schema/migrate.ts';
import { codeOf } from '../store-errors.ts';
import { withConnection } from '../with-connection.ts';

export const dayMs = 24 * 60 * 60_000;

/** A day with tables of its own, by UTC. */
export interface Day {
  /** `2026-11-28`. */
  readonly day: string;
  /** Its first millisecond since the Unix epoch. */
  readonly start: number;
}

/** Number of future days that have tables. */
const daysAhead = 3;
/**
 * Milliseconds to wait for a lock, since all other transactions queue behind the request. Then it is requested again.
 */
const lockTimeoutMs = 250;
const maxAttempts = 40;

/** Lists the schemas that have tables for days: those without pending steps. */
export async function listSchemasWithDays(options: PostgresOptions): Promise<readonly string[]> {
  const upToDate: string[] = [];
  for (const schema of ['sonde', ...(await listWorkspaceSchemas(options))]) {
    const { version, pending } = await readSchemaState({ url: options.url, schema });
    if (version > 0 && pending.length === 0) upToDate.push(schema);
  }
  return upToDate;
}

/** Creates the tables of the coming days in all schemas. Only the owner of the store can. Throws `store_away`. */
export async function makeDays(options: PostgresOptions): Promise<void> {
  for (const schema of await listSchemasWithDays(options))
    await withConnection(options, schema, async (client) => {
      const { rows } = await client.query('SELECT today()::text AS day');
      const start = Date.parse(`${String(rows[0].day)}T00:00:00Z`);
      const existingDays = new Set((await readDays(client)).map(({ day }) => day));
      for (let nth = 0; nth <= daysAhead; nth += 1) {
        const day = new Date(start + nth * dayMs).toISOString().slice(0, 10);
        if (!existingDays.has(day))
          await withTableLock(client, () => client.query('SELECT make_day($1::date)', [day]));
      }
    });
}

/** The oldest first. */
export async function readDays(client: pg.ClientBase): Promise<readonly Day[]> {
  const { rows } = await client.query(
    `SELECT right(c.relname, 8) AS day FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
     WHERE inhparent = 'events'::regclass AND c.relname ~ '^events_d\\d{8}$' ORDER BY 1`,
  );
  return rows.map(({ day }) => {
    const name = String(day).replace(/(....)(..)(..)/, '$1-$2-$3');
    return { day: name, start: Date.parse(`${name}T00:00:00Z`) };
  });
}

export const formatDayTable = (parent: keyof typeof dayTables, { day }: Day): string =>
  `${parent}_d${day.replaceAll('-', '')}`;

/**
 * Runs work that locks a whole table, in a transaction. While such a lock is requested, all other transactions wait
 * behind it. So each attempt is short, and is repeated. Throws the error of the last attempt.
 */
export async function withTableLock<Value>(
  client: pg.ClientBase,
  work: () => Promise<Value>,
): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    await client.query('BEGIN');
    try {
      await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
      const value = await work();
      await client.query('COMMIT');
      return value;
    } catch (thrown) {
      await client.query('ROLLBACK').catch(() => {});
      // A lock timeout, or a deadlock.
      if (!['55P03', '40P01'].includes(codeOf(thrown)) || attempt === maxAttempts) throw thrown;
      await sleep(lockTimeoutMs * (1 + Math.random()));
    }
  }
}
