import type { Queue } from '../queue/queue.ts';
import type { PostgresOptions } from './connection.ts';
import { openPostgres } from './database.ts';
import { type PostgresQueueOptions, postgresQueue } from './postgres-queue.ts';

/** The queue by itself, over connections of its own. */
export function openPostgresQueue(options: PostgresOptions & PostgresQueueOptions): Queue {
  const db = openPostgres(options);
  const queue = postgresQueue(db, options);
  let closing: Promise<void> | null = null;
  return Object.freeze({
    ...queue,
    close() {
      closing ??= queue.close().finally(() => db.close());
      return closing;
    },
  } satisfies Queue);
}
