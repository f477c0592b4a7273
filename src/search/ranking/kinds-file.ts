import { join } from 'node:path';
import type { Snapshot } from '../lexical/reader.ts';
import { readSealed, writeSealed } from '../sealed-file.ts';

/** The kinds of files beside the index: telling them anew would take longest of all that a first query does. */

const fileIn = (directory: string) => join(directory, 'kinds');

/** Numbers of files hold for one list of segments. The version stands for the rules that tell kinds. */
function kindOf({ manifest }: Snapshot): string {
  return `sonde-kinds 1 ${manifest.segments.map(({ name }) => name).join(',')}`;
}

/** By file number; null where none are stored for this state of the index, or they are damaged. */
export function readKinds(directory: string, snapshot: Snapshot): Uint8Array | null {
  const stored = readSealed(fileIn(directory), kindOf(snapshot));
  return stored?.length === snapshot.corpus.fileCount ? new Uint8Array(stored) : null;
}

export function writeKinds(directory: string, snapshot: Snapshot, kinds: Uint8Array): void {
  writeSealed(fileIn(directory), kindOf(snapshot), kinds);
}
