import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const bytes = 32;

/**
 * The key that seals the state of rounds. It belongs to this user, so that another process of the same user can
 * continue a run. Made when it is first needed.
 */
export function readStateKey(folder: string): Uint8Array {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'mcp-state.key');
  try {
    // Fails if the file exists: if two processes start together, one writes the key and both read it.
    writeFileSync(path, randomBytes(bytes), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const key = readFileSync(path);
  // A crash between creating and writing the file leaves it too short. Nothing was sealed with it yet.
  if (key.length >= bytes) return key;
  const newKey = randomBytes(bytes);
  writeFileSync(path, newKey, { mode: 0o600 });
  return newKey;
}
