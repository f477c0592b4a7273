import type { Database } from '../../store/index.ts';

/** Removes rows whose parent is missing, until none is left. Returns the number of removed rows. */
export function dropLooseRows(db: Database): number {
  let dropped = 0;
  for (;;) {
    const loose = db.all('SELECT DISTINCT "table" AS name FROM pragma_foreign_key_check');
    if (loose.length === 0) return dropped;
    let droppedInRound = 0;
    for (const { name } of loose) droppedInRound += dropIn(db, String(name));
    dropped += droppedInRound;
    // The rest can't be deleted: another round would find the same rows again, forever.
    if (droppedInRound === 0) return dropped;
  }
}

function dropIn(db: Database, table: string): number {
  const keys = db.all(
    'SELECT "table" AS parent, "from" AS own, "to" AS theirs FROM pragma_foreign_key_list(?)',
    table,
  );
  let dropped = 0;
  for (const { parent, own, theirs } of keys)
    dropped += db.run(
      `DELETE FROM "${table}" WHERE "${own}" IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM "${parent}" p WHERE p."${theirs}" = "${table}"."${own}")`,
    );
  return dropped;
}
