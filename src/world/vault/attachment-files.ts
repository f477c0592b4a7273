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
  vault: number | null,
): AttachmentChanges {
  const changed: FoundAttachment[] = [];
  const problems: VaultProblem[] = [];
  const counts = { new: 0, changed: 0, unchanged: 0, bytes: 0 };
  for (const file of files) {
    const knownAttachment = ledger === null || vault === null ? null : ledger.attachment(vault, file);
    const now = readAttachment(join(place.root, file), knownAttachment);
    if ('message' in now) {
      problems.push({ path: file, kind: 'unreadable', message: now.message });
      continue;
    }
    const { bytes, modified, hash } = now;
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
  const shown = new Map<string, EmbeddedFile[]>(
    attachments.map(({ path }) => [foldName(lastSegment(path)), []]),
  );
  return {
    add(text, page, pagePath) {
      if (shown.size === 0 || !text.includes('![')) return;
      for (const { kind, target } of findLinks(text))
        if (kind === 'embed') shown.get(foldName(lastSegment(target)))?.push({ target, page, pagePath });
    },
    pageOf(attachment) {
      const whole = foldName(attachment);
      const found = shown.get(foldName(lastSegment(attachment)))?.find(({ target, pagePath }) => {
        const wanted = foldName(target.replace(/^\/+/, ''));
        const near = joinPath(folderOf(pagePath), target);
        return (
          whole === wanted || whole.endsWith(`/${wanted}`) || (near !== null && whole === foldName(near))
        );
      });
      return found?.page ?? null;
    },
  };
}
