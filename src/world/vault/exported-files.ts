/** Records which files were exported into a folder, to recognise files that were edited there since. */
import { hash } from 'node:crypto';
import { SondeError } from '../../core/index.ts';
import type { Database } from '../../store/index.ts';
import { readPastPage } from '../read/past-page.ts';
import { findPage } from '../rows/rows.ts';
import type { Page } from '../world.ts';
import { openLedger } from './ledger.ts';

interface ExportedFile {
  readonly file: string;
  readonly content: Buffer;
}

export interface ExportedFiles {
  /** Called before a batch of files is written, with all of them. */
  recordPlanned(files: readonly ExportedFile[]): void;
  recordWritten(files: readonly ExportedFile[]): void;
  /**
   * Throws `stale` if the bytes `there` are neither a text that this workspace wrote nor an earlier text of the page.
   */
  refuseNewer(page: Page, file: string, there: Buffer): void;
}

/** Maximum number of events, newest first, that are searched for an earlier text. */
const maxEvents = 100;

const hashOf = (bytes: Buffer): string => hash('sha256', bytes);

export function trackExportedFiles(database: Database, root: string): ExportedFiles {
  const ledger = openLedger(database);
  return {
    recordPlanned: (files) =>
      database.atomic(() => {
        for (const { file, content } of files) ledger.willExport(root, file, hashOf(content));
      }),
    recordWritten: (files) =>
      database.atomic(() => {
        for (const { file, content } of files) ledger.didExport(root, file, hashOf(content));
      }),
    refuseNewer(page, file, presentBytes) {
      if (ledger.isOwn(root, file, hashOf(presentBytes)) || wasEarlierText(database, page, presentBytes))
        return;
      throw new SondeError('stale', {
        message: 'the file has a text that this workspace never had, and was not replaced',
        remedy: 'Import the folder first, or take the file away.',
      });
    },
  };
}

/** Whether the bytes were the text of this page at some time, without candidates. */
export function wasEarlierText(database: Database, { id }: Page, bytes: Buffer): boolean {
  const page = findPage(database, id)!;
  const sql = 'SELECT seq FROM world_event_pages WHERE page = ? ORDER BY seq DESC LIMIT ?';
  return database.all(sql, page.n, maxEvents).some(({ seq }) => {
    const { front, blocks } = readPastPage(database, page, Number(seq));
    const visibleBlocks = blocks.filter(({ lifecycle }) => lifecycle !== 'Candidate');
    return bytes.equals(Buffer.from(front + visibleBlocks.map(({ text }) => text).join(''), 'utf8'));
  });
}
