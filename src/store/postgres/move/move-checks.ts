/** Checks before a move writes anything. */
import { SondeError } from '../../../core/index.ts';
import { checkLiveness, type Holder } from '../../holder.ts';
import { queueSchema } from '../../queue/queue-schema.ts';
import type { Schema } from '../../schema.ts';
import { sessionSchema } from '../../sessions/session-schema.ts';
import { runsSchema } from '../../sqlite/migrations.ts';
import { openReadOnly, type ReadOnlyDatabase } from '../../sqlite/read-only.ts';
import type { PostgresDatabase } from '../database.ts';
import type { MovedTable } from './moved-tables.ts';

/** The schemas whose tables are moved. */
const schemas: readonly Schema[] = [runsSchema, queueSchema, sessionSchema];
/** Tables of earlier versions, whose rows became jobs of the queue. */
const replacedTables = ['desk_requests', 'schedule_fires', 'alert_groups'];

/** Throws `store_version` if an earlier Sonde wrote the file, and the errors of opening it. */
export function refuseOutOfDate(path: string): void {
  const source = openReadOnly(path);
  try {
    const isOlder =
      !hasColumn(source, 'versions', 'part') ||
      schemas.some(({ name, steps }) => {
        const found = source.get('SELECT max(version) AS version FROM versions WHERE part = ?', name)!;
        return found['version'] !== null && Number(found['version']) < steps.length;
      });
    if (isOlder || replacedTables.some((table) => hasTable(source, table))) throw oldSchemaError(path);
  } finally {
    source.close();
  }
}

/** Throws `run_state` while a process is working on a run, a conversation or a job of the file. */
export function refuseWorkers(source: ReadOnlyDatabase): void {
  if (hasTable(source, 'leases'))
    for (const row of source.each(
      'SELECT run, host, pid, started FROM leases WHERE host IS NOT NULL AND expires > ?',
      Date.now(),
    )) {
      const holder = { host: String(row['host']), pid: Number(row['pid']), started: String(row['started']) };
      if (checkLiveness(holder) !== 'dead') throw workerError(holder, String(row['run']));
    }
  if (!hasTable(source, 'queue_jobs')) return;
  for (const row of source.each(
    `SELECT key, holder FROM queue_jobs WHERE state = 'running' AND holder IS NOT NULL AND expires > ?`,
    Date.now(),
  )) {
    const holder = JSON.parse(String(row['holder'])) as Holder;
    if (checkLiveness(holder) !== 'dead') throw workerError(holder, `a job of ${source.path}`);
  }
}

const workerError = ({ pid }: Holder, what: string): SondeError =>
  new SondeError('run_state', {
    message: `Process ${pid} is working on ${what}`,
    remedy: 'Wait for it to end, or stop it (it may be a sonde serve), and try again.',
    details: { pid },
  });

/** Throws `run_state` while a worker is the host of the workspace that is moved. */
export async function refuseHosted(target: PostgresDatabase): Promise<void> {
  const text = `SELECT 1 FROM leases WHERE run = 'host' AND host IS NOT NULL AND expires > now_ms()`;
  if ((await target.ask({ name: 'a host', text, values: [] })).length === 0) return;
  throw new SondeError('run_state', {
    message: `A worker already hosts this workspace in the target store, and may write to it`,
    remedy: 'Stop it (sonde worker --workspaces), and try again.',
  });
}

/** Throws `store_unusable` if both files have a queue: their jobs may have the same ids. */
export function refuseTwoQueues(source: ReadOnlyDatabase, beside: ReadOnlyDatabase): void {
  if (!hasTable(source, 'queue_jobs') || !hasTable(beside, 'queue_jobs')) return;
  throw new SondeError('store_unusable', {
    message: `${source.path} and ${beside.path} both have queued jobs, and their numbers clash`,
    remedy: 'Copy each file into a database of its own.',
  });
}

/** Whether the file has the table. Throws `store_version` if the table lacks a column. */
export function hasCurrentTable(
  source: ReadOnlyDatabase,
  { name, columns, fileColumns = Object.keys(columns) }: MovedTable,
): boolean {
  if (!hasTable(source, name)) return false;
  if (fileColumns.every((column) => hasColumn(source, name, column))) return true;
  throw oldSchemaError(source.path);
}

const hasColumn = (source: ReadOnlyDatabase, table: string, column: string): boolean =>
  source.get('SELECT 1 FROM pragma_table_info(?) WHERE name = ?', table, column) !== undefined;

const hasTable = (source: ReadOnlyDatabase, name: string): boolean =>
  source.get(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`, name) !== undefined;

const oldSchemaError = (file: string): SondeError =>
  new SondeError('store_version', {
    message: `${file} has an older schema`,
    remedy: 'Open it with this Sonde first: SONDE_STORE=sqlite sonde runs, or sonde chat for a workspace.',
  });
