/** Sets up memory: three tiers in the file of the workspace, and the account in a file of its own. */
import { join } from 'node:path';
import type { Memory } from '../memory/index.ts';
import type { Database } from '../store/index.ts';
import { directories, processEnvironment } from './config/index.ts';

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
    import('../store/index.ts'),
    import('../memory/index.ts'),
  ]);
  const file = accountOf === 'person' ? 'account.db' : `account-${workspace.world.workspace.id}.db`;
  const path = join(directories(processEnvironment()).data, file);
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
