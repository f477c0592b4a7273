import { type Clock, systemClock } from '../../../core/index.ts';
import type { Sessions } from '../../sessions/open-sessions.ts';
import { openPostgres } from '../database.ts';
import { postgresQueue } from '../queue/postgres-queue.ts';
import type { PostgresStoreOptions } from '../runs/postgres-engine.ts';
import { postgresLeases } from '../runs/postgres-leases.ts';
import { postgresCheckpoints } from './postgres-checkpoints.ts';
import { postgresRoles } from './postgres-roles.ts';
import { postgresSchedules } from './postgres-schedules.ts';
import { postgresChannels, postgresThreads } from './postgres-threads.ts';

/** Everything that sessions store, in the schema of one workspace. */
export function openPostgresSessions(options: PostgresStoreOptions): Sessions {
  const { clock = systemClock, leaseMs = 30_000, leaseClock } = options;
  const db = openPostgres(options);
  const leaseOptions: { readonly leaseMs: number; readonly clock?: Clock } = {
    leaseMs,
    ...(leaseClock && { clock: leaseClock }),
  };
  const leases = postgresLeases(db, leaseOptions);
  const channels = postgresChannels(db, clock);
  const queue = postgresQueue(db, leaseOptions);
  const takenFences = new Map<string, number>();
  return Object.freeze({
    channels,
    threads: postgresThreads(db, { clock, leases, channels, taken: takenFences }),
    checkpoints: postgresCheckpoints(db, leases),
    roles: postgresRoles(db),
    schedules: postgresSchedules(db, queue, clock),
    queue,
    async close() {
      try {
        await leases.releaseAll(takenFences);
        await queue.close();
      } finally {
        await db.close();
      }
    },
  } satisfies Sessions);
}
