import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { messageOf, SondeError } from '../../core/index.ts';
import type { Database } from '../../store/index.ts';
import { findPageDamage } from '../check/page-damage.ts';
import { joinPageText } from '../read/page-lines.ts';
import type { Page } from '../world.ts';
import { trackExportedFiles } from './exported-files.ts';
import { type Ledger, openExistingLedger } from './ledger.ts';
import { assignPagePaths } from './page-paths.ts';
import type { ExportOptions, ExportReport, Workspace } from './vault.ts';
import { readAttachment } from './vault-file.ts';
import { openTarget, type TargetFolder, type WriteOutcome } from './write-files.ts';

/** After this many pages, other tasks of the process get a turn. */
const pagesPerSlice = 200;

export async function exportVault(workspace: Workspace, options: ExportOptions): Promise<ExportReport> {
  const { world, database } = workspace;
  const { under } = options;
  if (under !== undefined && world.pages({ under, limit: 1 }).length === 0)
    throw new SondeError('not_found', {
      message: `There is no page ${under}, and none below it`,
      remedy: 'sonde world ls lists the pages.',
    });
  const target = openTarget(options.to, options.replace === true);
  const ledger = openExistingLedger(database);
  const problems: { path: string; message: string }[] = [];
  const pages = { written: 0, replaced: 0, unchanged: 0 };
  const fileNameOf = createFileNames(ledger);
  const exported = trackExportedFiles(database, target.root);
  let exportedCount = 0;
  for (let after: string | undefined; ; ) {
    options.signal?.throwIfAborted();
    const listed = world.pages({
      limit: pagesPerSlice,
      ...(under !== undefined && { under }),
      ...(after !== undefined && { after }),
    });
    const texts = listed.flatMap((page) => {
      const text = world.read(page.id);
      const content = text === null ? null : Buffer.from(joinPageText(text), 'utf8');
      return content === null ? [] : [{ page, file: fileNameOf(page), content }];
    });
    exported.recordPlanned(texts);
    const writtenFiles: { readonly file: string; readonly content: Buffer }[] = [];
    for (const { page, file, content } of texts) {
      const outcome = tryWrite(problems, file, () => {
        refuseDamaged(database, page);
        return target.write(file, content, (presentBytes) => exported.refuseNewer(page, file, presentBytes));
      });
      if (outcome === null) continue;
      pages[outcome]++;
      writtenFiles.push({ file, content });
    }
    exported.recordWritten(writtenFiles);
    exportedCount += listed.length;
    options.onProgress?.(exportedCount);
    await setImmediate();
    after = listed.at(-1)?.path;
    if (after === undefined) break;
  }
  const attachments = copyAttachments(workspace, target, ledger, under, problems);
  return Object.freeze({ to: target.root, pages, attachments, problems });
}

/** Throws if a page differs from its log, since its export may replace a good file. */
function refuseDamaged(database: Database, { id }: Page): void {
  const { n } = database.get('SELECT n FROM world_pages WHERE id = ?', id)!;
  const [first, ...more] = findPageDamage(database, Number(n));
  if (first === undefined) return;
  const where = first.block === null ? '' : `${first.block}: `;
  throw new SondeError('store_corrupt', {
    message: `the page is damaged, and was not written: ${where}${first.what}${more.length > 0 ? `, and ${more.length} more` : ''}`,
    remedy: 'sonde world check says what is damaged; sonde world salvage saves what can be read.',
  });
}

function tryWrite(
  problems: { path: string; message: string }[],
  path: string,
  work: () => WriteOutcome,
): WriteOutcome | null {
  try {
    return work();
  } catch (error) {
    problems.push({ path, message: messageOf(error) });
    return null;
  }
}

/** Returns a function for the file name of a page: the imported file, if the page was not moved; otherwise its path. */
function createFileNames(ledger: Ledger | null): (page: Page) => string {
  const names = new Map<string, { readonly file: string; readonly path: string }>();
  for (const { vault, into } of ledger?.vaults() ?? []) {
    const files = ledger!.files(vault).pages;
    const { byFile } = assignPagePaths(files, into);
    for (const file of files) {
      const knownPage = ledger!.page(vault, file);
      if (knownPage !== null)
        names.set(knownPage.page, { file: into === '' ? file : `${into}/${file}`, path: byFile.get(file)! });
    }
  }
  return (page) => {
    const importedAs = names.get(page.id);
    return importedAs?.path === page.path ? importedAs.file : `${page.path}.md`;
  };
}

function copyAttachments(
  { world }: Workspace,
  target: TargetFolder,
  ledger: Ledger | null,
  under: string | undefined,
  problems: { path: string; message: string }[],
): { readonly copied: number; readonly unchanged: number } {
  const counts = { copied: 0, unchanged: 0 };
  const places = new Map<string, { readonly from: string; readonly to: string }>();
  for (const { vault, root, into } of ledger?.vaults() ?? [])
    for (const file of ledger!.files(vault).attachments) {
      const knownAttachment = ledger!.attachment(vault, file)!;
      places.set(knownAttachment.path, {
        from: join(root, file),
        to: into === '' ? file : `${into}/${file}`,
      });
    }
  for (const { path, hash } of world.attachments()) {
    if (under !== undefined && path !== under && !path.startsWith(`${under}/`)) continue;
    const place = places.get(path);
    const current =
      place === undefined ? { message: 'its origin is not known' } : readAttachment(place.from, null);
    if ('message' in current) problems.push({ path, message: current.message });
    else if (current.hash !== hash)
      problems.push({ path, message: 'its file has changed; import the vault again' });
    else {
      const outcome = tryWrite(problems, path, () => target.copy(place!.to, place!.from));
      if (outcome !== null) counts[outcome === 'unchanged' ? 'unchanged' : 'copied']++;
    }
  }
  return counts;
}
