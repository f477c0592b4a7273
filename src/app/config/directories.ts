/** Where Sonde keeps things: the XDG base directories, or everything below `SONDE_HOME`. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Environment } from './environment.ts';

export interface Directories {
  /** The user's own settings: `<config>/sonde.json`. */
  readonly config: string;
  /** The runs database. */
  readonly data: string;
  /** Indexes: can be deleted at any time. */
  readonly cache: string;
}

export function directories(environment: Environment): Directories {
  const home = environment['SONDE_HOME'];
  if (home !== undefined && home !== '')
    return Object.freeze({ config: home, data: join(home, 'data'), cache: join(home, 'cache') });
  const user = environment['HOME'] ?? homedir();
  // The XDG specification says that a relative value is to be ignored.
  const base = (name: string, fallback: string): string => {
    const value = environment[name];
    return join(value !== undefined && isAbsolute(value) ? value : join(user, fallback), 'sonde');
  };
  return Object.freeze({
    config: base('XDG_CONFIG_HOME', '.config'),
    data: base('XDG_DATA_HOME', '.local/share'),
    cache: base('XDG_CACHE_HOME', '.cache'),
  });
}

export const databaseFile = (where: Directories): string => join(where.data, 'sonde.db');
export const userConfigFile = (where: Directories): string => join(where.config, 'sonde.json');
