/**
 * Replaces secrets in texts by marks. Marks depend on a random key that is stored in Sonde's data directory. The API keys
 * of this process are masked wherever they appear.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Masker, masker } from '../core/index.ts';
import type { HistoryReader } from '../search/index.ts';
import { type Configuration, environmentSecrets, processEnvironment } from './config/index.ts';

const keyBytes = 32;

type MaskingConfiguration = Pick<Configuration, 'directories' | 'secrets'>;

const openedMaskers = new WeakMap<MaskingConfiguration['secrets'], Masker>();

export function openMasker({ directories, secrets }: MaskingConfiguration): Masker {
  const opened = openedMaskers.get(secrets);
  if (opened !== undefined) return opened;
  const knownSecrets = [...secrets(), ...environmentSecrets(processEnvironment())];
  const mask = masker({ key: readOrCreateKey(directories.data), known: [...new Set(knownSecrets)] });
  openedMaskers.set(secrets, mask);
  return mask;
}

/** Error codes that mean that nothing can be written to the data directory. */
const unwritableCodes = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'EMFILE']);

/**
 * Reads the key, or creates it, readable by this user only. If two processes create it at once, both use the first one.
 * If no file can be written, this process uses a key that is not stored: secrets are still masked.
 */
function readOrCreateKey(folder: string): Uint8Array {
  const path = join(folder, 'mask.key');
  try {
    return readKey(path) ?? createKey(folder, path);
  } catch (error) {
    if (!unwritableCodes.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return randomBytes(keyBytes);
  }
}

function createKey(folder: string, path: string): Uint8Array {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const key = randomBytes(keyBytes);
  writeFileSync(draft, key, { flag: 'wx', mode: 0o600 });
  try {
    // A link never replaces an existing file, and appears only with its complete content.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const otherKey = readKey(path);
    if (otherKey !== null) return otherKey;
    // The stored key is incomplete (a full disk), so marks made with it can't be repeated anyway.
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  return key;
}

/** Null if the file is missing or incomplete. */
function readKey(path: string): Uint8Array | null {
  try {
    const key = readFileSync(path);
    return key.length >= keyBytes ? key : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Masks the messages of commits, since they are stored in the index and may be sent to an embedding model. */
export function maskHistory(history: HistoryReader, mask: Masker): HistoryReader {
  return {
    head: () => history.head(),
    async commits(limit, signal) {
      const commits = await history.commits(limit, signal);
      return commits.map((commit) => ({ ...commit, message: mask.text(commit.message) }));
    },
  };
}
