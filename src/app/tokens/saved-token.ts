/** Reads and writes the file with a token that a server made for its user, who alone can read it. */
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SondeError, sha256 } from '../../core/index.ts';
import type { Directories } from '../config/index.ts';
import type { TokenPlace } from './tokens.ts';

type DataFolder = Pick<Directories, 'data'>;

export interface SavedToken {
  readonly path: string;
  readonly token: string;
}

function tokenPath({ data }: DataFolder, place: TokenPlace, name: string): string {
  const { kind } = place;
  const prefix = kind === 'alerts' ? kind : `workspace-${toFileName(place.workspace)}`;
  return join(data, 'tokens', `${prefix}.${name}`);
}

/** The file name for a workspace. A path, or a name that is no valid file name, is hashed. */
const toFileName = (workspace: string): string =>
  /^[\w -]+$/.test(workspace) ? workspace : sha256(workspace).slice(0, 16);

/** Reads the saved token; null: there is none. Throws `bad_config` if others can read it, or if it is no token. */
export function readSavedToken(data: DataFolder, place: TokenPlace, name: string): SavedToken | null {
  const path = tokenPath(data, place, name);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  const isOwn = stats.isFile() && (process.getuid === undefined || stats.uid === process.getuid());
  if (!isOwn || (stats.mode & 0o077) !== 0)
    throw new SondeError('bad_config', {
      message: `${path} is not an ordinary file that only you can read`,
      remedy: 'Delete it: the next start makes a new token.',
    });
  return { path, token: readFileSync(path, 'utf8').trim() };
}

/** Replaces the saved token of that name atomically. Returns the path. */
export function saveToken(data: DataFolder, place: TokenPlace, name: string, token: string): string {
  const path = tokenPath(data, place, name);
  mkdirSync(join(data.data, 'tokens'), { recursive: true, mode: 0o700 });
  const newPath = `${path}.${process.pid}.new`;
  rmSync(newPath, { force: true });
  writeFileSync(newPath, `${token}\n`, { flag: 'wx', mode: 0o600 });
  renameSync(newPath, path);
  return path;
}

export const removeSavedToken = (data: DataFolder, place: TokenPlace, name: string): void =>
  rmSync(tokenPath(data, place, name), { force: true });

/**
 * Throws `bad_config` if the file of an earlier version exists, which had one token for all servers of a user. Programs
 * that use that token need another one, which their user has to know.
 */
export function requireNoSharedToken({ data }: DataFolder): void {
  const path = join(data, 'mcp-token');
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  throw new SondeError('bad_config', {
    message: `${path} holds a token of an earlier version, which opened every server of yours, and opens none now`,
    remedy:
      'Delete the file and start again: the server makes a token for itself alone, and says where it is. ' +
      'More are made with sonde token add NAME --workspace W.',
  });
}
