/**
 * Replaces secrets in texts by marks. Marks are made with a random key stored in Sonde's data directory. API keys of this
 * process are known secrets, since they may appear in any text.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Masker, masker } from '../core/index.ts';
import type { HistoryReader } from '../search/index.ts';
import { type Configuration, environmentSecrets, processEnvironment } from './config/index.ts';

const keyBytes = 32;

type Home = Pick<Configuration, 'directories' | 'secrets'>;

const made = new WeakMap<Home['secrets'], Masker>();

export function openMasker({ directories, secrets }: Home): Masker {
  const before = made.get(secrets);
  if (before !== undefined) return before;
  const known = [...secrets(), ...environmentSecrets(processEnvironment())];
  const mask = masker({ key: homeKey(directories.data), known: [...new Set(known)] });
  made.set(secrets, mask);
  return mask;
}

/** Errors that mean that nothing can be stored in this home. */
const unkept = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'EMFILE']);

/**
 * Made when first needed, readable by this user only. If two processes make it at once, both take the first. If no file
 * can be written, this process uses a key of its own: secrets are masked all the same.
 */
function homeKey(folder: string): Uint8Array {
  const path = join(folder, 'mask.key');
  try {
    return read(path) ?? make(folder, path);
  } catch (error) {
    if (!unkept.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return randomBytes(keyBytes);
  }
}

function make(folder: string, path: string): Uint8Array {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const key = randomBytes(keyBytes);
  writeFileSync(draft, key, { flag: 'wx', mode: 0o600 });
  try {
    // A link never replaces a file, and shows only a complete one.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const first = read(path);
    if (first !== null) return first;
    // The stored key is incomplete (a full disk), so marks made with it can't be repeated anyway.
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  return key;
}

/** Null if the file is missing or incomplete. */
function read(path: string): Uint8Array | null {
  try {
    const key = readFileSync(path);
    return key.length >= keyBytes ? key : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Messages of commits are stored beside the index, and an embedding model may see them. */
export function maskHistory(history: HistoryReader, mask: Masker): HistoryReader {
  return {
    head: () => history.head(),
    async commits(limit, signal) {
      const commits = await history.commits(limit, signal);
      return commits.map((commit) => ({ ...commit, message: mask.text(commit.message) }));
    },
  };
}
