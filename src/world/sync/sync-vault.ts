import { SondeError } from '../../core/index.ts';
import { withImportLock } from '../vault/import-lock.ts';
import { openLedger } from '../vault/ledger.ts';
import { assignPagePaths } from '../vault/page-paths.ts';
import type { Workspace } from '../vault/vault.ts';
import { resolvePlace } from '../vault/walk-vault.ts';
import { syncAttachments } from './attachments.ts';
import { openFolder } from './folder.ts';
import { followFolder, followPages } from './follow-renames.ts';
import { type KnownFiles, openKnownFiles, type SyncedVault } from './known.ts';
import { newVaultId, readMark, refuseOtherWorkspace, writeMark } from './mark.ts';
import { syncNotes } from './notes.ts';
import { readHeads } from './pages.ts';
import { listOpenConflicts, type Pass } from './pass.ts';
import { pushFiles } from './push.ts';
import { recoverFiles } from './recover.ts';
import { refuseDeletions } from './refuse-deletions.ts';
import { scanFolder } from './scan.ts';
import { endSecondNames } from './second-names.ts';
import type { SyncOptions, SyncReport } from './sync.ts';

const defaultQuietMs = 300;

/** See `sync.ts`. */
export async function syncVault(workspace: Workspace, options: SyncOptions): Promise<SyncReport> {
  return withImportLock(workspace, () => runPass(workspace, options));
}

async function runPass(workspace: Workspace, options: SyncOptions): Promise<SyncReport> {
  const { database } = workspace;
  const known = openKnownFiles(database);
  const vault = openVault(workspace, known, options);
  const folder = openFolder(vault.root, options.onEffect);
  const files = new Map(known.all(vault.n).map((knownFile) => [knownFile.file, knownFile]));
  const pass: Pass = {
    workspace,
    ...workspace,
    options,
    dryRun: options.dryRun === true,
    vault,
    folder,
    known,
    ledger: openLedger(database),
    files,
    scan: emptyScan,
    heads: noPages,
    paths: new Map(),
    fresh: new Set(),
    currentPlaces: new Map(),
    done: {
      pulled: [],
      pushed: [],
      merged: [],
      renamed: [],
      deleted: [],
      conflicts: [],
      problems: [],
      unchanged: 0,
    },
  };
  recoverFiles(pass);
  pass.scan = await scanFolder(folder, files, options.quietMs ?? defaultQuietMs, ({ n }) => known.text(n));
  options.onFolders?.(pass.scan.listing.folders);
  const paths = assignPagePaths(pass.scan.listing.pages, vault.into);
  pass.paths = paths.byFile;
  pass.done.problems.push(...pass.scan.listing.problems, ...paths.problems);
  pass.heads = readHeads(database, vault.into);
  const renameResults = [endSecondNames(pass), followFolder(pass)];
  if (renameResults.includes(true) && !pass.dryRun) pass.heads = readHeads(database, vault.into);
  refuseDeletions(pass);
  writeMarkOnce(pass);
  followPages(pass);
  const pushes = await syncNotes(pass);
  const attachments = syncAttachments(pass);
  await pushFiles(pass, pushes);
  reportRescued(pass);
  const { done } = pass;
  return Object.freeze({
    root: vault.root,
    into: vault.into,
    dryRun: pass.dryRun,
    ...done,
    waiting: [...pass.scan.busy],
    attachments,
  });
}

/** Reports open conflicts of known files that this pass has not reported, such as rescued texts. */
function reportRescued(pass: Pass): void {
  const reportedIds = new Set(pass.done.conflicts.map(({ id }) => id));
  const byPage = new Map([...pass.files.values()].map(({ page, file }) => [page, file]));
  for (const { id, page } of listOpenConflicts(pass)) {
    const file = byPage.get(page);
    if (!reportedIds.has(id) && file !== undefined) pass.done.conflicts.push({ file, page, id });
  }
}

const noPages: Pass['heads'] = { byId: new Map(), byPath: new Map(), bound: new Set() };

const emptyScan: Pass['scan'] = {
  listing: { pages: [], attachments: [], problems: [], folders: [], marked: [] },
  stamps: new Map(),
  gone: new Set(),
  busy: new Set(),
};

/**
 * The record of the folder; creates it if there is none. Refuses a folder that is synchronised with another workspace.
 */
function openVault(
  { world, database }: Workspace,
  knownFiles: KnownFiles,
  options: SyncOptions,
): SyncedVault {
  const { root, into: givenPlace } = resolvePlace(options);
  const mark = readMark(root);
  const workspace = { id: world.workspace.id, file: database.path };
  refuseOtherWorkspace(root, mark, workspace);
  const vaults = knownFiles.vaults();
  const syncedVault =
    vaults.find(({ id }) => id === mark?.vault) ?? vaults.find((each) => each.root === root);
  const into =
    options.into === undefined ? (syncedVault?.into ?? findImportPlace(database, root)) : givenPlace;
  if (syncedVault !== undefined && syncedVault.into !== into)
    throw new SondeError('bad_argument', {
      message: `${root} is synchronised with ${syncedVault.into === '' ? 'the whole workspace' : `the pages below ${syncedVault.into}`}`,
      remedy: 'Omit --into.',
    });
  if (options.dryRun === true) return syncedVault ?? { n: -1, id: mark?.vault ?? newVaultId(), root, into };
  const vault = syncedVault ?? knownFiles.addVault({ id: mark?.vault ?? newVaultId(), root, into });
  // The folder was moved together with its mark.
  if (vault.root !== root) knownFiles.moveVault(vault.n, root);
  return { ...vault, root };
}

/**
 * Writes the mark if it is missing. Called after the notes were checked, so that the folder of an unmounted disk gets
 * no mark.
 */
function writeMarkOnce({ vault, world, database, dryRun }: Pass): void {
  const mark = readMark(vault.root);
  if (dryRun || (mark?.file === database.path && mark.vault === vault.id)) return;
  writeMark(vault.root, { vault: vault.id, workspace: world.workspace.id, file: database.path });
}

/** The page path to which the folder was imported; empty if it was not. Throws if there are several. */
function findImportPlace(database: Workspace['database'], root: string): string {
  const places = openLedger(database)
    .vaults()
    .filter((each) => each.root === root)
    .map(({ into }) => into);
  if (places.length < 2) return places[0] ?? '';
  throw new SondeError('bad_argument', {
    message: `${root} was imported to ${places.length} places: ${places.map((place) => JSON.stringify(place)).join(', ')}`,
    remedy: 'Say which of them with --into.',
  });
}
