/**
 * Removes finished runs of a shared store, in every schema. It first removes the rows of the runs, in batches, so that
 * nobody finds them, and then their records: whole days by dropping their tables, others row by row. It can be
 * interrupted and started again.
 */
import type pg from 'pg';
import { createSortableId } from '../../../core/index.ts';
import type { Actor } from '../../audit.ts';
import type { PostgresOptions } from '../connection.ts';
import { escapeNul } from '../escape-nul.ts';
import { dayTables } from '../schema/day-schema.ts';
import { listWorkspaceSchemas } from '../schema/migrate.ts';
import { withConnection } from '../with-connection.ts';
import { type Day, dayMs, formatDayTable, listSchemasWithDays, readDays, withTableLock } from './days.ts';

export interface SharedPruneOptions {
  /** Minimum age of the last change of a run, in milliseconds by the clock of the database; null: any age. */
  readonly olderThan: number | null;
  /** The number of newest finished runs that are kept in each schema. */
  readonly keep: number;
  /** False: only reports what would be removed. */
  readonly remove: boolean;
  readonly by?: Actor;
  /** Called after each batch. */
  readonly onBatch?: () => Promise<void>;
}

export interface SharedRun {
  readonly schema: string;
  readonly id: string;
  readonly question: string;
  /** Milliseconds since the Unix epoch. */
  readonly created: number;
  /** The stored size, after compression by the server. */
  readonly bytes: number;
}

export interface SharedPrune {
  readonly runs: readonly SharedRun[];
  /** The days whose tables were dropped, with their schema. */
  readonly days: readonly { readonly schema: string; readonly day: string }[];
  readonly kept: { readonly unfinished: number; readonly behind_pages: number; readonly recent: number };
  /** Reasons why fewer runs were removed, or none. */
  readonly notes: readonly string[];
}

/** Maximum age of a host's report on the runs that its pages refer to. Milliseconds. */
export const maxReportAgeMs = 60 * 60_000;
const runsPerBatch = 200;
const answerTimeoutMs = 10 * 60_000;
/** If more runs of a day than this are kept, its tables are kept too, and rows are removed one by one. */
const maxStaying = 200;

/** Throws `store_away` and the other errors of a store. */
export async function pruneShared({ url }: PostgresOptions, terms: SharedPruneOptions): Promise<SharedPrune> {
  const options = { url, answerMs: answerTimeoutMs };
  const silentSchemas = await findSilentHosts(options);
  if (silentSchemas.length > 0) {
    const notes = silentSchemas.map(
      (schema) =>
        `No run of the shared store was removed, since no host of ${schema.replace(/^sonde_w_/, '')} has reported within an hour on which runs its pages rest. Start it: sonde worker --workspaces NAME.`,
    );
    return { runs: [], days: [], kept: { unfinished: 0, behind_pages: 0, recent: 0 }, notes };
  }
  const schemas = await listSchemasWithDays(options);
  const [runs, days, notes] = [[] as SharedRun[], [] as { schema: string; day: string }[], [] as string[]];
  const kept = { unfinished: 0, behind_pages: 0, recent: 0 };
  const union = buildReferencesQuery(await listWorkspaceSchemas(options));
  for (const schema of schemas)
    await withConnection(options, schema, async (client) => {
      await client.query(`CREATE TEMP TABLE pages_rest AS ${union}`);
      const isLocked = await takeLock(client);
      if (!isLocked) return void notes.push(`Another process is removing runs of ${schema} now.`);
      const removed = await removeRuns(client, schema, terms);
      runs.push(...removed.runs);
      kept.unfinished += removed.kept.unfinished;
      kept.behind_pages += removed.kept.behind_pages;
      kept.recent += removed.kept.recent;
      if (!terms.remove) return;
      for (const day of await findDueDays(client, terms))
        if (await dropDay(client, day)) days.push({ schema, day: day.day });
    });
  return { runs, days, kept, notes };
}

/** Workspaces whose host has not reported lately which runs its pages refer to. */
async function findSilentHosts(options: PostgresOptions): Promise<readonly string[]> {
  const silentSchemas: string[] = [];
  for (const schema of await listWorkspaceSchemas(options)) {
    const hasReported = await withConnection(options, schema, async (client) => {
      const { rows } = await client.query(`SELECT to_regclass('pages_told') IS NOT NULL AS known`);
      if (!rows[0].known) return false;
      // A schema that never had a host, such as one of a mistyped name, or a backup that was restored for
      // inspection.
      const hostRows = await client.query(
        `SELECT 1 FROM leases LEFT JOIN host_about ON true
          WHERE run = 'host' AND about::json ->> 'worker' IS DISTINCT FROM 'restore'
         UNION ALL SELECT 1 FROM pages_told`,
      );
      if (hostRows.rowCount === 0) return true;
      const recentReports = await client.query('SELECT 1 FROM pages_told WHERE at > now_ms() - $1', [
        maxReportAgeMs,
      ]);
      return recentReports.rowCount === 1;
    });
    if (!hasReported) silentSchemas.push(schema);
  }
  return silentSchemas;
}

const buildReferencesQuery = (schemas: readonly string[]): string =>
  [
    'SELECT NULL::text AS kind, NULL::text AS id WHERE false',
    ...schemas.map((schema) => `SELECT kind, id FROM "${schema}".pages_rest_on`),
  ].join(' UNION ');

const takeLock = async (client: pg.ClientBase): Promise<boolean> =>
  (
    await client.query(
      `SELECT pg_try_advisory_lock(hashtext('sonde prune'), hashtext(current_schema())) AS taken`,
    )
  ).rows[0].taken;

const isFree = `status = 'finished' AND NOT EXISTS (SELECT 1 FROM leases
  WHERE leases.run = runs.id AND host IS NOT NULL AND expires > now_ms())`;
const isReferenced = `EXISTS (SELECT 1 FROM pages_rest p WHERE (p.kind = 'run' AND p.id = runs.id)
  OR (p.kind = 'thread' AND p.id = coalesce(params::json ->> 'thread', params::json -> 'extra' ->> 'thread')))`;
/** Whether the run's account pays for unfinished work. */
const paysFor = `EXISTS (SELECT 1 FROM reservations r LEFT JOIN runs payer ON payer.id = r.run
  WHERE (r.account = runs.id OR (r.account > runs.id || '/' AND r.account < runs.id || '0'))
    AND (r.state = 'open' OR (r.run <> runs.id AND payer.status = 'running')))`;

async function removeRuns(
  client: pg.ClientBase,
  schema: string,
  { olderThan, keep, remove, by, onBatch }: SharedPruneOptions,
): Promise<Pick<SharedPrune, 'runs' | 'kept'>> {
  const latestTime = await readLatestTime(client, olderThan);
  await client.query(
    `CREATE TEMP TABLE going AS SELECT id, question, created FROM runs
      WHERE ${isFree} AND NOT ${isReferenced} AND NOT ${paysFor} AND ($1::bigint IS NULL OR updated < $1)
        AND id NOT IN (SELECT id FROM runs WHERE status = 'finished' ORDER BY created DESC, id DESC LIMIT $2)`,
    [latestTime, keep],
  );
  const counts = await client.query(
    `SELECT count(*) FILTER (WHERE NOT (${isFree})) AS unfinished, count(*) FILTER (WHERE ${isFree} AND ${isReferenced}) AS behind,
      count(*) AS all, (SELECT count(*) FROM going) AS going FROM runs`,
  );
  const [{ unfinished, behind, all, going }] = counts.rows;
  const days = new Set((await findDueDays(client, { olderThan })).map(({ day }) => day));
  const removable: SharedRun[] = [];
  for (let after = ''; ; ) {
    const { rows } = await client.query(
      `SELECT id, question, created,
        ${Object.entries(sizeColumns)
          .map(
            ([table, of]) =>
              `(SELECT coalesce(sum(pg_column_size(${of})), 0) FROM ${table} WHERE run = going.id)`,
          )
          .join(' + ')} AS bytes
       FROM going WHERE id > $1 ORDER BY id LIMIT ${runsPerBatch}`,
      [after],
    );
    if (rows.length === 0) break;
    after = String(rows.at(-1).id);
    const ids = remove
      ? new Set(
          await removeBatch(
            client,
            rows.map(({ id }) => String(id)),
            days,
            by,
          ),
        )
      : null;
    for (const { id, question, created, bytes } of rows)
      if (ids === null || ids.has(id))
        removable.push({
          schema,
          id,
          question: JSON.parse(question),
          created: Number(created),
          bytes: Number(bytes),
        });
    await onBatch?.();
  }
  const keptCounts = { unfinished: Number(unfinished), behind_pages: Number(behind) };
  const recent = Number(all) - keptCounts.unfinished - keptCounts.behind_pages - Number(going);
  return { runs: removable, kept: { ...keptCounts, recent: recent + Number(going) - removable.length } };
}

/** Returns the removed ids. A run that was resumed meanwhile is kept. */
async function removeBatch(
  client: pg.ClientBase,
  ids: readonly string[],
  days: ReadonlySet<string>,
  by: Actor | undefined,
): Promise<readonly string[]> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT 1 FROM leases WHERE run = ANY ($1) ORDER BY run FOR UPDATE', [ids]);
    const { rows } = await client.query(
      `SELECT id FROM runs WHERE id = ANY ($1) AND ${isFree} AND NOT ${paysFor} ORDER BY id FOR UPDATE`,
      [ids],
    );
    const removedIds = rows.map(({ id }) => String(id));
    if (by !== undefined)
      await client.query(
        `INSERT INTO audit (id, at, actor, team, act, target, result)
         SELECT id, now_ms(), $3, $4, 'run_removed', target, 'done' FROM unnest($1::text[], $2::text[]) AS a (id, target)`,
        [
          removedIds.map(() => createSortableId(Date.now())),
          removedIds,
          escapeNul(by.name),
          escapeNul(by.team),
        ],
      );
    const accountsOfRuns = `IN (SELECT id FROM accounts a, unnest($1::text[]) AS gone (run)
      WHERE a.id = gone.run OR (a.id > gone.run || '/' AND a.id < gone.run || '0'))`;
    // Records of the due days are removed with their tables.
    const idsWithoutDay = removedIds.filter((id) => !days.has(parseDay(id) ?? ''));
    for (const [text, of] of [
      [`DELETE FROM reservations WHERE run = ANY ($1) OR account ${accountsOfRuns}`, removedIds],
      [`DELETE FROM balances WHERE account ${accountsOfRuns}`, removedIds],
      [`DELETE FROM accounts WHERE id ${accountsOfRuns}`, removedIds],
      ['DELETE FROM account_roots WHERE root = ANY ($1)', removedIds],
      [
        `DELETE FROM queue_jobs WHERE topic = 'runs' AND key = ANY ($1) AND state NOT IN ('waiting', 'running')`,
        removedIds,
      ],
      ...Object.keys(dayTables).map(
        (table) => [`DELETE FROM ${table} WHERE run = ANY ($1)`, idsWithoutDay] as const,
      ),
      ['DELETE FROM leases WHERE run = ANY ($1)', removedIds],
      ['DELETE FROM runs WHERE id = ANY ($1)', removedIds],
    ] as const)
      if (of.length > 0) await client.query(text, [of]);
    await client.query('COMMIT');
    return removedIds;
  } catch (thrown) {
    await client.query('ROLLBACK').catch(() => {});
    throw thrown;
  }
}

/** The day in the id of a run; null if the id has no time. */
function parseDay(id: string): string | null {
  const time = /^run-(0[0-9a-z]{8})/.exec(id)?.[1];
  return time === undefined ? null : new Date(Number.parseInt(time, 36)).toISOString().slice(0, 10);
}

async function readLatestTime(client: pg.ClientBase, olderThan: number | null): Promise<number | null> {
  return olderThan === null
    ? null
    : Number((await client.query('SELECT now_ms() AS now')).rows[0].now) - olderThan;
}

/** The days that ended before the given age, so that no run of them can be younger. */
async function findDueDays(
  client: pg.ClientBase,
  { olderThan }: Pick<SharedPruneOptions, 'olderThan'>,
): Promise<readonly Day[]> {
  const latestTime = (await readLatestTime(client, olderThan ?? 0))!;
  // One hour more, since a process whose clock is late begins runs of the day before.
  return (await readDays(client)).filter(({ start }) => start + dayMs <= latestTime - dayMs / 24);
}

/** `events` comes last, since `readDays` finds a day by this table. */
const droppedTables = ['snapshots', 'journal', 'events'] as const;
/** The column of each table that takes most of its space. */
const sizeColumns = { snapshots: 'bytes', journal: 'value', events: 'event' } as const satisfies Readonly<
  Record<keyof typeof dayTables, string>
>;

/** Drops the tables of a day. False if too many of its runs stay: then only rows are removed. */
async function dropDay(client: pg.ClientBase, day: Day): Promise<boolean> {
  const range = 'id >= day_start($1::date) AND id < day_start($1::date + 1)';
  const staying = await client.query(`SELECT count(*) AS n FROM runs WHERE ${range}`, [day.day]);
  const isFew = Number(staying.rows[0].n) <= maxStaying;
  for (const table of droppedTables) {
    const dayTable = formatDayTable(table, day);
    const existence = await client.query('SELECT to_regclass($1) IS NOT NULL AS there', [dayTable]);
    if (!existence.rows[0].there) continue;
    if (!isFew) {
      await client.query(
        `DELETE FROM ${dayTable} t WHERE NOT EXISTS (SELECT 1 FROM runs WHERE runs.id = t.run)`,
      );
      continue;
    }
    await withTableLock(client, async () => {
      await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      await client.query(
        `CREATE TEMP TABLE staying ON COMMIT DROP AS SELECT t.* FROM ${dayTable} t JOIN runs ON runs.id = t.run`,
      );
      await client.query(`DROP TABLE ${dayTable}`);
      // They go to the default partition.
      await client.query(`INSERT INTO ${table} SELECT * FROM staying`);
    });
  }
  return isFew;
}
