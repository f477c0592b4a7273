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
export function findProjectFile(from: string, userFile: string): string | null {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const path = join(folder, fileName);
    if (path !== userFile && statOrNull(path, lstatSync) !== null) return path;
    if (dirname(folder) === folder) return null;
  }
}

/** Throws `bad_config`. The message never repeats text of the file, since a link may lead to any file. */
export function readConfigFile(path: string, links: 'follow' | 'refuse'): ConfigFile | null {
  const stats = statOrNull(path, links === 'follow' ? statSync : lstatSync);
  if (stats === null) return null;
  const refuse = (why: string, remedy: string, cause?: unknown): never => {
    throw new SondeError('bad_config', { message: `${path}: ${why}`, remedy, details: { path }, cause });
  };
  // Links out of a repository, pipes and devices are not opened.
  if (!stats.isFile())
    return refuse('is not an ordinary file', 'Replace it by an ordinary file, or remove it.');
  if (stats.size > maxFileBytes)
    return refuse(`is larger than ${maxFileBytes} bytes`, 'Keep only settings in it.');
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return refuse('cannot be read', 'Give yourself permission to read it, or remove it.');
  }
  let content: unknown;
  try {
    content = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return refuse('is not JSON', 'Correct it: one JSON object of settings, as in docs/configuration.md.');
  }
  if (content === null || typeof content !== 'object' || Array.isArray(content))
    return refuse('is not a JSON object', 'Write one JSON object of settings, as in docs/configuration.md.');
  return Object.freeze({ path, content: content as Record<string, unknown> });
}

const homePath = (path: string): string =>
  path.startsWith('~/') ? resolve(processEnvironment()['HOME'] ?? homedir(), path.slice(2)) : path;

/** Reads a key from a file of its own. Throws `bad_config` with the file and the setting that names it. */
export function readSecretFile(path: string, namedBy: string): string {
  const refuse = (why: string): never => {
    throw new SondeError('bad_config', {
      message: `${namedBy} names ${path}, which ${why}`,
      remedy: 'Name a readable file that holds the key and nothing else.',
    });
  };
  const file = homePath(path);
  const stats = statOrNull(file, statSync);
  if (stats === null) return refuse('does not exist');
  if (!stats.isFile() || stats.size > maxFileBytes) return refuse('is not a small ordinary file');
  try {
    return readFileSync(file, 'utf8').trim() || refuse('is empty');
  } catch (error) {
    if (error instanceof SondeError) throw error;
    return refuse('cannot be read');
  }
}

/**
 * Returns a function that reads a key from a file, and reads it again when the file has changed, as Kubernetes does with
 * mounted tokens. While the file is missing or incomplete, the last key is returned.
 */
export function renewedFile(path: string, namedBy: string): () => string {
  let text = readSecretFile(path, namedBy);
  const stampOf = (): string => {
    const stats = statOrNull(homePath(path), statSync);
    return stats === null ? '' : `${stats.ino}/${stats.size}/${stats.mtimeMs}`;
  };
  let stamp = stampOf();
  return () => {
    const now = stampOf();
    if (now === stamp || now === '') return text;
    try {
      text = readSecretFile(path, namedBy);
      stamp = now;
    } catch {
      // The file is empty or incomplete at this moment. The next call tries again.
    }
    return text;
  };
}
