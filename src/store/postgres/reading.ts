/** A connection for one piece of reading, or of an operator's work. */
import pg from 'pg';
import { type PostgresOptions, poolOptions } from './connection.ts';
import { inNameOf } from './database.ts';
import { toStoreError } from './trouble.ts';

export async function reading<Value>(
  options: PostgresOptions,
  schema: string,
  work: (client: pg.Client) => Promise<Value>,
): Promise<Value> {
  const client = new pg.Client(poolOptions({ ...options, schema }));
  client.on('error', () => {});
  try {
    await client.connect();
    // This connection is nobody else's.
    for (const { text, values } of inNameOf({ ...options, schema }, 'connection'))
      await client.query(text, [...values]);
    return await work(client);
  } catch (thrown) {
    throw toStoreError(options.url, thrown);
  } finally {
    await client.end().catch(() => {});
  }
}
