import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type Caller, SondeError } from '../../core/index.ts';
import { worldWrite } from '../make-write.ts';
import type { WorldOperation, WorldWrite } from '../world-write.ts';
import { attachmentChanges, type Embeds, embedsOf, type FoundAttachment } from './attachment-files.ts';
import { FileCounts } from './counts.ts';
import { type Decision, decide } from './decide.ts';
import { withImportLock } from './import-lock.ts';
import { type Ledger, openLedger, type RunRow } from './ledger.ts';
import { pagePaths } from './page-paths.ts';
import { removedFiles } from './removed-files.ts';
import { type BatchItem, mostFiles, slices, submitBatch } from './submit-batch.ts';
import type { ImportOptions, VaultImport, VaultPlace, VaultProblem, Workspace } from './vault.ts';
import { readPageFile } from './vault-file.ts';
import { knownPlace, walkVault } from './walk-vault.ts';

/** UTF-16 units of the texts of one transaction. */
const mostText = 2_000_000;

export async function importVault(workspace: Workspace, options: ImportOptions): Promise<VaultImport> {
  const place = knownPlace(options);
  return withImportLock(workspace, () => performed(begun(workspace, { ...options, ...place })));
}

/** One import while it lasts. */
interface Work {
  readonly workspace: Workspace;
  readonly options: ImportOptions;
  readonly root: string;
  readonly into: string;
  readonly ledger: Ledger;
  readonly vault: number;
  readonly run: RunRow;
  readonly resumed: boolean;
  readonly counts: FileCounts;
  readonly problems: VaultProblem[];
  readonly deviations: string[];
  write(operation: WorldOperation, file: string, hash: string, base?: number | null): WorldWrite;
}

function begun(workspace: Workspace, options: ImportOptions & Required<VaultPlace>): Work {
  const { root, into, device, clock } = options;
  const ledger = openLedger(workspace.database);
  const { run, resumed } = workspace.database.atomic(() =>
    ledger.begin(ledger.vault(root, into, true)!, clock()),
  );
  const caller: Caller = Object.freeze({
    kind: 'import',
    name: 'vault',
    device,
    thread: null,
    channel: null,
  });
  return {
    workspace,
    options,
    root,
    into,
    ledger,
    vault: run.vault,
    run,
    resumed,
    counts: new FileCounts(),
    problems: [],
    deviations: [],
    write: (operation, file, hash, base = null) =>
      worldWrite({
        operation,
        caller,
        source: `${run.run}:${file}`,
        // A run that is gone on with after a crash has the same key for the same content.
        idempotencyKey: `${run.run}:${operation.op}:${file}:${hash}`,
        ...(base !== null && { baseRevision: base }),
      }),
  };
}

async function performed(work: Work): Promise<VaultImport> {
  const { root, into, ledger, vault, options, problems } = work;
  const listing = walkVault(root);
  const paths = pagePaths(listing.pages, into);
  problems.push(...listing.problems, ...paths.problems);
  const notText: string[] = [];
  // Known before the pages are read, so that their embeds can be looked through for them.
  const found = attachmentChanges(work, listing.attachments, ledger, vault);
  const embeds = embedsOf(found.changed);
  const interrupted = await importPages(work, paths.of, embeds, notText);
  const late = attachmentChanges(work, notText, ledger, vault);
  problems.push(...found.problems, ...late.problems);
  const counts = { ...found.counts };
  for (const name of ['new', 'changed', 'unchanged', 'bytes'] as const) counts[name] += late.counts[name];
  const removed = removedFiles(ledger.files(vault), listing);
  const deleted: string[] = [];
  if (!interrupted) {
    for (const attachments of slices([...found.changed, ...late.changed], mostFiles))
      submitBatch(
        work.workspace,
        attachments.map((each) => attachmentItem(work, each, embeds.pageOf(each.path))),
      );
    if (options.deleteRemoved === true) deleted.push(...deleteRemoved(work, removed, listing.pages.length));
    ledger.finish(work.run, options.clock());
  }
  return Object.freeze({
    run: work.run.run,
    root,
    into,
    pages: work.counts.pages,
    changes: work.counts.changes,
    attachments: counts,
    removed: [...removed.pages, ...removed.attachments],
    problems,
    resumed: work.resumed,
    interrupted,
    deviations: work.deviations,
    deleted,
  });
}

/** True where it was interrupted. */
async function importPages(
  work: Work,
  paths: ReadonlyMap<string, string>,
  embeds: Embeds,
  notText: string[],
): Promise<boolean> {
  const { root, options, problems, workspace } = work;
  let batch: BatchItem[] = [];
  let length = 0;
  let done = 0;
  for (const [file, pagePath] of paths) {
    if (options.signal?.aborted === true) return true;
    done++;
    const read = readPageFile(join(root, file));
    if (read.kind !== 'page') {
      problems.push({ path: file, kind: read.kind, message: read.message });
      if (read.kind === 'not_utf8') notText.push(file);
      continue;
    }
    batch.push(pageItem(work, { file, pagePath, text: read.text, hash: read.hash }, embeds));
    length += read.text.length;
    if (batch.length < mostFiles && length < mostText) continue;
    submitBatch(workspace, batch);
    batch = [];
    length = 0;
    options.onProgress?.(done, paths.size);
    await setImmediate();
  }
  submitBatch(workspace, batch);
  options.onProgress?.(done, paths.size);
  return options.signal?.aborted === true;
}

interface ReadFile {
  readonly file: string;
  readonly pagePath: string;
  readonly text: string;
  readonly hash: string;
}

function pageItem(work: Work, read: ReadFile, embeds: Embeds): BatchItem {
  const { workspace, ledger, vault, run, counts } = work;
  const { file, pagePath, text, hash } = read;
  const decision = decide(workspace.world, ledger, vault, { path: file, pagePath, hash, text });
  const { state, page, base, before } = decision;
  if (page !== null) embeds.add(text, page.id, page.path);
  return {
    write: writeOf(work, read, decision),
    remember(result) {
      const id = result?.content_ids[0] ?? page?.id ?? null;
      if (result !== null && !result.applied) {
        work.deviations.push(...result.deviation_ids);
        const known = ledger.page(vault, file) ?? { page: id!, hash: '', revision: base ?? page!.revision };
        ledger.putPage(vault, file, { ...known, told: hash });
        counts.add(file, 'conflicting', id);
        return;
      }
      counts.add(file, state, id);
      if (result === null && state !== 'adopted') return;
      const { revision, path } = workspace.world.page(id!)!;
      const old = before === null ? null : { text: before, hash: ledger.page(vault, file)?.hash ?? '' };
      ledger.putPage(vault, file, { page: id!, hash, revision, told: null });
      if (result === null) return;
      if (page === null) embeds.add(text, id!, path);
      ledger.putChange(run, { file, page: id, revision, before: old });
    },
    refused(why) {
      counts.add(file, 'taken', page?.id ?? null);
      work.problems.push({ path: file, kind: 'refused', message: `${why.code}: ${why.message}` });
    },
  };
}

function writeOf(
  work: Work,
  { file, pagePath, text, hash }: ReadFile,
  decision: Decision,
): WorldWrite | null {
  const { state, page, base } = decision;
  if (state === 'new') return work.write({ op: 'create_page', path: pagePath, text }, file, hash);
  if (state === 'changed' || state === 'conflicting')
    return work.write({ op: 'update_page', page: page!.id, text }, file, hash, base);
  return null;
}

/** On a page that is the author's it would wait for the author as a deviation: there it stays without a page. */
function attachmentItem(work: Work, attachment: FoundAttachment, shownOn: string | null): BatchItem {
  const { ledger, vault, run, workspace } = work;
  const shown = shownOn === null ? null : workspace.world.page(shownOn);
  const from = shown?.lifecycle === 'Draft' && !shown.deleted ? shown.revision : null;
  const page = from === null ? null : shownOn;
  const { file, isNew, ...known } = attachment;
  const { path, bytes, hash } = known;
  return {
    write: work.write({ op: 'add_attachment', page, path, bytes, hash }, file, hash),
    remember() {
      ledger.putAttachment(vault, file, known);
      if (page !== null) ledger.follow(page, from!, workspace.world.page(page)!.revision);
      if (isNew) ledger.putChange(run, { file, page: null, revision: 0, before: null });
    },
    refused: (why) =>
      work.problems.push({ path: file, kind: 'refused', message: `${why.code}: ${why.message}` }),
  };
}

/** Paths of the files whose pages were deleted. */
function deleteRemoved(
  work: Work,
  removed: { readonly pages: readonly string[]; readonly attachments: readonly string[] },
  there: number,
): readonly string[] {
  const { workspace, ledger, vault, problems } = work;
  if (there === 0 && removed.pages.length > 0)
    throw new SondeError('bad_argument', {
      message: `${work.root} has no notes any more, and all pages that came from it would be deleted`,
      remedy: 'See whether the folder is the right one; to take an import back, use sonde world undo.',
    });
  const deleted: string[] = [];
  const refused = (path: string) => (why: { readonly message: string }) =>
    problems.push({ path, kind: 'refused', message: why.message });
  const pages = removed.pages.flatMap((file): BatchItem[] => {
    const known = ledger.page(vault, file)!;
    const page = workspace.world.page(known.page);
    if (page === null || page.deleted || page.revision !== known.revision) return [];
    return [
      {
        write: work.write({ op: 'delete_page', page: page.id }, file, known.hash, known.revision),
        remember(result) {
          if (result?.applied !== true) return;
          ledger.dropPage(vault, file);
          deleted.push(file);
        },
        refused: refused(file),
      },
    ];
  });
  const attachments = removed.attachments.map((file): BatchItem => {
    const { path, hash } = ledger.attachment(vault, file)!;
    return {
      write: work.write({ op: 'remove_attachment', path }, file, hash),
      remember() {
        ledger.dropAttachment(vault, file);
        deleted.push(file);
      },
      refused: refused(file),
    };
  });
  for (const items of slices([...pages, ...attachments], mostFiles)) submitBatch(workspace, items);
  return deleted;
}
