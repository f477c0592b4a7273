/** Reads `sonde.json`: the user's own, and that of a project, which is untrusted. */
import { lstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { SondeError } from '../../core/index.ts';
import { processEnvironment } from './environment.ts';

const fileName = 'sonde.json';
const maxFileBytes = 64 * 1024;

export interface ConfigFile {
  readonly path: string;
  readonly content: Readonly<Record<string, unknown>>;
}

const statOrNull = (path: string, stat: (path: string) => Stats): Stats | null => {
  try {
    return stat(path);
  } catch {
    return null;
  }
};

/** The nearest `sonde.json` from a folder upward, or null. */
export function findProjectFile(startFolder: string, userFile: string): string | null {
  for (let folder = resolve(startFolder); ; folder = dirname(folder)) {
    const path = join(folder, fileName);
    if (path !== userFile && statOrNull(path, lstatSync) !== null) return path;
    if (dirname(folder) === folder) return null;
  }
}

/** Returns null if there is no file. Throws `bad_config`, never with text of the file: a link may lead to any file. */
export function readConfigFile(path: string, links: 'follow' | 'refuse'): ConfigFile | null {
  const stats = statOrNull(path, links === 'follow' ? statSync : lstatSync);
  if (stats === null) return null;
  const fail = (why: string, remedy: string, cause?: unknown): never => {
    throw new SondeError('bad_config', { message: `${path}: ${why}`, remedy, details: { path }, cause });
  };
  // Links out of a repository, pipes and devices are not opened.
  if (!stats.isFile())
    return fail('is not an ordinary file', 'Replace it by an ordinary file, or remove it.');
  if (stats.size > maxFileBytes)
    return fail(`is larger than ${maxFileBytes} bytes`, 'Keep only settings in it.');
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return fail('cannot be read', 'Give yourself permission to read it, or remove it.');
  }
  let content: unknown;
  try {
    content = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return fail('is not JSON', 'Correct it: one JSON object of settings, as in docs/configuration.md.');
  }
  if (content === null || typeof content !== 'object' || Array.isArray(content))
    return fail('is not a JSON object', 'Write one JSON object of settings, as in docs/configuration.md.');
  return Object.freeze({ path, content: content as Record<string, unknown> });
}

const expandHome = (path: string): string =>
  path.startsWith('~/') ? resolve(processEnvironment()['HOME'] ?? homedir(), path.slice(2)) : path;

/** Reads a secret from its file. Throws `bad_config` with the path and `namedBy`, the setting that names the file. */
export function readSecretFile(path: string, namedBy: string): string {
  const fail = (why: string): never => {
    throw new SondeError('bad_config', {
      message: `${namedBy} names ${path}, which ${why}`,
      remedy: 'Name a readable file that holds the key and nothing else.',
    });
  };
  const expandedPath = expandHome(path);
  const stats = statOrNull(expandedPath, statSync);
  if (stats === null) return fail('does not exist');
  if (!stats.isFile() || stats.size > maxFileBytes) return fail('is not a small ordinary file');
  try {
    return readFileSync(expandedPath, 'utf8').trim() || fail('is empty');
  } catch (error) {
    if (error instanceof SondeError) throw error;
    return fail('cannot be read');
  }
}

/**
 * Returns a function that returns the secret in a file. It reads the file again after a change, since Kubernetes replaces
 * mounted tokens. While the file is missing or incomplete, it returns the last secret.
 */
export function rereadingSecretFile(path: string, namedBy: string): () => string {
  let text = readSecretFile(path, namedBy);
  const readStamp = (): string => {
    const stats = statOrNull(expandHome(path), statSync);
    return stats === null ? '' : `${stats.ino}/${stats.size}/${stats.mtimeMs}`;
  };
  let lastStamp = readStamp();
  return () => {
    const newStamp = readStamp();
    if (newStamp === lastStamp || newStamp === '') return text;
    try {
      text = readSecretFile(path, namedBy);
      lastStamp = newStamp;
    } catch {
      // The file is empty or incomplete at this moment. The next call tries again.
    }
    return text;
  };
}
