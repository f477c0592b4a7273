export type {
  Sync,
  SyncConflict,
  SyncDeletion,
  SyncOptions,
  SyncRename,
  SyncReport,
  WatchOptions,
} from './sync.ts';
export { syncVault } from './sync-vault.ts';
export { watchVault } from './watch-vault.ts';
