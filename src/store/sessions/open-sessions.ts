import { systemClock } from '../../core/index.ts';
import type { Database } from '../database.ts';
import type { StoreOptions } from '../open-store.ts';
import type { Queue } from '../queue/queue.ts';
import { sqliteLeases } from '../runs/sqlite-leases.ts';
import { runsSchema } from '../sqlite/migrations.ts';
import { sqliteCheckpoints } from '../sqlite/sqlite-checkpoints.ts';
import { createQueue, openQueueRows } from '../sqlite/sqlite-queue.ts';
import { sqliteRoles } from '../sqlite/sqlite-roles.ts';
import { sqliteSchedules } from '../sqlite/sqlite-schedules.ts';
import { sqliteChannels, sqliteThreads } from '../sqlite/sqlite-threads.ts';
import { toAsync } from '../sqlite/synchronous.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { Roles } from './roles.ts';
import type { Schedules } from './schedules.ts';
import { sessionSchema } from './session-schema.ts';
import type { Channels, Threads } from './threads.ts';

/** The stores of sessions. They are opened in a database, and must be closed before it. */
export interface Sessions {
  readonly channels: Channels;
  readonly threads: Threads;
  readonly checkpoints: Checkpoints;
  readonly roles: Roles;
  readonly schedules: Schedules;
  /** The jobs of this database: fires of schedules, and requests to its agent. */
  readonly queue: Queue;
  /** Releases the leases that were taken through it; the database stays open. */
  close(): Promise<void>;
}

/** Opens sessions in a database that may also hold runs or a workspace. Throws what `Database.include` throws. */
export function openSessionsIn(db: Database, options: Omit<StoreOptions, 'busyMs'> = {}): Sessions {
  const { clock = systemClock, leaseMs = 30_000 } = options;
  // Threads use the lease table of the runs.
  db.include(runsSchema);
  db.include(sessionSchema);
  const leases = sqliteLeases(db, { clock, leaseMs });
  const channels = sqliteChannels(db, clock);
  const checkpoints = sqliteCheckpoints(db, leases);
  const jobs = openQueueRows(db, { clock, leaseMs });
  let isOpen = true;
  return Object.freeze({
    channels: toAsync<Channels>(channels),
    threads: toAsync<Threads>(sqliteThreads(db, leases, checkpoints, channels, clock)),
    checkpoints: toAsync<Checkpoints>(checkpoints),
    roles: toAsync<Roles>(sqliteRoles(db, clock)),
    schedules: toAsync<Schedules>(sqliteSchedules(db, jobs, clock)),
    queue: createQueue(jobs),
    async close() {
      if (!isOpen) return;
      isOpen = false;
      leases.releaseAll();
      jobs.releaseAll();
    },
  } satisfies Sessions);
}
