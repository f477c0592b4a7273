/** The audit as the server of one workspace shows it: what was done in it, and by its person. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../store/database.ts';
import type { Audit } from '../../store/index.ts';
import { openAuditIn } from '../../store/sqlite/sqlite-audit.ts';
import type { WorldReader } from '../../world/index.ts';
import { type Configuration, databaseFile, storeAddress } from '../config/index.ts';
import { openOnce } from '../host/host-material.ts';
import { formatAuditName } from '../tokens/open-tokens.ts';
import type { TokenPlace } from '../tokens/tokens.ts';
import { type AuditList, type AuditPort, filterAudit, joinAudits, worldAudit } from './audits.ts';

export interface ServerAuditRequest {
  readonly configuration: Pick<Configuration, 'directories' | 'values'>;
  /** The file of the workspace. */
  readonly database: Database;
  readonly world: Pick<WorldReader, 'head' | 'events'>;
  readonly place: TokenPlace;
  /** Where a shared store keeps the workspace; absent: in its file. */
  readonly schema?: string;
}

interface OpenAudits {
  /** Of the workspace: what is done in it is kept here. */
  readonly own: Audit;
  readonly here: AuditList;
  readonly all: AuditList;
  close(): Promise<void>;
}

export function openServerAudit(request: ServerAuditRequest): AuditPort & { close(): Promise<void> } {
  const opened = openOnce(() => open(request));
  return {
    recordAct: async (act, by) => (await opened.get()).own.keep(act, by),
    async list({ here = false, ...query }) {
      const { here: workspaceAudits, all } = await opened.get();
      return (here ? workspaceAudits : all).list(query);
    },
    close: async () => opened.close(),
  };
}

async function open(request: ServerAuditRequest): Promise<OpenAudits> {
  const { configuration, database, world, place, schema } = request;
  const { directories, values } = configuration;
  const closers: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    let shared: readonly AuditList[] = [];
    let own: Audit;
    if (schema === undefined) {
      own = openAuditIn(database);
      const runs = databaseFile(directories);
      if (existsSync(runs)) shared = openFileAudits(runs);
    } else {
      const { openPostgresAudit } = await import('../../store/postgres/index.ts');
      const url = storeAddress(values);
      const [workspaceAudit, sharedAudit] = [openPostgresAudit({ url, schema }), openPostgresAudit({ url })];
      closers.push(
        () => workspaceAudit.close(),
        () => sharedAudit.close(),
      );
      own = workspaceAudit;
      shared = [sharedAudit];
    }
    const tokens = join(directories.data, 'tokens.db');
    const tokenAudits = existsSync(tokens) ? openFileAudits(tokens) : [];
    const tokenAuditsFor = (tokenPlace: TokenPlace): readonly AuditList[] =>
      tokenAudits.map((audit) =>
        filterAudit(audit, ({ on }) => on.endsWith(formatAuditName('', tokenPlace))),
      );
    const here = joinAudits([own, worldAudit(world), ...tokenAuditsFor(place)]);
    return { own, here, all: joinAudits([here, ...tokenAuditsFor({ kind: 'alerts' }), ...shared]), close };
  } catch (thrown) {
    await close();
    throw thrown;
  }

  /** None where an older version made the file. */
  function openFileAudits(path: string): readonly Audit[] {
    const file = openDatabase({ path, schemas: [] });
    closers.push(() => file.close());
    const hasAuditTable = file.get("SELECT 1 FROM sqlite_schema WHERE name = 'audit'") !== undefined;
    return hasAuditTable ? [openAuditIn(file)] : [];
  }
}
