/** SQL statements that store a worker's writes, one for each table, with any number of rows. */
import type { LedgerLine, LedgerReservation } from '../../../core/index.ts';
import { removeReplacedWrites, type Write } from '../../writes.ts';
import type { Statement } from '../database.ts';

type WriteOf<Kind extends Write['kind']> = Extract<Write, { kind: Kind }>;

/** Each row comes after those that it refers to. Sending the same writes again changes nothing. */
export function keepWrites(writes: readonly Write[]): readonly Statement[] {
  const lastWrites = removeReplacedWrites(writes);
  const writesOf = <Kind extends Write['kind']>(kind: Kind) =>
    lastWrites.filter((write): write is WriteOf<Kind> => write.kind === kind);
  const snapshots = writesOf('snapshot');
  return [
    keepRecords(writesOf('record')),
    keepEvents(writesOf('append')),
    keepSnapshots(snapshots.filter(({ snapshot }) => snapshot !== null)),
    dropSnapshots(snapshots.filter(({ snapshot }) => snapshot === null)),
    keepAccounts(writesOf('account')),
    keepLines(writesOf('line').map(({ line }) => line)),
    keepReservations(writesOf('reservation').map(({ reservation }) => reservation)),
    dropReservations(writesOf('drop')),
    finishRuns(writesOf('finish')),
  ].filter((statement) => statement !== null);
}

/** One statement with an array for each column, which has the values of all rows; null if there is no row. */
function buildStatement<Item>(
  name: string,
  text: string,
  rows: readonly Item[],
  ...fields: readonly ((row: Item) => unknown)[]
): Statement | null {
  return rows.length === 0 ? null : { name, text, values: fields.map((field) => rows.map(field)) };
}

const keepRecords = (rows: readonly WriteOf<'record'>[]) =>
  buildStatement(
    'keep records',
    `INSERT INTO journal (run, key, value) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
     ON CONFLICT (run, key) DO NOTHING`,
    rows,
    ({ run }) => run,
    ({ key }) => key,
    ({ value }) => value,
  );

const keepEvents = (rows: readonly WriteOf<'append'>[]) =>
  buildStatement(
    'keep events',
    `INSERT INTO events (run, seq, at, key, event)
     SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[])
     ON CONFLICT (run, key) DO NOTHING`,
    rows,
    ({ run }) => run,
    ({ seq }) => seq,
    ({ at }) => at,
    ({ key }) => key,
    ({ event }) => event,
  );

const keepSnapshots = (rows: readonly WriteOf<'snapshot'>[]) =>
  buildStatement(
    'keep snapshots',
    `INSERT INTO snapshots (run, node, cells, bytes)
     SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[])
     ON CONFLICT (run, node) DO UPDATE SET cells = excluded.cells, bytes = excluded.bytes`,
    rows,
    ({ run }) => run,
    ({ node }) => node,
    ({ snapshot }) => snapshot!.cells,
    ({ snapshot }) => Buffer.from(snapshot!.bytes),
  );

const dropSnapshots = (rows: readonly WriteOf<'snapshot'>[]) =>
  buildStatement(
    'drop snapshots',
    `DELETE FROM snapshots USING unnest($1::text[], $2::text[]) AS gone (run, node)
     WHERE snapshots.run = gone.run AND snapshots.node = gone.node`,
    rows,
    ({ run }) => run,
    ({ node }) => node,
  );

const keepAccounts = (rows: readonly WriteOf<'account'>[]) =>
  buildStatement(
    'keep accounts',
    `INSERT INTO accounts (id, parent, opened) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
     ON CONFLICT (id) DO NOTHING`,
    rows,
    ({ id }) => id,
    ({ account }) => account.parent,
    ({ account }) => account.opened,
  );

const keepLines = (rows: readonly LedgerLine[]) =>
  buildStatement(
    'keep lines',
    `INSERT INTO balances (account, resource, ceiling, kept, spent, held, unknown)
     SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
     ON CONFLICT (account, resource) DO UPDATE SET ceiling = excluded.ceiling, kept = excluded.kept,
       spent = excluded.spent, held = excluded.held, unknown = excluded.unknown`,
    rows,
    ({ account }) => account,
    ({ resource }) => resource,
    ({ ceiling }) => ceiling,
    ({ kept }) => kept,
    ({ spent }) => spent,
    ({ held }) => held,
    ({ unknown }) => unknown,
  );

const keepReservations = (rows: readonly LedgerReservation[]) =>
  buildStatement(
    'keep reservations',
    `INSERT INTO reservations (id, run, step, fence, account, asked, spent, state)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[])
     ON CONFLICT (id) DO UPDATE SET spent = excluded.spent, state = excluded.state`,
    rows,
    ({ id }) => id,
    ({ key }) => key.run,
    ({ key }) => key.step,
    ({ key }) => key.fence,
    ({ account }) => account,
    ({ asked }) => JSON.stringify(asked),
    ({ spent }) => spent && JSON.stringify(spent),
    ({ state }) => state,
  );

const dropReservations = (rows: readonly WriteOf<'drop'>[]) =>
  buildStatement(
    'drop reservations',
    'DELETE FROM reservations WHERE id = ANY ($1::text[])',
    rows,
    ({ reservation }) => reservation,
  );

const finishRuns = (rows: readonly WriteOf<'finish'>[]) =>
  buildStatement(
    'finish runs',
    `UPDATE runs SET status = 'finished', updated = done.at
     FROM unnest($1::text[], $2::bigint[]) AS done (run, at) WHERE runs.id = done.run`,
    rows,
    ({ run }) => run,
    ({ at }) => at,
  );
