/**
 * Writes pages into files. Each write is recorded before it begins, and the replaced file is checked for late edits
 * afterwards.
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
import { addFile, dropFile, type Pass, reportProblem, setFile } from './pass.ts';
import { finishWrites, readStamp, recoverWrite } from './recover.ts';
import { toStaleStamp } from './scan.ts';

export interface Push {
  readonly known: KnownFile;
  /** The hash of the file's bytes that were read; null: there was no file. */
  readonly seen: string | null;
  readonly list: 'pushed' | 'merged';
}

type Write = Extract<Effect, { kind: 'write' }>;

/** Maximum number of files in one transaction. */
const maxFiles = 200;
/** Milliseconds to wait after files were replaced: programs that had opened the old file may still write into it. */
const lateWriteMs = 100;

/** Records the planned file of a page that has none. Null if its name is ignored. */
export function planFile(pass: Pass, head: PageHead, file: string): Push | null {
  if (isIgnoredPath(file)) {
    reportProblem(pass, file, 'refused', 'files of that name are left alone, so its page was not written');
    return null;
  }
  const newRecord = { file, page: head.id, path: head.path, revision: 0, stamp: '', hash: null };
  return { known: addFile(pass, newRecord, null), seen: null, list: 'pushed' };
}

export async function pushFiles(pass: Pass, pushes: readonly Push[]): Promise<void> {
  for (const slice of slices(pushes, maxFiles)) {
    if (pass.options.signal?.aborted === true) return;
    if (pass.dryRun) for (const { known, list } of slice) pass.done[list].push(known.file);
    else await pushBatch(pass, slice);
  }
}

async function pushBatch(pass: Pass, pushes: readonly Push[]): Promise<void> {
  const { database, folder } = pass;
  const plannedWrites = pushes.flatMap(({ known, seen, list }) => {
    const page = readPageNow(database, known.page);
    if (page === null) return [];
    const content = Buffer.from(page.text, 'utf8');
    const folderPath = dirname(known.file);
    const name = `.sonde-${randomBytes(6).toString('hex')}`;
    const part = folderPath === '.' ? name : `${folderPath}/${name}`;
    const effect: Write = { kind: 'write', part, hash: hashOf(content), seen };
    return [{ known, page, content, effect, list }];
  });
  pass.options.onEffect?.('plan writes');
  database.atomic(() => {
    for (const { known, page, effect } of plannedWrites) {
      pass.known.planWrite(known.n, page.text);
      setFile(pass, known, { effect });
    }
  });
  const written: typeof plannedWrites = [];
  const unwritten: typeof plannedWrites = [];
  const failed: typeof plannedWrites = [];
  for (const plannedWrite of plannedWrites) {
    const { known, content, effect } = plannedWrite;
    try {
      const outcome = folder.write(known.file, content, effect.part, effect.seen);
      (outcome === 'done' ? written : unwritten).push(plannedWrite);
    } catch (error) {
      reportProblem(pass, known.file, 'not_written', messageOf(error));
      failed.push(plannedWrite);
    }
  }
  // Failed writes are recovered like those of an interrupted pass.
  for (const { known, effect } of failed) recoverWrite(pass, pass.files.get(known.file)!, effect);
  pass.options.onEffect?.('keep writes');
  database.atomic(() => {
    for (const { known, page, effect } of written) {
      pass.known.setText(known.n, page.text);
      const stamp = readStamp(pass, known.file);
      setFile(pass, { ...known, effect }, { hash: effect.hash, stamp, revision: page.revision });
    }
    for (const { known } of [...unwritten, ...failed]) forgetPlan(pass, pass.files.get(known.file)!);
  });
  for (const { known, list } of written) pass.done[list].push(known.file);
  const replaced = written.filter(({ effect }) => effect.seen !== null);
  if (replaced.length > 0) await sleep(lateWriteMs);
  if (written.length > 0) finishWrites(pass, written);
}

/** Drops the plan of a write that was not done, so that the next pass plans it again. */
function forgetPlan(pass: Pass, knownFile: KnownFile): void {
  pass.known.dropPlan(knownFile.n);
  if (knownFile.hash === null && knownFile.deviation === null) dropFile(pass, knownFile);
  else setFile(pass, knownFile, { effect: null, revision: 0, stamp: toStaleStamp(knownFile.stamp) });
}
