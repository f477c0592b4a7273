import { join } from 'node:path';
import { messageOf } from '../../core/index.ts';
import { readChecksummed, writeChecksummed } from '../checksummed-file.ts';
import type { HistoryReader, RefreshOptions } from '../search.ts';
import { digestCommits, type PastDigest } from './past.ts';

/** Stores the git history beside the index, split into words. It is read again when HEAD has changed. */

interface StoredPast {
  readonly head: string;
  readonly digest: PastDigest;
}

/** Maximum number of commits, newest first. Older ones are mostly about files that no longer exist. */
const maxCommits = 3_000;
const formatVersion = 'sonde-past 1';

function pastPath(directory: string): string {
  return join(directory, 'past.json');
}

/** Null if the file is missing or damaged. */
export function readPast(directory: string): StoredPast | null {
  const body = readChecksummed(pastPath(directory), formatVersion);
  return body === null ? null : (JSON.parse(body.toString('utf8')) as StoredPast);
}

/** Updates the stored history to HEAD. Returns notes: if it can't be read, the search works without it. */
export async function refreshPast(
  directory: string,
  history: HistoryReader,
  { signal, onProgress }: RefreshOptions,
): Promise<string[]> {
  try {
    const head = (await history.head()) ?? '';
    if (readPast(directory)?.head === head) return [];
    onProgress?.({ phase: 'history', done: 0, total: 0 });
    const commits = head === '' ? [] : await history.commits(maxCommits, signal);
    const past: StoredPast = { head, digest: digestCommits(commits) };
    writeChecksummed(pastPath(directory), formatVersion, Buffer.from(JSON.stringify(past)));
    onProgress?.({ phase: 'history', done: commits.length, total: commits.length });
    return [];
  } catch (thrown) {
    if (signal?.aborted) throw thrown;
    return [`Git's past could not be read, so it does not help the ranking: ${messageOf(thrown)}`];
  }
}
