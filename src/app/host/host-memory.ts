/** Sets up memory: three tiers in the file of the workspace, and the account in a file of its own. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Memory } from '../../memory/index.ts';
import type { Database } from '../../store/index.ts';
import { directories, processEnvironment } from '../config/index.ts';

export interface OpenMemory {
  readonly memory: Memory;
  close(): void;
}

/** How long to wait for another process that writes. Milliseconds. */
const busyMs = 10_000;

/**
 * Whose the account is: the person's, which all workspaces of this user share; or one of the workspace alone, since the
 * authors of a team's workspace may belong to other teams than those of the next one.
 */
export type AccountOf = 'person' | 'workspace';

/** The database of the workspace is closed by its owner. Throws the errors of opening a database. */
export async function openHostMemory(
  workspace: {
    readonly database: Database;
    readonly world: { readonly workspace: { readonly id: string } };
  },
  accountOf: AccountOf = 'person',
): Promise<OpenMemory> {
  const [{ openDatabase }, { openMemory }] = await Promise.all([
    import('../../store/index.ts'),
    import('../../memory/index.ts'),
  ]);
  const path = accountFile(accountOf, workspace.world.workspace.id);
  const account = openDatabase({ path, schemas: [], busyMs, holds: 'account' });
  try {
    const { database, world } = workspace;
    const memory = openMemory({ workspace: database, workspaceId: world.workspace.id, account });
    return { memory, close: () => account.close() };
  } catch (error) {
    account.close();
    throw error;
  }
}

function accountFile(accountOf: AccountOf, workspaceId: string): string {
  const file = accountOf === 'person' ? 'account.db' : `account-${workspaceId}.db`;
  return join(directories(processEnvironment()).data, file);
}

/**
 * What to tell of a hosted workspace that has no account of its own yet while the person has one: memories of hosted
 * workspaces were kept there once, and are not seen in them any more. Null: nothing.
 */
export async function findAbandonedAccount(
  workspace: Parameters<typeof openHostMemory>[0],
): Promise<string | null> {
  const { id } = workspace.world.workspace;
  if (existsSync(accountFile('workspace', id)) || !existsSync(accountFile('person', id))) return null;
  const { memory, close } = await openHostMemory(workspace);
  try {
    const count = memory.listAll({ tier: 'account' }).length;
    return count === 0
      ? null
      : `memories of the tier account, ${count} on this machine, are not seen in hosted workspaces any more: sonde memory ls --tier account`;
  } finally {
    close();
  }
}
