import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { findFrontLinks, findLinks, readPage, type WrittenLink } from '../markdown/index.ts';
import { folderOf, foldName, joinPath, lastSegment } from '../names.ts';
import { readAliases } from '../write/properties.ts';
import { findAttachmentChanges } from './attachment-files.ts';
import { FileCounts } from './counts.ts';
import { decideFile } from './decide.ts';
import { openExistingLedger } from './ledger.ts';
import { assignPagePaths, composeAccents, joinBelow } from './page-paths.ts';
import { findRemovedFiles } from './removed-files.ts';
import type { VaultAnalysis, VaultPlace, VaultProblem, Workspace } from './vault.ts';
import { readPageFile } from './vault-file.ts';
import { resolvePlace, walkVault } from './walk-vault.ts';

/** The number of files after which other work may run. */
const filesPerSlice = 200;

export async function analyseVault(workspace: Workspace, place: VaultPlace): Promise<VaultAnalysis> {
  const { root, into } = resolvePlace(place);
  const { world } = workspace;
  const ledger = openExistingLedger(workspace.database);
  const vault = ledger?.vault(root, into) ?? null;
  const listing = walkVault(root);
  const paths = assignPagePaths(listing.pages, into);
  const problems: VaultProblem[] = [...listing.problems, ...paths.problems];
  const counts = new FileCounts();
  const names = collectNames(workspace);
  for (const file of listing.attachments) names.add(joinBelow(into, composeAccents(file)));
  const notText: string[] = [];
  const links: { readonly from: string; readonly found: readonly WrittenLink[] }[] = [];
  let read = 0;
  for (const [path, pagePath] of paths.byFile) {
    if (++read % filesPerSlice === 0) await setImmediate();
    const file = readPageFile(join(root, path));
    if (file.kind !== 'page') {
      problems.push({ path, kind: file.kind, message: file.message });
      if (file.kind === 'not_utf8') notText.push(path);
      continue;
    }
    const { state, page } = decideFile(world, ledger, vault, { path, pagePath, ...file });
    counts.add(path, state, page?.id ?? null);
    const { frontMatter, blocks } = readPage(file.text);
    if (frontMatter.problem !== null)
      problems.push({ path, kind: 'front_matter', message: frontMatter.problem });
    names.add(pagePath);
    for (const alias of readAliases(frontMatter.properties)) names.alias(alias);
    const found = [...findFrontLinks(frontMatter.raw), ...blocks.flatMap(({ text }) => findLinks(text))];
    if (found.length > 0) links.push({ from: pagePath, found });
  }
  const attachments = findAttachmentChanges(
    { root, into },
    [...listing.attachments, ...notText],
    ledger,
    vault,
  );
  const removed = ledger === null || vault === null ? null : findRemovedFiles(ledger.files(vault), listing);
  let resolved = 0;
  let all = 0;
  for (const { from, found } of links) {
    all += found.length;
    resolved += found.filter((link) => names.has(link, from)).length;
  }
  return Object.freeze({
    root,
    into,
    pages: counts.pages,
    changes: counts.changes,
    attachments: attachments.counts,
    removed: removed === null ? [] : [...removed.pages, ...removed.attachments],
    problems: [...problems, ...attachments.problems],
    links: { resolved, unresolved: all - resolved },
  });
}

interface Names {
  add(path: string): void;
  alias(name: string): void;
  has(link: WrittenLink, from: string): boolean;
}

/** The names by which links would find pages after the import. */
function collectNames({ world }: Workspace): Names {
  const wholePaths = new Map<string, string[]>();
  const aliases = new Set<string>();
  const names: Names = {
    add(path) {
      const whole = foldName(path);
      const key = lastSegment(whole);
      const known = wholePaths.get(key);
      if (known === undefined) wholePaths.set(key, [whole]);
      else if (!known.includes(whole)) known.push(whole);
    },
    alias: (name) => {
      aliases.add(foldName(name));
    },
    has({ target }, from) {
      const wanted = foldName(target.replace(/^\/+/, ''));
      const near = joinPath(folderOf(from), wanted);
      const known = wholePaths.get(lastSegment(wanted)) ?? [];
      return (
        aliases.has(wanted) ||
        known.some(
          (whole) =>
            whole === wanted || whole.endsWith(`/${wanted}`) || (near !== null && whole === foldName(near)),
        )
      );
    },
  };
  for (let after: string | undefined; ; ) {
    const pages = world.pages({ limit: 1000, ...(after !== undefined && { after }) });
    for (const { path } of pages) names.add(path);
    after = pages.at(-1)?.path;
    if (after === undefined) return names;
  }
}
