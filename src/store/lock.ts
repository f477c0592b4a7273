/** Second door: a file that one process holds at a time, without a store. */

export { isProcessThere } from './holder.ts';
export { type FileLock, openFileLock } from './sqlite/file-lock.ts';
