/** Shows which store holds the runs, upgrades it, and copies it to another. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { SondeError } from '../../core/index.ts';
import { hasTable, openStore, readSqliteState } from '../../store/index.ts';
import { type FileLock, openFileLock } from '../../store/lock.ts';
import type { StoreMove } from '../../store/postgres/index.ts';
import { servingLock } from '../agent/port/port.ts';
import {
  type Configuration,
  databaseFile,
  loadConfiguration,
  processEnvironment,
  storeAddress,
  workspaceFile,
} from '../config/index.ts';

export interface StoreStatus {
  readonly engine: 'sqlite' | 'postgres';
  /** A file, or an address without user and password. */
  readonly place: string;
  /** How many steps of the schema were applied; 0 if there is no store yet. */
  readonly version: number;
  /** Names of the steps that `sonde store upgrade` would make. */
  readonly pending: readonly string[];
}

const loadSettings = (): Configuration => loadConfiguration({ environment: processEnvironment() });
const loadPostgres = () => import('../../store/postgres/index.ts');

/** Only reads. */
export async function storeStatus({ directories, values } = loadSettings()): Promise<StoreStatus> {
  if (values.store === 'sqlite') {
    const place = databaseFile(directories);
    return { engine: 'sqlite', place, ...readSqliteState(place) };
  }
  const { placeOf, readSchemaState, listWorkspaceSchemas } = await loadPostgres();
  const url = storeAddress(values);
  const { version, pending } = await readSchemaState({ url });
  const olderSteps: string[] = [];
  for (const schema of await listWorkspaceSchemas({ url }))
    olderSteps.push(...(await readSchemaState({ url, schema })).pending.map((step) => `${step} (${schema})`));
  return { engine: 'postgres', place: placeOf(url), version, pending: [...pending, ...olderSteps] };
}

/**
 * Makes all pending steps or none. Gives their names. `front`: the role that fronts come as, which is let in. Throws
 * `not_found` if there is no such role, and `bad_argument` if it could see rows of every team.
 */
export async function upgradeStore(
  front: string | undefined,
  configuration = loadSettings(),
): Promise<readonly string[]> {
  const { directories, values } = configuration;
  if (values.store === 'postgres') {
    const { admitFronts, upgradeSchema, listWorkspaceSchemas } = await loadPostgres();
    const url = storeAddress(values);
    const steps = [...(await upgradeSchema({ url }))];
    for (const schema of await listWorkspaceSchemas({ url }))
      steps.push(...(await upgradeSchema({ url, schema })).map((step) => `${step} (${schema})`));
    if (front !== undefined) await admitFronts({ url }, front);
    return steps;
  }
  if (front !== undefined)
    throw badFlagError('--front', front, 'Only a store on a server has roles: SONDE_STORE=postgres.');
  const { place, pending } = await storeStatus(configuration);
  // Opening a file upgrades it.
  if (existsSync(place) && pending.length > 0) await openStore(databaseFile(directories)).close();
  return existsSync(place) ? pending : [];
}

export interface MigrationRequest {
  /** `sqlite`, or `sqlite:FILE`. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Compares and writes nothing. */
  readonly dryRun?: boolean;
}

export interface WorkspaceMove extends StoreMove {
  readonly workspace: string;
  /** In which its conversations are now. */
  readonly schema: string;
}

export interface Migration extends StoreMove {
  /** The conversations of each workspace. */
  readonly workspaces: readonly WorkspaceMove[];
  readonly equal: boolean;
}

/** A file to be moved; of a workspace with its name. */
interface MovedFile {
  readonly file: string;
  readonly workspace: string | null;
}

/** Prefixes of tables that stay in the file of the workspace, for its host. */
const hostTables = ['world_', 'vault_', 'sync_', 'memory_', 'desk_marks'];

/**
 * Moves all that is in one home, or one file of it. Throws `bad_argument`, `not_found`, `run_state` while a process works
 * with one of the files or hosts the workspace, and `store_unusable` if the target has other rows.
 */
export async function migrateStore(
  { from, to, dryRun = false }: MigrationRequest,
  configuration = loadSettings(),
): Promise<Migration> {
  const { directories, values } = configuration;
  const [engine, ...rest] = (from ?? '').split(':');
  const givenFile = rest.length === 0 ? null : resolve(rest.join(':'));
  if (engine !== 'sqlite' || (givenFile !== null && rest.join(':') === ''))
    throw badFlagError('--from', from, 'Give sqlite for the store of this user, or sqlite:FILE.');
  if (to !== 'postgres')
    throw badFlagError('--to', to, 'Give postgres; SONDE_STORE_URL or store_url_file names the database.');
  const { isMoved, moveStores, placeOf, toWorkspaceSchema } = await loadPostgres();
  const url = storeAddress(values);
  const files = givenFile === null ? listFiles(configuration) : [describeFile(givenFile)];
  const alerts = join(directories.data, 'alerts.db');
  const release = dryRun ? () => {} : lockWorkspaces(files);
  try {
    const moves = await moveStores(
      files.map(({ file, workspace }) => ({
        file,
        ...(workspace !== null && { schema: toWorkspaceSchema(workspace), foreignPrefixes: hostTables }),
        // If a file was named, only this file is copied.
        ...(workspace === null && givenFile === null && existsSync(alerts) && { alerts }),
      })),
      { url },
      { compareOnly: dryRun },
    );
    const emptyMove: StoreMove = { from: databaseFile(directories), to: placeOf(url), tables: [], left: [] };
    const workspaces = files.flatMap(({ workspace }, index) =>
      workspace === null ? [] : [{ workspace, schema: toWorkspaceSchema(workspace), ...moves[index]! }],
    );
    const storeMove = moves[files.findIndex(({ workspace }) => workspace === null)] ?? emptyMove;
    return { ...storeMove, workspaces, equal: moves.every(isMoved) };
  } finally {
    release();
  }
}

/** The store of this user, and each workspace. Throws `not_found` if there is nothing. */
function listFiles({ directories, values }: Configuration): readonly MovedFile[] {
  const userStore = databaseFile(directories);
  const folder = join(directories.data, 'workspaces');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.db')) : [];
  const workspaces = new Set([...names.toSorted().map((name) => basename(name, '.db')), values.workspace]);
  const files = [
    { file: userStore, workspace: null },
    ...[...workspaces].map((workspace) => ({ file: workspaceFile(directories, workspace), workspace })),
  ].filter(({ file }) => existsSync(file));
  if (files.length > 0) return files;
  throw new SondeError('not_found', {
    message: `There is no store ${userStore}, and no workspace`,
    remedy: 'Name the file of one: --from sqlite:FILE.',
  });
}

/** Describes a named file: it is a workspace if it has pages. */
function describeFile(file: string): MovedFile {
  const isWorkspace = hasTable(file, 'world_about');
  return { file, workspace: isWorkspace ? basename(file, '.db') : null };
}

/** Locks the workspaces against servers. Throws `run_state` if a server has one open. */
function lockWorkspaces(files: readonly MovedFile[]): () => void {
  const locks: FileLock[] = [];
  const release = (): void => {
    for (const lock of locks) lock.release();
  };
  for (const { file, workspace } of files) {
    if (workspace === null) continue;
    const lock = openFileLock(servingLock(file));
    locks.push(lock);
    if (lock.tryTake()) continue;
    release();
    throw new SondeError('run_state', {
      message: `A server has the workspace ${workspace}`,
      remedy: 'End it (sonde serve, sonde ui or sonde worker), and try again.',
    });
  }
  return release;
}

const badFlagError = (flag: string, given: string | undefined, remedy: string): SondeError =>
  new SondeError('bad_argument', {
    message: given === undefined ? `${flag} is missing` : `${flag} is ${JSON.stringify(given)}`,
    remedy,
  });
