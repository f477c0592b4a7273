/** Second entry point of the room: a lock file held by one process at a time, without a store. */

export { isProcessAlive as isProcessThere } from './holder.ts';
export { type FileLock, openFileLock } from './sqlite/file-lock.ts';
