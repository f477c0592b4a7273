import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Directories } from '../config/index.ts';
import type { TokenPlace } from './tokens.ts';

/** Identifies a workspace for tokens: by its file, whatever path leads to it, and by its id. */
export function workspacePlace(
  directories: Pick<Directories, 'data'>,
  workspace: { readonly path: string; readonly id: string },
): TokenPlace {
  const path = resolvePath(workspace.path);
  // A workspace in the usual folder is identified by its name, so that its tokens stay valid if the home directory is
  // moved.
  const isUsual = dirname(path) === join(resolvePath(directories.data), 'workspaces') && path.endsWith('.db');
  return { kind: 'workspace', workspace: isUsual ? basename(path, '.db') : path, id: workspace.id };
}

/** The place for the tokens of a front, whose workspace is named by the store. Throws `bad_argument` for a bad name. */
export async function createFrontPlace(
  workspace: string,
): Promise<TokenPlace & { readonly kind: 'workspace' }> {
  const { toWorkspaceSchema } = await import('../../store/postgres/index.ts');
  return { kind: 'workspace', workspace, id: toWorkspaceSchema(workspace) };
}

function resolvePath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
