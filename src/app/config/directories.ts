/** The directories of Sonde's files: the XDG base directories, or directories below `SONDE_HOME`. */
import { existsSync, statfsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { SondeError, toSystemError } from '../../core/index.ts';
import type { Environment } from './environment.ts';

export interface Directories {
  /** The user's own settings: `<config>/sonde.json`. */
  readonly config: string;
  /** Databases: runs, alerts, tokens, the account, workspaces. */
  readonly data: string;
  /** Indexes: can be deleted at any time. */
  readonly cache: string;
}

/**
 * Throws `tool_failed` if a directory is missing and cannot be created, or if its path is a file. It is checked here,
 * since a later error would be less clear.
 */
export function directories(environment: Environment): Directories {
  const sondeDirectories = readDirectories(environment);
  for (const path of Object.values(sondeDirectories)) requireFolder(path);
  return sondeDirectories;
}

function requireFolder(path: string): void {
  try {
    if (statSync(path).isDirectory()) return;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT') requireWritable(path);
    if (code !== 'ENOTDIR') return;
  }
  throwSystemError('ENOTDIR', path);
}

/** The file system type of /proc on Linux. Node hangs when it creates a folder there. */
const procFileSystem = 0x9fa0;

function requireWritable(path: string): void {
  let ancestor = dirname(path);
  while (!existsSync(ancestor) && ancestor !== dirname(ancestor)) ancestor = dirname(ancestor);
  if (process.platform === 'linux' && statfsSync(ancestor).type === procFileSystem)
    throwSystemError('EROFS', path);
}

function throwSystemError(code: string, path: string): never {
  const systemError = Object.assign(new Error(code), { code, path });
  throw toSystemError(systemError) ?? systemError;
}

function readDirectories(environment: Environment): Directories {
  const home = environment['SONDE_HOME'];
  if (home !== undefined && home !== '')
    return Object.freeze({ config: home, data: join(home, 'data'), cache: join(home, 'cache') });
  const userHome = environment['HOME'] ?? homedir();
  // The XDG specification says to ignore relative paths.
  const xdgFolder = (name: string, fallback: string): string => {
    const value = environment[name];
    return join(value !== undefined && isAbsolute(value) ? value : join(userHome, fallback), 'sonde');
  };
  return Object.freeze({
    config: xdgFolder('XDG_CONFIG_HOME', '.config'),
    data: xdgFolder('XDG_DATA_HOME', '.local/share'),
    cache: xdgFolder('XDG_CACHE_HOME', '.cache'),
  });
}

export const databaseFile = (directories: Directories): string => join(directories.data, 'sonde.db');
export const userConfigFile = (directories: Directories): string => join(directories.config, 'sonde.json');

/** Finds a workspace by its name or path. Throws `bad_argument` if the text can be neither. */
export function workspaceFile(directories: Directories, workspace: string): string {
  if (workspace.includes('/') || workspace.endsWith('.db')) return resolve(workspace);
  if (/^[\p{L}\p{N}_-][\p{L}\p{N}_ -]{0,99}$/u.test(workspace))
    return join(directories.data, 'workspaces', `${workspace}.db`);
  throw new SondeError('bad_argument', {
    message: `${JSON.stringify(workspace)} is not a valid workspace name`,
    remedy: 'Give a name of letters, digits, space, _ and -, or a path with / in it or .db at its end.',
  });
}
