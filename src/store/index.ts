export { type FileLock, openFileLock } from './file-lock.ts';
export { openStore, type StoreOptions } from './open-store.ts';
export type { Lease, RunRow, RunStatus, Runs, Store } from './store.ts';
