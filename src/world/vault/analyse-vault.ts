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

/** After this many files, other tasks of the process get a turn. */
const filesPerSlice = 200;

export async function analyseVault(workspace: Workspace, place: VaultPlace): Promise<VaultAnalysis> {
  const { root, into } = resolvePlace(place);
  const { world } = workspace;
  const ledger = openExistingLedger(workspace.database);
  const vaultId = ledger?.vault(root, into) ?? null;
  const listing = walkVault(root);
  const paths = assignPagePaths(listing.pages, into);
  const problems: VaultProblem[] = [...listing.problems, ...paths.problems];
  const counts = new FileCounts();
  const names = collectNames(workspace);
  for (const file of listing.attachments) names.add(joinBelow(into, composeAccents(file)));
  const notText: string[] = [];
  const links: { readonly from: string; readonly found: readonly WrittenLink[] }[] = [];
  let readCount = 0;
  for (const [path, pagePath] of paths.byFile) {
    if (++readCount % filesPerSlice === 0) await setImmediate();
    const file = readPageFile(join(root, path));
    if (file.kind !== 'page') {
      problems.push({ path, kind: file.kind, message: file.message });
      if (file.kind === 'not_utf8') notText.push(path);
      continue;
    }
    const { state, page } = decideFile(world, ledger, vaultId, { path, pagePath, ...file });
    counts.add(path, state, page?.id ?? null);
    const { frontMatter, blocks } = readPage(file.text);
    if (frontMatter.problem !== null)
      problems.push({ path, kind: 'front_matter', message: frontMatter.problem });
    names.add(pagePath);
    for (const alias of readAliases(frontMatter.properties)) names.alias(alias);
    const pageLinks = [...findFrontLinks(frontMatter.raw), ...blocks.flatMap(({ text }) => findLinks(text))];
    if (pageLinks.length > 0) links.push({ from: pagePath, found: pageLinks });
  }
  const attachments = findAttachmentChanges(
    { root, into },
    [...listing.attachments, ...notText],
    ledger,
    vaultId,
  );
  const removed =
    ledger === null || vaultId === null ? null : findRemovedFiles(ledger.files(vaultId), listing);
  let resolved = 0;
  let total = 0;
  for (const { from, found } of links) {
    total += found.length;
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
    links: { resolved, unresolved: total - resolved },
  });
}

interface Names {
  add(path: string): void;
  alias(name: string): void;
  has(link: WrittenLink, from: string): boolean;
}

/** Collects the names by which links would find pages after the import. */
function collectNames({ world }: Workspace): Names {
  const pathsByName = new Map<string, string[]>();
  const aliases = new Set<string>();
  const names: Names = {
    add(path) {
      const foldedPath = foldName(path);
      const key = lastSegment(foldedPath);
      const sameNamed = pathsByName.get(key);
      if (sameNamed === undefined) pathsByName.set(key, [foldedPath]);
      else if (!sameNamed.includes(foldedPath)) sameNamed.push(foldedPath);
    },
    alias: (name) => {
      aliases.add(foldName(name));
    },
    has({ target }, from) {
      const wantedName = foldName(target.replace(/^\/+/, ''));
      const relativePath = joinPath(folderOf(from), wantedName);
      const sameNamed = pathsByName.get(lastSegment(wantedName)) ?? [];
      return (
        aliases.has(wantedName) ||
        sameNamed.some(
          (path) =>
            path === wantedName ||
            path.endsWith(`/${wantedName}`) ||
            (relativePath !== null && path === foldName(relativePath)),
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
