export { type Database, type DatabaseOptions, openDatabase, type Row } from './database.ts';
export { type FileLock, openFileLock } from './file-lock.ts';
export { openStore, openStoreIn, type StoreOptions } from './open-store.ts';
export type { Migration, Schema } from './schema.ts';
export type { Lease, RunRow, RunStatus, Runs, Store } from './store.ts';
