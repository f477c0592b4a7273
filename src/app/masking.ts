/** The masker of this home: its key, and the keys that the process was given, which may come back in any text. */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Masker, masker } from '../core/index.ts';
import type { HistoryReader } from '../search/index.ts';
import { type Configuration, environmentSecrets, processEnvironment } from './config/index.ts';

const keyBytes = 32;

type Home = Pick<Configuration, 'directories' | 'secrets'>;

const made = new WeakMap<Home['secrets'], Masker>();

/** Throws what a home that can't be written to throws. */
export function openMasker({ directories, secrets }: Home): Masker {
  const before = made.get(secrets);
  if (before !== undefined) return before;
  const known = [...secrets(), ...environmentSecrets(processEnvironment())];
  const mask = masker({ key: homeKey(directories.data), known: [...new Set(known)] });
  made.set(secrets, mask);
  return mask;
}

/** Made at the first use, readable by its user only. Of two processes that make it at once, both read that of the first. */
function homeKey(folder: string): Uint8Array {
  const path = join(folder, 'mask.key');
  const there = read(path);
  if (there !== null) return there;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, randomBytes(keyBytes), { flag: 'wx', mode: 0o600 });
  try {
    // A link never replaces, and is never seen half written.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(path);
}

function read(path: string): Uint8Array | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Messages of commits are kept beside the index, and an embedding model may see them. */
export function maskedHistory(history: HistoryReader, mask: Masker): HistoryReader {
  return {
    head: () => history.head(),
    async commits(limit, signal) {
      const commits = await history.commits(limit, signal);
      return commits.map((commit) => ({ ...commit, message: mask.text(commit.message) }));
    },
  };
}
