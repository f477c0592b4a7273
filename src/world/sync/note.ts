/** One note as a pass finds it on both sides. */
import { join } from 'node:path';
import { readPageFile } from '../vault/vault-file.ts';
import type { KnownFile } from './known.ts';
import type { PageNow } from './pages.ts';
import { type Pass, problem } from './pass.ts';
import { stampNow } from './recover.ts';

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

/** Reads a file. Null if it is gone; `left` if it can't be read, and so is left alone. */
export function readFile(pass: Pass, file: string): FileNow | null | 'left' {
  if (pass.scan.gone.has(file)) return null;
  if (!pass.scan.stamps.has(file)) return 'left';
  // The stamp is taken before the file is read, so that a later change is read again.
  const stamp = stampNow(pass, file);
  const read = readPageFile(join(pass.folder.root, pass.currentPlaces.get(file) ?? file));
  if (read.kind === 'page') return { text: read.text, hash: read.hash, stamp };
  problem(pass, file, read.kind, read.message);
  return 'left';
}
