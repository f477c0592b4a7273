/** Changes the user's settings file. Other settings stay, and the file is replaced atomically. */
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
 * Returns the content with these settings. Throws `bad_config` for a malformed file, and `bad_argument` if the file has
 * another value for a setting, unless `force` is set.
 */
export function planChange(path: string, given: GivenSettings, force: boolean): SettingsChange {
  const existing = readConfigFile(path, 'follow')?.content ?? {};
  const changed = Object.keys(given).filter((name) => !isDeepStrictEqual(existing[name], given[name]));
  const conflicting = changed.filter((name) => Object.hasOwn(existing, name));
  if (conflicting.length > 0 && !force)
    throw new SondeError('bad_argument', {
      message: `${path} has another value for ${conflicting.join(', ')}`,
      remedy: 'Give --force to replace the value, or leave that setting out.',
    });
  return { path, content: { ...existing, ...given }, written: changed };
}

/** Throws if the folder cannot be written to. */
export function writeChange({ path, content }: SettingsChange): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const target = resolveLinks(path);
  const temporaryFile = join(dirname(target), `.sonde.json.${process.pid}.new`);
  rmSync(temporaryFile, { force: true });
  try {
    const descriptor = openSync(temporaryFile, 'wx', 0o600);
    try {
      writeSync(descriptor, `${JSON.stringify(content, null, 2)}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporaryFile, target);
  } catch (thrown) {
    rmSync(temporaryFile, { force: true });
    throw thrown;
  }
}

/** Follows symbolic links, so that the target is replaced and not the link. */
function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
