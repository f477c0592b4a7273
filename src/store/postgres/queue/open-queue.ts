import type { AlertRecords } from '../../alert-records.ts';
import type { Queue } from '../../queue/queue.ts';
import type { PostgresOptions } from '../connection.ts';
import { openPostgres } from '../database.ts';
import { postgresAlerts } from '../team/postgres-alerts.ts';
import { type PostgresQueueOptions, postgresQueue } from './postgres-queue.ts';

/** Opens only the queue, over its own connections. */
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

export interface PostgresAlerts {
  readonly records: AlertRecords;
  readonly queue: Queue;
  close(): Promise<void>;
}

/** Alerts and the queue of their groups, over the same connections. */
export function openPostgresAlerts(options: PostgresOptions & PostgresQueueOptions): PostgresAlerts {
  const db = openPostgres(options);
  const queue = postgresQueue(db, options);
  return {
    records: postgresAlerts(db, options.clock),
    queue,
    close: () => queue.close().finally(() => db.close()),
  };
}
