import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Directories } from '../config/index.ts';
import type { TokenPlace } from './tokens.ts';

/** The place that a workspace is for tokens: its file by whatever path, and its id. */
export function workspacePlace(
  directories: Pick<Directories, 'data'>,
  workspace: { readonly path: string; readonly id: string },
): TokenPlace {
  const path = real(workspace.path);
  // By its name where it has one: then its tokens hold when the home is moved.
  const usual = dirname(path) === join(real(directories.data), 'workspaces') && path.endsWith('.db');
  return { kind: 'workspace', workspace: usual ? basename(path, '.db') : path, id: workspace.id };
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
