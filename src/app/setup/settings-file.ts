/** Changes the user's settings file: other settings stay, and it is replaced as a whole or not at all. */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { SondeError } from '../../core/index.ts';
import { readConfigFile } from '../config/index.ts';
import type { GivenSettings } from './given-settings.ts';

export interface SettingsChange {
  readonly path: string;
  /** The whole content after the change. */
  readonly content: GivenSettings;
  /** Settings that are new or have another value. */
  readonly written: readonly string[];
}

/**
 * The content with these settings. Throws `bad_config` for a malformed file, and `bad_argument` if a setting has
 * another value already, unless `force` is set.
 */
export function planChange(path: string, given: GivenSettings, force: boolean): SettingsChange {
  const before = readConfigFile(path, 'follow')?.content ?? {};
  const changed = Object.keys(given).filter((name) => !isDeepStrictEqual(before[name], given[name]));
  const standing = changed.filter((name) => Object.hasOwn(before, name));
  if (standing.length > 0 && !force)
    throw new SondeError('bad_argument', {
      message: `${path} has another value for ${standing.join(', ')}`,
      remedy: 'Give --force to replace the value, or leave that setting out.',
    });
  return { path, content: { ...before, ...given }, written: changed };
}

/** Throws if the folder cannot be written to. */
export function writeChange({ path, content }: SettingsChange): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const target = realPath(path);
  const fresh = join(dirname(target), `.sonde.json.${process.pid}.new`);
  rmSync(fresh, { force: true });
  try {
    const file = openSync(fresh, 'wx', 0o600);
    try {
      writeSync(file, `${JSON.stringify(content, null, 2)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(fresh, target);
  } catch (thrown) {
    rmSync(fresh, { force: true });
    throw thrown;
  }
}

/** Follows links, so that a link stays a link. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
