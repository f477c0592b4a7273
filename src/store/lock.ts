/** Second door: a file that one process holds at a time, without a store. */
export { type FileLock, openFileLock } from './file-lock.ts';
export { isProcessThere } from './holder.ts';
