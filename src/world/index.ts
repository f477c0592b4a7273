export { readableDiff } from './diff.ts';
export { worldWrite } from './make-write.ts';
export { openWorld, type WorldOptions } from './open-world.ts';
export { memoryWorld, type ScriptedWorld } from './scripted.ts';
export { loadPageSearch } from './search/load-page-search.ts';
export type { PageSearchOptions } from './search/open-page-search.ts';
export type { PageHit, PageQuery, PageReply, PageSearch } from './search/page-search.ts';
export {
  analyseVault,
  type ExportOptions,
  type ExportReport,
  exportVault,
  type FileState,
  type ImportOptions,
  type ImportRun,
  importRuns,
  importVault,
  type UndoReport,
  undoImport,
  type VaultAnalysis,
  type VaultImport,
  type VaultPlace,
  type VaultProblem,
  type VaultReport,
  type Workspace,
} from './vault/index.ts';
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
} from './world.ts';
export type {
  Accepted,
  RefusalCode,
  Refused,
  SubmitResult,
  WorldOperation,
  WorldWrite,
  WriteRequest,
} from './world-write.ts';
