export { analyseVault } from './analyse-vault.ts';
export { exportVault } from './export-vault.ts';
export { importVault } from './import-vault.ts';
export { importRuns, undoImport } from './undo-import.ts';
export type {
  ExportOptions,
  ExportReport,
  FileState,
  ImportOptions,
  ImportRun,
  UndoReport,
  Vault,
  VaultAnalysis,
  VaultImport,
  VaultPlace,
  VaultProblem,
  VaultReport,
  Workspace,
} from './vault.ts';
