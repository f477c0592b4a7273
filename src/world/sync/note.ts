/** A note: the states of its file and its page, and the last text that both had. */
import { join } from 'node:path';
import { readPageFile } from '../vault/vault-file.ts';
import type { KnownFile } from './known.ts';
import type { PageNow } from './pages.ts';
import { type Pass, reportProblem } from './pass.ts';
import { readStamp } from './recover.ts';

export interface FileNow {
  readonly text: string;
  readonly hash: string;
  /** The file's stamp when it was read. */
  readonly stamp: string;
}

export interface NoteState {
  readonly known: KnownFile;
  readonly file: FileNow | null;
  readonly page: PageNow | null;
  readonly base: string | null;
}

/** Reads a file. Null if it is gone; `left` if it can't be read: the note is then left alone. */
export function readFile(pass: Pass, file: string): FileNow | null | 'left' {
  if (pass.scan.gone.has(file)) return null;
  if (!pass.scan.stamps.has(file)) return 'left';
  // The stamp is taken first, so that a change during the read is noticed in the next pass.
  const stamp = readStamp(pass, file);
  const pageFile = readPageFile(join(pass.folder.root, pass.currentPlaces.get(file) ?? file));
  if (pageFile.kind === 'page') return { text: pageFile.text, hash: pageFile.hash, stamp };
  reportProblem(pass, file, pageFile.kind, pageFile.message);
  return 'left';
}
