/** The state of one sync pass: both sides, their records, and the results so far. */
import type { Caller } from '../../core/index.ts';
import type { Database } from '../../store/index.ts';
import { findDeviation } from '../decide/deviations.ts';
import type { Ledger } from '../vault/ledger.ts';
import { composeAccents, joinBelow } from '../vault/page-paths.ts';
import type { VaultProblem, Workspace } from '../vault/vault.ts';
import type { Deviation, World } from '../world.ts';
import type { WorldOperation, WorldWrite, WriteRequest } from '../world-write.ts';
import { worldWrite } from '../write/make-write.ts';
import type { Folder } from './folder.ts';
import type { KnownFile, KnownFiles, SyncedVault } from './known.ts';
import type { PageHeads, PageNow } from './pages.ts';
import type { Scan } from './scan.ts';
import type { SyncConflict, SyncDeletion, SyncOptions, SyncRename } from './sync.ts';

export interface Pass {
  readonly workspace: Workspace;
  readonly world: World;
  readonly database: Database;
  readonly options: SyncOptions;
  readonly dryRun: boolean;
  readonly vault: SyncedVault;
  readonly folder: Folder;
  readonly known: KnownFiles;
  readonly ledger: Ledger;
  /** Known files by name, as they are recorded; in a dry run, as they would be recorded. */
  readonly files: Map<string, KnownFile>;
  scan: Scan;
  heads: PageHeads;
  /** For each file, the path that an import would give its page. */
  paths: ReadonlyMap<string, string>;
  /** Paths of pages that this pass creates. */
  readonly fresh: Set<string>;
  /** The present names of files that a dry run would have moved, by their new names. */
  readonly currentPlaces: Map<string, string>;
  readonly done: {
    readonly pulled: string[];
    readonly pushed: string[];
    readonly merged: string[];
    readonly renamed: SyncRename[];
    readonly deleted: SyncDeletion[];
    readonly conflicts: SyncConflict[];
    readonly problems: VaultProblem[];
    unchanged: number;
  };
}

/** Changes the record of a known file. Call it in the same transaction as related changes. */
export function setFile(pass: Pass, knownFile: KnownFile, change: Partial<Omit<KnownFile, 'n'>>): KnownFile {
  const updatedFile = { ...knownFile, ...change };
  if (!pass.dryRun) pass.known.set(knownFile.n, change);
  if (knownFile.file !== updatedFile.file) pass.files.delete(knownFile.file);
  pass.files.set(updatedFile.file, updatedFile);
  return updatedFile;
}

export function dropFile(pass: Pass, knownFile: KnownFile): void {
  if (!pass.dryRun) pass.known.drop(knownFile.n);
  pass.files.delete(knownFile.file);
}

export function addFile(
  pass: Pass,
  newRecord: Omit<KnownFile, 'n' | 'effect' | 'deviation'>,
  text: string | null,
): KnownFile {
  const n = pass.dryRun ? -1 - pass.files.size : pass.known.add(pass.vault.n, newRecord);
  const knownFile: KnownFile = { ...newRecord, n, effect: null, deviation: null };
  if (text !== null && !pass.dryRun) pass.known.setText(n, text);
  pass.files.set(knownFile.file, knownFile);
  return knownFile;
}

export function reportProblem(pass: Pass, path: string, kind: VaultProblem['kind'], message: string): void {
  pass.done.problems.push({ path, kind, message });
}

/**
 * The caller of a write: an import if only imports have written the page, or if there is none; otherwise the author.
 */
export function chooseCaller(pass: Pass, page: Pick<PageNow, 'draft'> | null): Caller {
  const { author } = pass.options;
  if (page !== null && !page.draft) return author;
  return Object.freeze({ kind: 'import', name: 'vault', device: author.device, thread: null, channel: null });
}

export function createWrite(
  pass: Pass,
  known: { readonly file: string; readonly deviation?: string | null },
  operation: WorldOperation,
  caller: Caller,
  otherFields: Partial<WriteRequest> = {},
): WorldWrite {
  return worldWrite({
    operation,
    caller,
    source: formatSource(pass, known.file),
    idempotencyKey: null,
    ...(findOpenConflict(pass, known.deviation ?? null) !== null && { replaces: known.deviation! }),
    ...otherFields,
  });
}

const formatSource = (pass: Pass, file: string): string => `${pass.vault.id}:${file}`;

/** The deviation with this id; null if it was decided on. */
export function findOpenConflict(pass: Pass, id: string | null): Deviation | null {
  const deviation = id === null ? null : findDeviation(pass.database, id);
  return deviation?.status === 'open' ? deviation : null;
}

/** All open deviations of this folder, also those about earlier states of files. */
export function listOpenConflicts({ database, vault }: Pass): readonly OpenConflict[] {
  const rows = database.all("SELECT id FROM world_deviations WHERE status = 'open' ORDER BY created, id");
  return rows.flatMap(({ id }) => {
    const deviation = findDeviation(database, String(id))!;
    const { origin_source_id: source, operation } = deviation.submitted;
    if (typeof source !== 'string' || !source.startsWith(`${vault.id}:`)) return [];
    const { page } = (operation ?? {}) as { readonly page?: unknown };
    return [{ id: deviation.id, page: String(page), text: conflictText(deviation) }];
  });
}

interface OpenConflict {
  readonly id: string;
  readonly page: string;
  readonly text: string;
}

/** The file's text in the deviation. */
export function conflictText({ submitted }: Deviation): string {
  const operation = submitted['operation'] as { readonly text?: unknown } | undefined;
  return typeof operation?.text === 'string' ? operation.text : '';
}

const fileEnding = /\.(?:md|markdown)$/i;

/** The file name of a page, with the extension of `like`. */
export function toFile(pass: Pass, path: string, like = '.md'): string {
  const { into } = pass.vault;
  return `${into === '' ? path : path.slice(into.length + 1)}${fileEnding.exec(like)?.[0] ?? '.md'}`;
}

/** A free path for the page of a file: its own path if possible. */
export function findFreePath(pass: Pass, file: string, mayTake: (path: string) => boolean): string {
  const { into } = pass.vault;
  const importPath = pass.paths.get(file);
  const plainPath = joinBelow(into, composeAccents(file).replace(fileEnding, ''));
  for (let n = 1; ; n++) {
    const path =
      n === 1
        ? plainPath
        : n === 2 && importPath !== undefined && importPath !== plainPath
          ? importPath
          : `${plainPath} (${n})`;
    if (mayTake(path)) return path;
  }
}
