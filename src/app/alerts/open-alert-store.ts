/** Opens the store of alerts and of the queue of their groups: a file beside that of the runs, or a PostgreSQL server. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemClock } from '../../core/index.ts';
import { type AlertRecords, openQueueIn, type Queue } from '../../store/index.ts';
import { type Configuration, databaseFile, storeAddress } from '../config/index.ts';
import { frontPatienceMs } from '../team/shared-sessions.ts';
import { fileRecords } from './file-records.ts';
import { openAlerts } from './open-alert-database.ts';

export interface AlertStore {
  readonly records: AlertRecords;
  readonly queue: Queue;
  /** Releases the groups that were claimed through it. */
  close(): Promise<void>;
}

/** `team`: for fronts of a shared store, the team whose rows they may see; empty: the operators of the store. */
export async function openAlertStore(
  { directories, values }: Pick<Configuration, 'directories' | 'values'>,
  team?: string,
): Promise<AlertStore> {
  if (values.store === 'postgres') {
    const { openPostgresAlerts } = await import('../../store/postgres/index.ts');
    const frontOptions = team === undefined ? {} : { team, patienceMs: frontPatienceMs };
    return openPostgresAlerts({ url: storeAddress(values), ...frontOptions });
  }
  return openAlertFile(databaseFile(directories));
}

/** `runs` is the path of the runs' file. */
export function openAlertFile(runs: string): AlertStore {
  mkdirSync(dirname(runs), { recursive: true, mode: 0o700 });
  const db = openAlerts(runs);
  const queue = openQueueIn(db);
  return {
    records: fileRecords(db, systemClock),
    queue,
    async close() {
      await queue.close();
      db.close();
    },
  };
}
