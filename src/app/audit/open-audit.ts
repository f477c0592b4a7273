/** Opens the audit of this home, and of the store that it shares with others. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isSondeError } from '../../core/index.ts';
import { openDatabase } from '../../store/database.ts';
import { openAuditIn } from '../../store/sqlite/sqlite-audit.ts';
import { openWorldReader } from '../../world/reading.ts';
import { type Configuration, databaseFile, storeAddress } from '../config/index.ts';
import { listWorkspaceFiles } from '../prune/stores.ts';
import { type AuditList, joinAudits, worldAudit } from './audits.ts';

/** Creates no file and upgrades none. Throws the errors of a store that can't be read. */
export async function openAudit({
  directories,
  values,
}: Configuration): Promise<AuditList & { close(): Promise<void> }> {
  const closables: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const close of closables.splice(0).reverse()) await close();
  };
  const audits: AuditList[] = [];
  try {
    if (values.store === 'postgres') {
      const { openPostgresAudit, listWorkspaceSchemas } = await import('../../store/postgres/index.ts');
      const url = storeAddress(values);
      for (const schema of [undefined, ...(await listWorkspaceSchemas({ url }))]) {
        const audit = openPostgresAudit({ url, ...(schema !== undefined && { schema }) });
        closables.push(() => audit.close());
        audits.push(audit);
      }
    }
    const ownFiles = ['tokens.db', 'account.db'].map((name) => join(directories.data, name));
    const workspaces = listWorkspaceFiles(directories, values.workspace);
    for (const path of [databaseFile(directories), ...ownFiles, ...workspaces]) {
      if (!existsSync(path)) continue;
      const database = openDatabase({ path, schemas: [] });
      closables.push(() => database.close());
      const hasTable = (table: string) =>
        database.get('SELECT 1 FROM sqlite_schema WHERE name = ?', table) !== undefined;
      if (hasTable('audit')) audits.push(openAuditIn(database));
      if (!workspaces.includes(path)) continue;
      try {
        audits.push(worldAudit(openWorldReader(database, { name: basename(path, '.db') })));
      } catch (thrown) {
        if (!isSondeError(thrown)) throw thrown;
      }
    }
    return { ...joinAudits(audits), close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}
