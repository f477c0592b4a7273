import type { DatabaseSync } from 'node:sqlite';
import { SondeError } from '../../core/index.ts';
import type { Schema } from '../schema.ts';

/** Marks a database of this program ("SOND"), so that another program's database is never migrated. */
const applicationId = 0x534f4e44;

/**
 * Applies the pending steps of a schema. `retryWhileBusy` waits for other writing processes. Throws `store_unusable` if
 * the file belongs to another program, `store_version` if it is newer than this program.
 */
export function includeSchema(
  db: DatabaseSync,
  schema: Schema,
  path: string,
  retryWhileBusy: (work: () => void) => void,
): void {
  const readNumber = (sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0] ?? 0);
  const newestVersion = schema.steps.length;

  function readVersion(): number {
    const id = readNumber('PRAGMA application_id');
    const tables = readNumber('SELECT count(*) FROM sqlite_schema');
    if (id !== applicationId && tables > 0) {
      throw new SondeError('store_unusable', {
        message: `${path} is the database of another program`,
        remedy: 'Name another file for the store.',
      });
    }
    if (tables === 0) return 0;
    const version = hasPartColumn(db)
      ? Number(db.prepare('SELECT max(version) AS v FROM versions WHERE part = ?').get(schema.name)?.v ?? 0)
      : schema.name === 'runs'
        ? readNumber('SELECT max(version) FROM versions')
        : 0;
    if (version > newestVersion) {
      throw new SondeError('store_version', {
        message: `${path} has version ${version} of ${schema.name}; this program knows up to ${newestVersion}`,
        remedy: 'Use the newer program that wrote it, or name another file for the store.',
        details: { schema: schema.name, found: version, newest: newestVersion },
      });
    }
    return version;
  }

  if (readVersion() === newestVersion) return;
  retryWhileBusy(() => db.exec('BEGIN IMMEDIATE'));
  try {
    // Read again, since another process may have applied steps meanwhile.
    const appliedSteps = readVersion();
    prepareVersions(db);
    const insertVersion = db.prepare('INSERT INTO versions VALUES (?, ?, ?, unixepoch() * 1000)');
    schema.steps.slice(appliedSteps).forEach(({ name, sql }, index) => {
      db.exec(sql);
      insertVersion.run(schema.name, appliedSteps + index + 1, name);
    });
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** Whether the table of versions has a column for the schema. The first files had only the schema of runs. */
function hasPartColumn(db: DatabaseSync): boolean {
  return db.prepare("SELECT 1 FROM pragma_table_info('versions') WHERE name = 'part'").get() !== undefined;
}

function prepareVersions(db: DatabaseSync): void {
  if (hasPartColumn(db)) return;
  const hasOldTable = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'versions'").get() !== undefined;
  if (hasOldTable) db.exec('ALTER TABLE versions RENAME TO versions_of_one_part');
  db.exec(`PRAGMA application_id = ${applicationId}`);
  db.exec(`CREATE TABLE versions (
    part TEXT NOT NULL, version INTEGER NOT NULL, name TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (part, version)
  ) STRICT`);
  if (hasOldTable) {
    db.exec("INSERT INTO versions SELECT 'runs', version, name, at FROM versions_of_one_part");
    db.exec('DROP TABLE versions_of_one_part');
  }
}
