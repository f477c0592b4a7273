import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const bytes = 32;

/**
 * The key that seals what clients carry from round to round: of this user, so that another process of theirs
 * can go on with a run. Made at the first use.
 */
export function stateKey(folder: string): Uint8Array {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'mcp-state.key');
  try {
    // Fails where the file is there: of two processes that start together one writes and both read.
    writeFileSync(path, randomBytes(bytes), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const key = readFileSync(path);
  // A crash between creating and writing leaves it short; what was sealed with it is lost either way.
  if (key.length >= bytes) return key;
  const fresh = randomBytes(bytes);
  writeFileSync(path, fresh, { mode: 0o600 });
  return fresh;
}
