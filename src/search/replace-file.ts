import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { isProcessThere } from '../store/lock.ts';

/** Milliseconds after which a temporary file is considered abandoned. */
const abandonedAfterMs = 600_000;

/** The temporary name for the file at `path`: unique to this process, whose id is in it. */
export function temporaryName(path: string): string {
  return `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
}

/** Whether the process that began this temporary file is still writing it; a killed process leaves its file behind. */
export function isBeingWritten(file: string): boolean {
  const pid = /\.(\d+)-[0-9a-f]+\.tmp$/.exec(file)?.[1];
  if (pid === undefined || !isProcessThere(Number(pid))) return false;
  // The process id may have been reused.
  return statSync(file).mtimeMs > Date.now() - abandonedAfterMs;
}

/** Writes under a temporary name, syncs if the file must survive a power failure, and renames. */
export function replaceFile(path: string, content: string | Uint8Array, { synced = true } = {}): void {
  const temporary = temporaryName(path);
  const file = openSync(temporary, 'w');
  try {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    for (let offset = 0; offset < bytes.length; ) offset += writeSync(file, bytes, offset);
    if (synced) fsyncSync(file);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}
