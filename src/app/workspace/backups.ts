/** Scheduled backups of a workspace into a folder, which may be on another machine. */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../core/index.ts';
import { copyDatabase } from '../../store/sqlite/whole-file.ts';
import type { Configuration } from '../config/index.ts';
import { createAtomically } from './create-atomically.ts';
import type { OpenWorkspace } from './workspace.ts';

export interface BackupRules {
  readonly folder: string;
  /** Milliseconds. */
  readonly every: number;
  /** Older ones are removed. */
  readonly keep: number;
}

export interface Backup {
  readonly file: string;
  /** When it was begun: later writes are not in it. Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly bytes: number;
}

export interface BackupOptions {
  readonly rules: BackupRules;
  readonly open: Pick<OpenWorkspace, 'path' | 'world'>;
  readonly signal: AbortSignal;
  readonly tell: (line: string) => void;
  /** Called with each copy once it is complete. */
  readonly onBackup: (backup: Backup) => Promise<void>;
}

/** The wait after a failed backup, unless `every` is shorter. Milliseconds. */
const retryMs = 60_000;

/** Null: no folder is set. */
export function backupRules({ values }: Pick<Configuration, 'values'>): BackupRules | null {
  const { backup_folder: folder, backup_every: every, backup_keep: keep } = values;
  return folder === undefined ? null : { folder, every, keep };
}

/** Makes a copy whenever one is due. Resolves when the signal aborts. */
export async function keepBackups({
  rules,
  open,
  signal,
  tell,
  onBackup: made,
}: BackupOptions): Promise<void> {
  const folder = backupFolder(rules.folder, open.world.workspace);
  let hasSucceeded = true;
  while (!signal.aborted) {
    // A restarted host makes no backup if the last one is recent.
    const last = listBackups(folder).at(-1);
    const age = last === undefined ? Number.POSITIVE_INFINITY : Date.now() - last.at;
    let wait = rules.every - age;
    if (wait <= 0 || age < 0)
      try {
        const copy = await makeBackup(open.path, folder);
        await made(copy);
        if (!hasSucceeded) tell(`backup: again, in ${copy.file}`);
        hasSucceeded = true;
        for (const { file } of listBackups(folder).slice(0, -rules.keep)) rmSync(file, { force: true });
        wait = rules.every - (Date.now() - copy.at);
      } catch (thrown) {
        if (hasSucceeded) tell(`backup: ${messageOf(thrown)}`);
        hasSucceeded = false;
        wait = Math.min(rules.every, retryMs);
      }
    await sleep(Math.max(wait, 0), undefined, { signal }).catch(() => {});
  }
}

/** The folder of one workspace. Two of the same name are kept apart. */
const backupFolder = (folder: string, { name, id }: { readonly name: string; readonly id: string }): string =>
  join(folder, `${name.replace(/[^\p{L}\p{N}_ -]/gu, '_')}-${id.slice(-8)}`);

/** The oldest first. */
export function listBackups(folder: string): readonly Omit<Backup, 'bytes'>[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((name) => {
      const at = parseTime(name);
      return at === null ? [] : [{ file: join(folder, name), at }];
    })
    .toSorted((a, b) => a.at - b.at);
}

/** A name that sorts by time and that every file system takes. */
const formatName = (at: number): string => `${new Date(at).toISOString().replaceAll(':', '-')}.db`;

/** Incomplete copies, with the files that SQLite keeps beside them. */
const partialCopy = /^\.\d{4}-.*\.db\.\d+\.part(-wal|-shm|-journal)?$/;

/** Null: the file is no copy of ours. */
function parseTime(name: string): number | null {
  const [, day, hour, minute, rest] = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3}Z)\.db$/.exec(name) ?? [];
  const at = Date.parse(`${day}T${hour}:${minute}:${rest}`);
  return Number.isNaN(at) ? null : at;
}

/** When a copy was made: by its name if it is ours, or else by its file. Milliseconds since the Unix epoch. */
export const readCopyTime = (file: string): number => parseTime(basename(file)) ?? statSync(file).mtimeMs;

/** Copies the file as it is at one instant, while others write to it. Throws `store_unusable` if it cannot be written. */
export async function makeBackup(path: string, folder: string): Promise<Backup> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // One process has the workspace, so that what is not complete was left by one that was killed.
  for (const name of readdirSync(folder))
    if (partialCopy.test(name)) rmSync(join(folder, name), { force: true });
  const at = Date.now();
  const target = join(folder, formatName(at));
  await createAtomically(target, (file) => copyDatabase(path, file));
  return { file: target, at, bytes: statSync(target).size };
}
