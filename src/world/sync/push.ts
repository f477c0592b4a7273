/**
 * Writes pages into files. Each write is recorded before it is done, and the replaced file is checked again afterwards.
 */
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../core/index.ts';
import { slices } from '../vault/submit-batch.ts';
import { isIgnoredPath } from '../vault/walk-vault.ts';
import { hashOf } from './folder.ts';
import type { Effect, KnownFile } from './known.ts';
import { type PageHead, readPageNow } from './pages.ts';
import { addFile, dropFile, type Pass, problem, setFile } from './pass.ts';
import { finishWrites, recoverWrite, stampNow } from './recover.ts';
import { staleStamp } from './scan.ts';

export interface Push {
  readonly known: KnownFile;
  /** The hash of the bytes that were there; null for no file. */
  readonly seen: string | null;
  readonly list: 'pushed' | 'merged';
}

type Write = Extract<Effect, { kind: 'write' }>;

/** Maximum number of files in one transaction. */
const maxFiles = 200;
/** Milliseconds after which no program still writes into a file that it opened before the file was replaced. */
const lateWriteMs = 100;

/** Records a file for a page that has none. Null if the file may not be written. */
export function filePage(pass: Pass, head: PageHead, file: string): Push | null {
  if (isIgnoredPath(file)) {
    problem(pass, file, 'refused', 'files of that name are left alone, so its page was not written');
    return null;
  }
  const fresh = { file, page: head.id, path: head.path, revision: 0, stamp: '', hash: null };
  return { known: addFile(pass, fresh, null), seen: null, list: 'pushed' };
}

export async function pushFiles(pass: Pass, pushes: readonly Push[]): Promise<void> {
  for (const part of slices(pushes, maxFiles)) {
    if (pass.options.signal?.aborted === true) return;
    if (pass.dryRun) for (const { known, list } of part) pass.done[list].push(known.file);
    else await pushSome(pass, part);
  }
}

async function pushSome(pass: Pass, pushes: readonly Push[]): Promise<void> {
  const { database, folder } = pass;
  const planned = pushes.flatMap(({ known, seen, list }) => {
    const page = readPageNow(database, known.page);
    if (page === null) return [];
    const content = Buffer.from(page.text, 'utf8');
    const folderOf = dirname(known.file);
    const name = `.sonde-${randomBytes(6).toString('hex')}`;
    const part = folderOf === '.' ? name : `${folderOf}/${name}`;
    const effect: Write = { kind: 'write', part, hash: hashOf(content), seen };
    return [{ known, page, content, effect, list }];
  });
  pass.options.onEffect?.('plan writes');
  database.atomic(() => {
    for (const { known, page, effect } of planned) {
      pass.known.planWrite(known.n, page.text);
      setFile(pass, known, { effect });
    }
  });
  const written: typeof planned = [];
  const unwritten: typeof planned = [];
  const failed: typeof planned = [];
  for (const one of planned) {
    const { known, content, effect } = one;
    try {
      const fileOutcome = folder.write(known.file, content, effect.part, effect.seen);
      (fileOutcome === 'done' ? written : unwritten).push(one);
    } catch (error) {
      problem(pass, known.file, 'not_written', messageOf(error));
      failed.push(one);
    }
  }
  // Partly done writes are recovered as after a crash.
  for (const { known, effect } of failed) recoverWrite(pass, pass.files.get(known.file)!, effect);
  pass.options.onEffect?.('keep writes');
  database.atomic(() => {
    for (const { known, page, effect } of written) {
      pass.known.setText(known.n, page.text);
      const stamp = stampNow(pass, known.file);
      setFile(pass, { ...known, effect }, { hash: effect.hash, stamp, revision: page.revision });
    }
    for (const { known } of [...unwritten, ...failed]) forgetPlan(pass, pass.files.get(known.file)!);
  });
  for (const { known, list } of written) pass.done[list].push(known.file);
  const replaced = written.filter(({ effect }) => effect.seen !== null);
  if (replaced.length > 0) await sleep(lateWriteMs);
  if (written.length > 0) finishWrites(pass, written);
}

/** Nothing was changed: the next pass will see the same state. */
function forgetPlan(pass: Pass, knownFile: KnownFile): void {
  pass.known.dropPlan(knownFile.n);
  if (knownFile.hash === null && knownFile.deviation === null) dropFile(pass, knownFile);
  else setFile(pass, knownFile, { effect: null, revision: 0, stamp: staleStamp(knownFile.stamp) });
}
