/** Puts a copy in the place of a workspace that was lost or damaged. */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isSondeError, SondeError } from '../../core/index.ts';
import type { HostFile } from '../../store/index.ts';
import { openFileLock } from '../../store/lock.ts';
import { checkpointDatabase, lacksTable } from '../../store/sqlite/whole-file.ts';
import { servingLock } from '../agent/port/port.ts';
import { type Configuration, storeAddress, workspaceFile } from '../config/index.ts';
import { pageIndexFolder, removeIndexFolder } from '../search/index-folders.ts';
import { readHostFile } from '../team/host-file.ts';
import { readCopyTime } from './backups.ts';
import { checkWorkspace } from './maintain-workspace.ts';
import { openWorkspace } from './workspace.ts';

export interface RestoredWorkspace {
  readonly path: string;
  readonly pages: number;
  /** ISO 8601, UTC: when the copy was made. What was written since then is not in it. */
  readonly copied: string;
  /** ISO 8601, UTC: the last write that the copy holds; null: it holds none. */
  readonly last_write: string | null;
  /** What the workspace was before; null: there was none. */
  readonly replaced: string | null;
  /**
   * Writes that the copy does not hold, and the minutes from the copy to the last of them: those of the replaced file, or
   * those that the last host told the store. Null: there was no file that could be read, and no host.
   */
  readonly lost: { readonly writes: number; readonly minutes: number } | null;
}

export interface RestoreRequest {
  /** Its name, or the path of its file. */
  readonly workspace: string;
  readonly from: string;
}

/**
 * Throws `run_state` while a host or another process has the workspace, `not_found` without a copy, and `store_corrupt`
 * for one that is damaged. The workspace is then as it was. Killed at any moment, it is the old one or the copy, whole.
 */
export async function restoreWorkspace(
  configuration: Configuration,
  { workspace, from }: RestoreRequest,
): Promise<RestoredWorkspace> {
  const path = workspaceFile(configuration.directories, workspace);
  const source = resolve(from);
  if (!statSync(source, { throwIfNoEntry: false })?.isFile())
    throw new SondeError('not_found', {
      message: `There is no copy ${source}`,
      remedy: 'Name a file that sonde world backup made, or one of the setting backup_folder.',
    });
  if (existsSync(path) && sameFile(path, source))
    throw new SondeError('bad_argument', {
      message: `${source} is the workspace itself`,
      remedy: 'Name a copy of it.',
    });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lock = openFileLock(servingLock(path));
  let lease: RestoreLease | null = null;
  try {
    if (!lock.tryTake()) throw workspaceInUseError(path, 'a server or a host of this machine');
    lease = await takeHostLease(configuration, workspace);
    const restored = await replaceFile(configuration, { path, source, known: lease?.known ?? null });
    // From now on this is the file that a host may have: what came after the copy is given up.
    await lease?.recordFile(await readHostFileOf(path));
    return restored;
  } finally {
    await lease?.leave();
    lock.release();
  }
}

interface RestoreLease {
  /** What the last host wrote; null: no host has said so. */
  readonly known: HostFile | null;
  recordFile(file: HostFile): Promise<void>;
  leave(): Promise<void>;
}

/**
 * Keeps other machines from becoming the host during the restore. Null if the shared store has no such workspace.
 */
async function takeHostLease({ values }: Configuration, workspace: string): Promise<RestoreLease | null> {
  if (values.store !== 'postgres') return null;
  const { openHostChannel } = await import('../team/shared-sessions.ts');
  const { toWorkspaceSchema, listWorkspaceSchemas } = await import('../../store/postgres/index.ts');
  const schema = toWorkspaceSchema(workspace);
  if (!(await listWorkspaceSchemas({ url: storeAddress(values) })).includes(schema)) return null;
  const { version } = await import('../version.ts');
  const hostChannel = await openHostChannel(values, schema);
  try {
    const known = await hostChannel.file();
    const seat = await hostChannel.takeSeat({ worker: 'restore', version: version() });
    if (seat === null) throw workspaceInUseError(workspace, 'a host');
    return {
      known,
      recordFile: (file) => seat.recordFile(file),
      async leave() {
        await seat.release().catch(() => {});
        await hostChannel.close().catch(() => {});
      },
    };
  } catch (thrown) {
    await hostChannel.close().catch(() => {});
    throw thrown;
  }
}

interface RestorePaths {
  readonly path: string;
  readonly source: string;
  readonly known: HostFile | null;
}

async function readHostFileOf(path: string): Promise<HostFile> {
  const open = await openWorkspace(path, { make: false });
  try {
    return readHostFile(open.world);
  } finally {
    open.close();
  }
}

async function replaceFile(
  configuration: Configuration,
  { path, source, known }: RestorePaths,
): Promise<RestoredWorkspace> {
  const part = join(dirname(path), `.${basename(path)}.restored`);
  removeWithLogs(part);
  try {
    // The copy itself is never opened: that could change it.
    copy(source, part);
    if (lacksTable(part, 'world_about')) throw noWorkspaceError(source);
    const { ok, damaged } = await checkWorkspace(part);
    if (!ok) throw createDamagedCopyError(source, damaged[0]?.what ?? 'it cannot be read');
    const restored = await readState(part);
    const copied = readCopyTime(source);
    requireUnused(part);
    const recorded = known && { writes: known.writes, at: known.last?.at ?? null };
    const before = (existsSync(path) ? await readState(path).catch(() => null) : null) ?? recorded;
    const replaced = keepOldFile(path);
    renameSync(part, path);
    sync(dirname(path));
    // The index may contain pages that no longer exist.
    await removeIndexFolder(pageIndexFolder(configuration.directories, restored.id));
    return {
      path,
      pages: restored.pages,
      copied: new Date(copied).toISOString(),
      last_write: restored.at === null ? null : new Date(restored.at).toISOString(),
      replaced,
      lost: before && countLost(copied, before, restored),
    };
  } finally {
    removeWithLogs(part);
  }
}

function countLost(
  copied: number,
  before: Pick<WorkspaceState, 'writes' | 'at'>,
  restored: Pick<WorkspaceState, 'writes'>,
): RestoredWorkspace['lost'] {
  const writes = Math.max(0, before.writes - restored.writes);
  const ms = writes === 0 ? 0 : (before.at ?? copied) - copied;
  return { writes, minutes: Math.max(Math.sign(writes), Math.ceil(ms / 60_000)) };
}

interface WorkspaceState {
  readonly id: string;
  readonly pages: number;
  readonly writes: number;
  /** Of the last write; milliseconds since the Unix epoch. */
  readonly at: number | null;
}

async function readState(path: string): Promise<WorkspaceState> {
  const open = await openWorkspace(path, { make: false });
  try {
    const { world } = open;
    const writes = world.head();
    return {
      id: world.workspace.id,
      pages: world.pages({ view: 'all', limit: Number.MAX_SAFE_INTEGER }).length,
      writes,
      at: world.events(writes - 1, 1)[0]?.at ?? null,
    };
  } finally {
    open.close();
  }
}

/** Throws `run_state` if another process has it open. */
function requireUnused(path: string): void {
  if (!checkpointDatabase(path)) throw workspaceInUseError(path, 'another process');
}

/** Gives the old file a second name, so that there is never none under the first. */
function keepOldFile(path: string): string | null {
  if (!existsSync(path)) return null;
  try {
    requireUnused(path);
  } catch (thrown) {
    if (isSondeError(thrown)) throw thrown;
    // It is damaged: what is beside it goes with it.
  }
  // Names of an attempt that was killed are names of this very file.
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(`${basename(path)}.replaced-`) && sameFile(join(dirname(path), name), path))
      rmSync(join(dirname(path), name));
  const asidePath = `${path}.replaced-${new Date().toISOString().replaceAll(':', '-')}`;
  linkSync(path, asidePath);
  for (const suffix of logs)
    if (existsSync(`${path}${suffix}`)) renameSync(`${path}${suffix}`, `${asidePath}${suffix}`);
  return asidePath;
}

const logs = ['-wal', '-shm'];

function copy(from: string, to: string): void {
  copyFileSync(from, to);
  if (existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${to}-wal`);
  chmodSync(to, 0o600);
  sync(to);
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function removeWithLogs(file: string): void {
  for (const suffix of ['', ...logs, '-journal']) rmSync(`${file}${suffix}`, { force: true });
}

function sameFile(one: string, other: string): boolean {
  const [a, b] = [statSync(one), statSync(other)];
  return a.ino === b.ino && a.dev === b.dev;
}

const noWorkspaceError = (file: string): SondeError =>
  new SondeError('bad_argument', {
    message: `${file} is no workspace`,
    remedy:
      'Name a file that sonde world backup made, or one of the setting backup_folder. Nothing was changed.',
  });

const workspaceInUseError = (path: string, who: string): SondeError =>
  new SondeError('run_state', {
    message: `${who[0]!.toUpperCase()}${who.slice(1)} has the workspace ${path}`,
    remedy: 'End it, and restore again: nothing was changed.',
  });

const createDamagedCopyError = (file: string, what: string): SondeError =>
  new SondeError('store_corrupt', {
    message: `The copy ${file} is damaged: ${what}`,
    remedy: `Name an older one. sonde world salvage ${file} OUT saves what can be read of it. Nothing was changed.`,
  });
