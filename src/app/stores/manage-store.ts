/** Shows which store holds the runs, upgrades it, and copies it to another. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { SondeError } from '../../core/index.ts';
import { openStore, sqliteState } from '../../store/index.ts';
import type { StoreMove } from '../../store/postgres/index.ts';
import {
  type Configuration,
  databaseFile,
  loadConfiguration,
  processEnvironment,
  storeAddress,
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

const settings = (): Configuration => loadConfiguration({ environment: processEnvironment() });
const postgres = () => import('../../store/postgres/index.ts');

/** Only reads. */
export async function storeStatus({ directories, values } = settings()): Promise<StoreStatus> {
  if (values.store === 'sqlite') {
    const place = databaseFile(directories);
    return { engine: 'sqlite', place, ...sqliteState(place) };
  }
  const { placeOf, schemaState, workspaceSchemas } = await postgres();
  const url = storeAddress(values);
  const { version, pending } = await schemaState({ url });
  const older: string[] = [];
  for (const schema of await workspaceSchemas({ url }))
    older.push(...(await schemaState({ url, schema })).pending.map((step) => `${step} (${schema})`));
  return { engine: 'postgres', place: placeOf(url), version, pending: [...pending, ...older] };
}

/** Makes all pending steps or none. Gives their names. */
export async function upgradeStore(configuration = settings()): Promise<readonly string[]> {
  const { directories, values } = configuration;
  if (values.store === 'postgres') {
    const { upgradeSchema, workspaceSchemas } = await postgres();
    const url = storeAddress(values);
    const made = [...(await upgradeSchema({ url }))];
    for (const schema of await workspaceSchemas({ url }))
      made.push(...(await upgradeSchema({ url, schema })).map((step) => `${step} (${schema})`));
    return made;
  }
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

/**
 * Throws `bad_argument`, `not_found`, `run_state` while a run is being worked on, and `store_unusable` if the target
 * has other rows.
 */
export async function migrateStore(
  { from, to, dryRun = false }: MigrationRequest,
  { directories, values } = settings(),
): Promise<StoreMove & { readonly equal: boolean }> {
  const [engine, ...file] = (from ?? '').split(':');
  if (engine !== 'sqlite' || (file.length > 0 && file.join(':') === ''))
    throw refusal('--from', from, 'Give sqlite for the store of this user, or sqlite:FILE.');
  if (to !== 'postgres')
    throw refusal('--to', to, 'Give postgres; SONDE_STORE_URL or store_url_file names the database.');
  const { isMoved, moveStore } = await postgres();
  const source = file.length === 0 ? databaseFile(directories) : resolve(file.join(':'));
  const alerts = join(dirname(source), 'alerts.db');
  const move = await moveStore(
    source,
    { url: storeAddress(values) },
    // If a file was named, only this file is copied.
    { look: dryRun, ...(file.length === 0 && existsSync(alerts) && { alerts }) },
  );
  return { ...move, equal: isMoved(move) };
}

const refusal = (flag: string, given: string | undefined, remedy: string): SondeError =>
  new SondeError('bad_argument', {
    message: given === undefined ? `${flag} is missing` : `${flag} is ${JSON.stringify(given)}`,
    remedy,
  });
