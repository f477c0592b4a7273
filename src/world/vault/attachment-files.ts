/** Attachments: files of a vault that are not pages. Finds new and changed ones, and the page that embeds each. */
import { join } from 'node:path';
import { findLinks } from '../markdown/index.ts';
import { folderOf, foldName, joinPath, lastSegment } from '../names.ts';
import type { KnownAttachment, Ledger } from './ledger.ts';
import { composeAccents, joinBelow } from './page-paths.ts';
import type { AttachmentCounts, VaultProblem } from './vault.ts';
import { readAttachment } from './vault-file.ts';

export interface FoundAttachment extends KnownAttachment {
  readonly file: string;
  readonly isNew: boolean;
}

export interface AttachmentChanges {
  readonly changed: readonly FoundAttachment[];
  readonly counts: AttachmentCounts;
  readonly problems: readonly VaultProblem[];
}

export function findAttachmentChanges(
  place: { readonly root: string; readonly into: string },
  files: readonly string[],
  ledger: Ledger | null,
  vaultId: number | null,
): AttachmentChanges {
  const changed: FoundAttachment[] = [];
  const problems: VaultProblem[] = [];
  const counts = { new: 0, changed: 0, unchanged: 0, bytes: 0 };
  for (const file of files) {
    const knownAttachment = ledger === null || vaultId === null ? null : ledger.attachment(vaultId, file);
    const current = readAttachment(join(place.root, file), knownAttachment);
    if ('message' in current) {
      problems.push({ path: file, kind: 'unreadable', message: current.message });
      continue;
    }
    const { bytes, modified, hash } = current;
    counts.bytes += bytes;
    if (knownAttachment !== null && knownAttachment.hash === hash) {
      counts.unchanged++;
      continue;
    }
    counts[knownAttachment === null ? 'new' : 'changed']++;
    const path = joinBelow(place.into, composeAccents(file));
    changed.push({ file, path, bytes, modified, hash, isNew: knownAttachment === null });
  }
  return { changed, counts, problems };
}

interface EmbeddedFile {
  readonly target: string;
  readonly pagePath: string;
  readonly page: string;
}

export interface Embeds {
  /** Records the attachments that a page's text embeds. */
  add(text: string, page: string, pagePath: string): void;
  pageOf(attachment: string): string | null;
}

export function trackEmbeds(attachments: readonly FoundAttachment[]): Embeds {
  const embedsByName = new Map<string, EmbeddedFile[]>(
    attachments.map(({ path }) => [foldName(lastSegment(path)), []]),
  );
  return {
    add(text, page, pagePath) {
      if (embedsByName.size === 0 || !text.includes('![')) return;
      for (const { kind, target } of findLinks(text))
        if (kind === 'embed')
          embedsByName.get(foldName(lastSegment(target)))?.push({ target, page, pagePath });
    },
    pageOf(attachment) {
      const foldedPath = foldName(attachment);
      const embed = embedsByName.get(foldName(lastSegment(attachment)))?.find(({ target, pagePath }) => {
        const wantedName = foldName(target.replace(/^\/+/, ''));
        const relativePath = joinPath(folderOf(pagePath), target);
        return (
          foldedPath === wantedName ||
          foldedPath.endsWith(`/${wantedName}`) ||
          (relativePath !== null && foldedPath === foldName(relativePath))
        );
      });
      return embed?.page ?? null;
    },
  };
}
