/** Opens a workspace for a command, a server or a program. A workspace is one file that holds a world. */
import { existsSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import { type Caller, SondeError } from '../../core/index.ts';
import type { Database } from '../../store/index.ts';
import type {
  ExportOptions,
  ExportReport,
  ImportOptions,
  ImportRun,
  RefusedWrite,
  SyncOptions,
  SyncReport,
  UndoReport,
  VaultAnalysis,
  VaultImport,
  VaultPlace,
  WatchOptions,
  World,
  WorldReader,
} from '../../world/index.ts';
import {
  directories,
  loadConfiguration,
  processEnvironment,
  userName,
  workspaceFile,
} from '../config/index.ts';

export interface OpenWorkspace {
  readonly path: string;
  readonly world: World;
  readonly database: Database;
  /** Only reads. */
  analyse(place: VaultPlace): Promise<VaultAnalysis>;
  import(options: Omit<ImportOptions, 'device' | 'clock'>): Promise<VaultImport>;
  importRuns(): Promise<readonly ImportRun[]>;
  undo(run: string): Promise<UndoReport>;
  export(options: ExportOptions): Promise<ExportReport>;
  /** Synchronises a folder of notes with the pages, once. */
  sync(options: Omit<SyncOptions, 'author'>): Promise<SyncReport>;
  /** Synchronises after each change until the signal aborts. */
  watch(options: Omit<WatchOptions, 'author'>): Promise<void>;
  close(): void;
}

/**
 * Opens the file of a workspace. Throws `not_found` if there is none and `make` is false, and the errors of opening a
 * database.
 */
export async function openWorkspace(
  path: string,
  { make = true, name = basename(path, '.db') }: { readonly make?: boolean; readonly name?: string } = {},
): Promise<OpenWorkspace> {
  if (!make) requireWorkspaceFile(path);
  const [{ openDatabase }, world] = await Promise.all([
    import('../../store/database.ts'),
    import('../../world/index.ts'),
  ]);
  const database = openDatabase({ path, schemas: [], holds: 'workspace' });
  try {
    const workspace = { world: world.openWorld(database, { name }), database };
    const importContext = { device: hostname(), clock: Date.now };
    return Object.freeze({
      path,
      ...workspace,
      analyse: async (place: VaultPlace) => (await world.loadVault()).analyseVault(workspace, place),
      import: async (options: Omit<ImportOptions, 'device' | 'clock'>) =>
        (await world.loadVault()).importVault(workspace, { ...options, ...importContext }),
      importRuns: async () => (await world.loadVault()).importRuns(workspace),
      undo: async (run: string) => (await world.loadVault()).undoImport(workspace, { run, ...importContext }),
      export: async (options: ExportOptions) => (await world.loadVault()).exportVault(workspace, options),
      sync: async (options: Omit<SyncOptions, 'author'>) =>
        (await world.loadSync()).syncVault(workspace, { ...options, author: author() }),
      watch: async (options: Omit<WatchOptions, 'author'>) =>
        (await world.loadSync()).watchVault(workspace, { ...options, author: author() }),
      close() {
        workspace.world.close();
        database.close();
      },
    });
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Throws `not_found` if there is no such file, and `store_corrupt` if the file is empty. */
function requireWorkspaceFile(path: string): void {
  if (path === ':memory:') return;
  if (!existsSync(path))
    throw new SondeError('not_found', {
      message: `There is no workspace ${path} yet`,
      remedy:
        'Make one with sonde world new NAME or sonde world import FOLDER, or name another with --workspace.',
    });
  requireNonEmptyFile(path);
}

/** To SQLite an empty file is a new database: a workspace whose file was emptied would become one without pages. */
function requireNonEmptyFile(path: string): void {
  const isEmpty = (file: string) => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0;
  if (!statSync(path).isFile() || !isEmpty(path) || !isEmpty(`${path}-wal`)) return;
  throw new SondeError('store_corrupt', {
    message: `${path} is empty: it is no workspace any more, or not yet`,
    remedy: 'Restore a backup; where there was none, remove it and make it with sonde world new.',
  });
}

/** The file of the workspace that is named, or of the configured one. Throws for a wrong setting. */
export function workspacePath(workspace?: string): string {
  const environment = processEnvironment();
  const { values } = loadConfiguration({
    environment,
    ...(workspace !== undefined && { flags: { workspace } }),
  });
  return workspaceFile(directories(environment), values.workspace);
}

/** Opens a workspace, does some work, and closes it. */
export async function withWorkspace<Value>(
  workspace: string | undefined,
  work: (open: OpenWorkspace) => Value | Promise<Value>,
  options: { readonly make?: boolean } = {},
): Promise<Value> {
  const open = await openWorkspace(workspacePath(workspace), { make: options.make === true });
  try {
    return await work(open);
  } finally {
    open.close();
  }
}

/** Opens a workspace only for reading, which loads half as much code. */
export async function withWorkspaceReader<Value>(
  workspace: string | undefined,
  work: (reader: WorldReader) => Promise<Value>,
): Promise<Value> {
  const path = workspacePath(workspace);
  requireWorkspaceFile(path);
  const [{ openDatabase }, { openWorldReader }] = await Promise.all([
    import('../../store/database.ts'),
    import('../../world/reading.ts'),
  ]);
  const database = openDatabase({ path, schemas: [], holds: 'workspace' });
  try {
    return await work(openWorldReader(database, { name: basename(path, '.db') }));
  } finally {
    database.close();
  }
}

/** The author is whoever uses this machine. */
export function author(): Caller {
  return Object.freeze({
    kind: 'user',
    name: userName(),
    device: hostname(),
    thread: null,
    channel: null,
  });
}

/** The error of a command for a refused write. */
export function toError({ code, message, remedy, details }: RefusedWrite): SondeError {
  const isMissing = code === 'unknown_content' || code === 'deleted_content';
  const ownCode = code === 'stale' || code === 'conflict' ? code : 'bad_argument';
  return new SondeError(isMissing ? 'not_found' : ownCode, {
    message: message.replace(/\.$/, ''),
    remedy,
    details: ownCode === 'bad_argument' ? { ...details, refusal: code } : details,
  });
}
