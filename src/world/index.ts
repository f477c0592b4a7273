export type { Damage, WorldCheck } from './check/check-world.ts';
export { findReferencedRuns, type ReferencedRuns } from './decide/referenced-runs.ts';
export { type MergeResult, mergeBlocks, type Sides } from './merge/index.ts';
export { openWorld } from './open-world.ts';
export { formatDiff } from './read/diff.ts';
export type { WorldOptions } from './read/open-world-reader.ts';
export { findBlockRuns, findBlockSpan, joinPageText, splitPageLines } from './read/page-lines.ts';
export { worldSchemas } from './rows/schemas.ts';
export type { SalvagedWorld } from './salvage/salvage-world.ts';
export type { ScriptedWorld } from './scripted.ts';
export { loadPageSearch } from './search/load-page-search.ts';
export type { PageSearchOptions } from './search/open-page-search.ts';
export type { PageHit, PageQuery, PageReply, PageSearch } from './search/page-search.ts';
export type { SyncOptions, SyncReport, WatchOptions } from './sync/index.ts';
export type {
  ExportOptions,
  ExportReport,
  FileState,
  ImportOptions,
  ImportRun,
  UndoReport,
  VaultAnalysis,
  VaultImport,
  VaultPlace,
  VaultProblem,
  VaultReport,
  Workspace,
} from './vault/index.ts';
export { loadSync, loadVault } from './vault/load-vault.ts';
export type {
  Attachment,
  Block,
  BlockKind,
  ContentFields,
  ContentId,
  DerivationLink,
  Deviation,
  InboxItem,
  Lifecycle,
  Link,
  Listing,
  Origin,
  Page,
  PageText,
  Provenance,
  RevalidationFlag,
  View,
  World,
  WorldEvent,
  WorldReader,
} from './world.ts';
export type {
  AcceptedWrite,
  RefusalCode,
  RefusedWrite,
  SubmitResult,
  WorldOperation,
  WorldWrite,
  WriteRequest,
} from './world-write.ts';
export { worldWrite } from './write/make-write.ts';
export { worldOperations } from './write/operation-fields.ts';
