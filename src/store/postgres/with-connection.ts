/** A connection for one task: a read, or the work of an operator. */
import pg from 'pg';
import { type PostgresOptions, poolOptions } from './connection.ts';
import { setTeam } from './database.ts';
import { toStoreError } from './store-errors.ts';

export async function withConnection<Value>(
  options: PostgresOptions,
  schema: string,
  work: (client: pg.Client) => Promise<Value>,
): Promise<Value> {
  const client = new pg.Client(poolOptions({ ...options, schema }));
  client.on('error', () => {});
  try {
    await client.connect();
    // No other task uses this connection.
    for (const { text, values } of setTeam({ ...options, schema }, 'connection'))
      await client.query(text, [...values]);
    return await work(client);
  } catch (thrown) {
    throw toStoreError(options.url, thrown);
  } finally {
    await client.end().catch(() => {});
  }
}
